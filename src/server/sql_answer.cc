// Waits for the sessions, asks, and writes rows.
#include "server/sql_answer.h"

#include <algorithm>
#include <cmath>

#include "base/json_writer.h"
#include "server/watched.h"

namespace stepscope::server {
namespace {

constexpr int64_t kMostText = int64_t{64} << 20;  // bytes, of an answer: a browser shows no more
constexpr auto kCompact = JsonWriter::Form::kCompact;

std::string_view TypeName(const QueryColumn& column) {
  if (column.boolean) return "boolean";
  if (column.type == ColumnType::kDouble) return "real";
  return column.type == ColumnType::kText || column.type == ColumnType::kNull ? "text" : "whole";
}

void PutColumns(JsonWriter& json, const std::vector<QueryColumn>& columns) {
  json.Key("columns");
  json.BeginArray(kCompact);
  for (const QueryColumn& column : columns) {
    json.BeginObject(kCompact);
    json.Text("name", column.name);
    json.Text("type", TypeName(column));
    json.End();
  }
  json.End();
}

void PutCell(JsonWriter& json, const QueryColumn& column, const ColumnData& given, int64_t row) {
  if (given.IsNull(row)) return json.Null();
  const ColumnData& data = given.dictionary ? *given.dictionary : given;
  const int64_t at = given.dictionary ? given.WholeAt(row) : row;
  if (data.IsNull(at)) return json.Null();
  if (data.type == ColumnType::kText) return json.String(data.TextAt(at));
  if (data.type == ColumnType::kDouble) return json.Double(data.values.As<double>()[at]);
  column.boolean ? json.Bool(data.WholeAt(at) != 0) : json.Int(data.WholeAt(at));
}

// Whether there are more rows than `most`.
Result<bool> PutRows(JsonWriter& json, QueryRows& rows, int64_t most) {
  const std::vector<QueryColumn>& columns = rows.columns();
  int64_t left = most;
  while (true) {
    const auto part = rows.Next(static_cast<size_t>(left) + 1);
    if (!part) return std::unexpected(part.error());
    if (part->rows == 0) return false;
    for (int64_t row = 0; row < std::min(left, part->rows); ++row) {
      json.BeginArray(kCompact);
      for (size_t c = 0; c < columns.size(); ++c) PutCell(json, columns[c], part->columns[c], row);
      json.End();
    }
    if (part->rows > left) return true;
    left -= part->rows;
  }
}

Result<std::string> RowsJson(QueryRows& rows, int64_t most) {
  JsonWriter json;
  json.BeginObject(kCompact);
  PutColumns(json, rows.columns());
  json.Key("rows");
  json.BeginArray(kCompact);
  const auto more = PutRows(json, rows, most);
  if (!more) return std::unexpected(more.error());
  json.End();
  json.Key("more");
  json.Bool(*more);
  json.Key("notes");
  json.BeginArray(kCompact);
  for (const Note& note : rows.notes()) json.String(note.message.str());
  json.End();
  json.End();
  return std::move(json).Take();
}

Result<std::string> Ask(const SqlAsk& ask, std::vector<QueriedRun> runs, const SqlLimits& limits,
                        std::stop_token stop) {
  QueryOptions options{.analyze = ask.question, .open = {}};
  options.memory = limits.memory;
  options.timeout = limits.timeout;
  options.most_text = kMostText;
  options.stop = std::move(stop);
  auto rows = Query(std::move(runs), ask.statement, options);
  if (!rows) return std::unexpected(rows.error());
  return RowsJson(*rows, ask.rows);
}

}  // namespace

// The place of a client while it waits or is answered. A later one of the same client ends it.
class SqlBox::Turn {
 public:
  Turn(SqlBox& box, const std::string& client) : box_(box) {
    const std::lock_guard lock(box_.mutex_);
    for (const auto& [name, stop] : box_.open_)
      if (name == client) stop->request_stop();
    box_.open_.emplace_back(client, stop_);
  }
  ~Turn() {
    const std::lock_guard lock(box_.mutex_);
    std::erase_if(box_.open_, [&](const auto& open) { return open.second == stop_; });
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  std::stop_source& stop() { return *stop_; }

 private:
  SqlBox& box_;
  std::shared_ptr<std::stop_source> stop_ = std::make_shared<std::stop_source>();
};

Attempt<std::shared_ptr<const Body>> SqlBox::Answer(const SqlAsk& ask, const Gone& gone) {
  Turn turn(*this, ask.client);
  const Gone given_up = [&] { return gone() || turn.stop().stop_requested(); };
  std::unique_lock busy(busy_, std::defer_lock);
  while (!busy.try_lock_for(kLookAfter)) {
    if (given_up()) return std::unexpected(kNobodyThere);
  }
  std::vector<OpenRun::Borrowed> borrowed;
  std::vector<QueriedRun> runs;
  for (const auto& [name, run] : ask.runs) {
    auto session = run->Borrow(given_up);
    if (!session) return std::unexpected(session.error());
    runs.push_back({name, session->session});
    borrowed.push_back(std::move(*session));
  }
  const Watched watched(gone, [&] { turn.stop().request_stop(); });
  auto json = Ask(ask, std::move(runs), limits_, turn.stop().get_token());
  if (json) return MakeBody("application/json", *std::move(json));
  if (turn.stop().stop_requested()) return std::unexpected(kNobodyThere);
  return std::unexpected(Failure{422, json.error()});
}

}  // namespace stepscope::server
