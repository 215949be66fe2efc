// Starts statements and reads their rows.
#include "query/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "query/sql_error.h"

namespace stepscope {

using query::Readable;

namespace {

// SELECT c0, CAST(c1 AS VARCHAR) FROM (the statement) AS q(c0, c1)
std::string WithCasts(const std::string& sql, const std::vector<Readable>& columns) {
  std::string cells, names;
  for (size_t c = 0; c < columns.size(); ++c) {
    const std::string& cast = columns[c].cast;
    const std::string name = fmt::format("c{}", c);
    cells += c > 0 ? ", " : "";
    cells += cast.empty() ? name : fmt::format("CAST({} AS {}) AS {}", name, cast, name);
    names += (c > 0 ? ", " : "") + name;
  }
  return fmt::format("SELECT {} FROM query({}) AS q({})", cells, query::Quoted(sql), names);
}

std::vector<Note> NotesOf(const query::OpenRuns& open) {
  std::vector<Note> notes;
  for (const query::RunAnswer& answer : open.answers)
    notes.insert(notes.end(), answer.answer.run.notes.begin(), answer.answer.run.notes.end());
  std::ranges::move(query::NotesOfLedgers(open.ledgers), std::back_inserter(notes));
  return notes;
}

}  // namespace

Result<void> QueryRows::State::Start(query::Question bound) {
  std::vector<query::ResultColumn> answered = bound.Columns();
  const std::vector<Readable> readable = query::ReadableColumns(answered);
  for (const Readable& one : readable) columns.push_back(one.column);
  if (std::ranges::any_of(readable, [](const Readable& one) { return !one.cast.empty(); })) {
    auto again = query::Question::Read(*connection, WithCasts(bound.sql(), readable));
    if (!again) return std::unexpected(again.error());
    if (const auto fine = again->Bind(); !fine) return fine;
    question.emplace(std::move(*again));
    answered = question->Columns();
  } else {
    question.emplace(std::move(bound));
  }
  for (size_t c = 0; c < columns.size(); ++c) {
    readers.push_back(query::MakeColumnReader(columns[c], answered[c].type));
    is_text.push_back(answered[c].type == query::abi::kVarchar);
  }
  auto started = question->Start();
  if (!started) return std::unexpected(Told(started.error()));
  result.emplace(std::move(*started));
  notes = NotesOf(open);
  return {};
}

Error QueryRows::State::Told(const Error& said) const {
  if (const auto why = watch->Ended()) return *why;
  return scan_error->Get().value_or(said);
}

// Before any of it is copied: a cell alone may have gigabytes.
Result<void> QueryRows::State::CountText(query::ChunkHandle& chunk, uint64_t rows) {
  if (text_left < 0) return {};
  const query::DuckDb& db = connection->db();
  for (size_t c = 0; c < readers.size(); ++c) {
    if (is_text[c])
      text_left -= query::TextBytes(db, db.data_chunk_get_vector(chunk.get(), c), rows);
    if (text_left < 0)
      return std::unexpected(Error{"the answer has too much text", "",
                                   "fewer rows or columns, or the beginning of texts: left(text, "
                                   "1000)"});
  }
  return {};
}

Result<bool> QueryRows::State::ReadChunk(int64_t& rows) {
  if (ended) return false;
  if (const auto why = watch->Ended()) return std::unexpected(*why);
  const query::DuckDb& db = connection->db();
  query::ChunkHandle chunk(db);
  *chunk.out() = db.fetch_chunk(result->get());
  if (chunk.get() == nullptr) {
    ended = true;
    const char* why = db.result_error(&result->get());
    if (why == nullptr || *why == '\0') return false;
    return std::unexpected(Told(query::ErrorOf(why)));
  }
  const auto count = db.data_chunk_get_size(chunk.get());
  if (count == 0) return false;
  if (const auto counted = CountText(chunk, count); !counted)
    return std::unexpected(counted.error());
  for (size_t c = 0; c < readers.size(); ++c) {
    const auto read = readers[c]->Append(db, db.data_chunk_get_vector(chunk.get(), c), count);
    if (!read) return std::unexpected(read.error());
  }
  rows += static_cast<int64_t>(count);
  return true;
}

QueryRows::QueryRows(std::unique_ptr<State> state) : state_(std::move(state)) {}
QueryRows::QueryRows(QueryRows&&) noexcept = default;
QueryRows& QueryRows::operator=(QueryRows&&) noexcept = default;
QueryRows::~QueryRows() = default;

const std::vector<QueryColumn>& QueryRows::columns() const { return state_->columns; }
const std::vector<Note>& QueryRows::notes() const { return state_->notes; }

std::vector<InputFile> QueryRows::files() const {
  std::vector<InputFile> files;
  for (const query::RunAnswer& answer : state_->open.answers)
    files.insert(files.end(), answer.answer.run.files.begin(), answer.answer.run.files.end());
  return files;
}

Result<Columns> QueryRows::Next(size_t about) {
  Columns part;
  while (std::cmp_less(part.rows, about)) {
    const auto more = state_->ReadChunk(part.rows);
    if (!more) return std::unexpected(more.error());
    if (!*more) break;
  }
  for (const auto& reader : state_->readers) part.columns.push_back(reader->Finish());
  return part;
}

}  // namespace stepscope
