// Answers SQL about runs: their events, and every table of every report.
//
//   auto rows = stepscope::Query({"traces/"}, "SELECT name, sum(duration) FROM kernels GROUP BY
//   1"); if (!rows) return Print(rows.error()); while (true) {
//     auto part = rows->Next();
//     ...
//   }
//
// DuckDB answers, which is loaded when it is first asked: without it every query fails with how to
// get it, and nothing else changes. docs/query.md describes the tables. Only what a statement names
// is read and computed. A statement asks and changes nothing, and reaches no file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/columns.h"
#include "stepscope/language.h"
#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/session.h"

namespace stepscope {

// Another file that may be DuckDB, where it is in none of the usual places: one that only this
// process can load. To be called before the first query.
void AlsoFindDuckDb(std::string file);

struct QueryOptions {
  AnalyzeOptions analyze;  // of reports; `ranks` is of events too. `only` and `stop` do not count
  OpenOptions open;        // `analyses`, keep_events, keep_traces and `stop` do not count
  int64_t memory = 0;      // most bytes of DuckDB's own; 0: 80% of the machine's
  int64_t timeout = 0;     // ns for reading and answering, until the last row; 0: none
  int64_t most_text = 0;   // most bytes of text in all rows; more is an error; 0: no limit
  std::stop_token stop;    // gives reading and answering up
};

// A run that is open already.
struct QueriedRun {
  std::string name;  // what the column `run` says
  const Session* session = nullptr;
};

struct QueryColumn {
  std::string name;  // unique: a second "n" is "n_2"
  ColumnType type = ColumnType::kText;
  bool boolean = false;  // 0 is false and 1 is true; the type is kInt8
};

// The rows of an answer, made as they are fetched. A number that a column of its type cannot hold,
// as of a HUGEINT beyond 64 bits, is an error; dates, lists and other types are text.
class QueryRows {
 public:
  struct State;
  explicit QueryRows(std::unique_ptr<State> state);
  QueryRows(QueryRows&&) noexcept;
  QueryRows& operator=(QueryRows&&) noexcept;
  ~QueryRows();

  const std::vector<QueryColumn>& columns() const;
  // Irregularities of what was read, by file.
  const std::vector<Note>& notes() const;
  // The files that were read, of all runs.
  std::vector<InputFile> files() const;
  // The next rows, about as many; none at the end.
  Result<Columns> Next(size_t about = 65536);

 private:
  std::unique_ptr<State> state_;
};

// The runs below these paths, as FindRuns() tells them apart; files are one run together.
Result<QueryRows> Query(std::span<const std::string> paths, const std::string& sql,
                        const QueryOptions& options = {});

// Of sessions that outlive the rows. An analysis that one was not opened for is an error.
Result<QueryRows> Query(std::vector<QueriedRun> runs, const std::string& sql,
                        const QueryOptions& options = {});

// The tables there are, a row for each column: table, column, type, unit and what it is.
Result<ReportSet> QuerySchema(std::span<const std::string> paths, const QueryOptions& options = {});

enum class RowFormat : uint8_t { kText, kCsv, kJson, kArrow };

// Text for people: columns aligned, names from traces printable. `width`: columns of a terminal
// that texts are shortened for; 0: none are.
struct RowStyle {
  int width = 0;
  Language language = Language::kEnglish;
};

struct WrittenRows {
  int64_t rows = 0;
  bool cut = false;  // there are more than `limit`
};

// Hands the rows to `write` piece by piece, at most `limit` of them (0: all). kArrow is the file
// format of Arrow IPC (Feather 2). Stops at what `write` fails with.
Result<WrittenRows> WriteRows(QueryRows& rows, RowFormat format, int64_t limit,
                              const RowStyle& style,
                              const std::function<Result<void>(std::string_view)>& write);

// Writes them as a Parquet file, which appears under its name once it is complete.
Result<WrittenRows> WriteParquet(QueryRows rows, const std::string& file, int64_t limit = 0);

struct ParquetExport {
  std::string folder;  // made where it is missing
  QueryOptions query;
};

// Writes the events of every rank, events/rank=0.parquet and so on, and each table that has rows.
Result<ReportSet> ExportParquet(std::span<const std::string> paths, const ParquetExport& options);

}  // namespace stepscope
