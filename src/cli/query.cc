// stepscope query: answers SQL about runs.
#include "stepscope/query.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/file_writer.h"
#include "base/keep_memory.h"
#include "base/quantity.h"
#include "cli/answer.h"
#include "cli/leaves_nothing.h"
#include "cli/output_file.h"
#include "cli/root.h"
#include "cli/terminal.h"

namespace stepscope::cli {
namespace {

constexpr size_t kMostNotes = 5;

struct QueryFlags {
  std::vector<std::string> words;  // paths, then the statement
  bool schema = false;
  Question question;
  std::string format, file, language;
  int64_t limit = 0;
  double timeout = 0;  // s
  int64_t memory = 0;
};

// nullopt: Parquet, which is no format of rows that come one by one.
Result<std::optional<RowFormat>> FormatOf(const QueryFlags& flags) {
  std::string name = flags.format;
  const std::string suffix = Lower(std::filesystem::path(flags.file).extension().string());
  if (name.empty() && suffix.size() > 1) name = suffix.substr(1);
  if (name == "csv") return RowFormat::kCsv;
  if (name == "json") return RowFormat::kJson;
  if (name == "arrow" || name == "feather") return RowFormat::kArrow;
  if (name != "parquet") return RowFormat::kText;
  if (IsStandardOutput(flags.file))
    return std::unexpected(Error{"Parquet needs a file", "--output", "-o FILE.parquet"});
  return std::nullopt;
}

Result<QueryOptions> OptionsOf(const QueryFlags& flags, ProgressLine& line) {
  auto settings = ReadSettings(flags.question.settings);
  if (!settings) return std::unexpected(settings.error());
  QueryOptions options;
  options.analyze.steps = flags.question.steps;
  options.analyze.ranks = flags.question.ranks;
  options.analyze.most_names = flags.question.most_names;
  options.open.threads = flags.question.threads;
  options.open.settings = std::move(*settings);
  options.open.max_input = flags.question.max_input;
  if (!flags.question.quiet)
    options.open.on_progress = [&](const Progress& progress) { line.Show(progress); };
  options.memory = flags.memory;
  options.timeout = static_cast<int64_t>(std::round(flags.timeout * 1e9));
  return options;
}

void TellNotes(const std::vector<Note>& notes, Language language) {
  for (size_t n = 0; n < std::min(notes.size(), kMostNotes); ++n) {
    const std::string where = notes[n].where.empty() ? "" : " (" + notes[n].where + ")";
    Tell("note: " + In(language, notes[n].message) + where);
  }
  if (notes.size() > kMostNotes)
    Tell("note: and " + std::to_string(notes.size() - kMostNotes) + " more; SELECT * FROM notes");
}

// A reader such as head that has gone is not an error, and what it does not read is not made.
Result<void> WriteToOutput(QueryRows& rows, RowFormat format, const QueryFlags& flags,
                           Language language) {
  bool gone = false;
  const RowStyle style{.width = isatty(STDOUT_FILENO) != 0 ? StdoutStyle().width : 0,
                       .language = language};
  const auto written =
      WriteRows(rows, format, flags.limit, style, [&](std::string_view bytes) -> Result<void> {
        const bool fine = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() &&
                          std::fflush(stdout) == 0;
        if (fine) return {};
        gone = errno == EPIPE;
        return std::unexpected(Error{std::string("cannot write the answer: ") + strerror(errno),
                                     "standard output", ""});
      });
  if (!written && !gone) return std::unexpected(written.error());
  return {};
}

Result<void> WriteToFile(QueryRows& rows, RowFormat format, const QueryFlags& flags,
                         Language language) {
  FileWriter file(flags.file);
  if (const auto created = file.Create(); !created) return created;
  const auto written = WriteRows(rows, format, flags.limit, {.width = 0, .language = language},
                                 [&](std::string_view bytes) { return file.Append(bytes); });
  if (!written) return std::unexpected(written.error());
  if (const auto finished = file.Finish(); !finished) return finished;
  return file.CommitAndSync();
}

Result<void> Write(QueryRows rows, std::optional<RowFormat> format, const QueryFlags& flags) {
  const Language language =
      LanguageOf(flags.language, format.value_or(RowFormat::kCsv) == RowFormat::kText);
  TellNotes(rows.notes(), language);
  if (!IsStandardOutput(flags.file)) {
    if (const auto fine = CheckNotInput(flags.file, rows.files()); !fine) return fine;
  }
  if (!format) {
    const auto written = WriteParquet(std::move(rows), flags.file, flags.limit);
    if (!written) return std::unexpected(written.error());
    return {};
  }
  return IsStandardOutput(flags.file) ? WriteToOutput(rows, *format, flags, language)
                                      : WriteToFile(rows, *format, flags, language);
}

int RunSchema(const QueryFlags& flags) {
  ProgressLine line;
  const auto options = OptionsOf(flags, line);
  if (!options) return Fail(options.error());
  OutputFlags output{.format = flags.format, .language = flags.language, .file = flags.file};
  output.extent = TextStyle::Extent::kAll;
  if (const auto writable = CheckOutput(output); !writable) return Fail(writable.error());
  auto answer = QuerySchema(flags.words, *options);
  line.Clear();
  return PrintAndJudge(std::move(answer), output);
}

int RunQuery(const QueryFlags& flags) {
  KeepFreedMemory();
  if (flags.schema) return RunSchema(flags);
  if (flags.words.size() < 2) {
    return Fail({"missing the query", "",
                 "stepscope query PATH 'SELECT name, sum(duration) FROM kernels GROUP BY name'"});
  }
  const auto format = FormatOf(flags);
  if (!format) return Fail(format.error());
  if (const auto writable = CheckOutput(flags.file); !writable) return Fail(writable.error());
  std::string sql = flags.words.back();
  if (sql == "-") sql.assign(std::istreambuf_iterator<char>(std::cin), {});
  const LeavesNothing if_ended;
  ProgressLine line;
  const auto options = OptionsOf(flags, line);
  if (!options) return Fail(options.error());
  auto rows = Query(std::span(flags.words).first(flags.words.size() - 1), sql, *options);
  line.Clear();
  if (!rows) return Fail(rows.error());
  const auto written = Write(std::move(*rows), *format, flags);
  return written ? kDone : Fail(written.error());
}

void AddLimits(Command& command, QueryFlags& flags) {
  command.Take("--limit", flags.limit).Range(0, 1e18);
  command.TakeEach("--memory-limit", [&flags](const std::string& text) -> Result<void> {
    const auto size = ReadSize(text);
    if (!size) return std::unexpected(size.error());
    if (*size < 1e6 || *size > 1e18)
      return std::unexpected(Error{"the size must be 1 MB to 1e18 bytes", text, "4GB"});
    flags.memory = static_cast<int64_t>(*size);
    return {};
  });
  command.Take("--timeout", flags.timeout);
}

}  // namespace

void AddQuery(Command& root) {
  auto flags = std::make_shared<QueryFlags>();
  Command& command = root.Sub("query", "Answer SQL about events and all tables of reports");
  command.Argument("PATH... SQL", flags->words, "Traces, runs or ledgers; then one SELECT, or -");
  command.Switch("--schema", flags->schema);
  AddLimits(command, *flags);
  AddSelection(command, flags->question);
  command.Take("--format", flags->format)
      .Choices({"text", "csv", "json", "arrow", "parquet"})
      .Help("One of text, csv, json, arrow, parquet")
      .Default("suffix of -o");
  command.Take("--output", flags->file);
  AddLanguage(command, flags->language);
  command.Examples(
      {{"kernels by time",
        "stepscope query traces/ 'SELECT name, count(*), sum(duration) FROM kernels GROUP BY 1'"},
       {"a table of a report", "stepscope query traces/ 'FROM kernels.top LIMIT 5'"},
       {"two runs side by side",
        "stepscope query before/ after/ 'SELECT run, avg(step_time) FROM steps GROUP BY run'"},
       {"jobs of a ledger",
        "stepscope query ledger 'SELECT team, sum(lost_ns) FROM goodput_days GROUP BY 1'"},
       {"tables, columns and units", "stepscope query traces/ --schema"},
       {"as Parquet", "stepscope query traces/ 'FROM events' -o events.parquet"}});
  command.Notes(
      "Times are whole nanoseconds. A query asks and changes nothing, and reaches no file.\n"
      "It needs DuckDB's library; without it the error says how to get it.");
  command.Runs([flags] { return RunQuery(*flags); });
}

}  // namespace stepscope::cli
