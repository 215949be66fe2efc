// Writes every table of a query as a Parquet file.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/system_error.h"
#include "query/catalog.h"
#include "query/watch.h"
#include "query/write_parquet.h"
#include "report/columns.h"
#include "stepscope/query.h"

namespace stepscope {
namespace query {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEventFolder = "events";

class ParquetFolder {
 public:
  ParquetFolder(Connection& connection, std::string folder)
      : connection_(&connection), folder_(std::move(folder)) {}

  Result<void> Make() const {
    std::error_code error;
    const fs::path events = fs::path(folder_) / kEventFolder;
    fs::create_directories(events, error);
    if (!error) return {};
    return std::unexpected(SystemError("cannot make the directory", error.value(), events));
  }

  Result<void> Write(const std::string& name, std::shared_ptr<const SqlTable> table) {
    const std::string file = name + ".parquet";
    const std::string path = fs::path(folder_) / file;
    const std::string function = fmt::format("stepscope_{}", files_.rows.size());
    const auto written = WriteTable(*connection_, function, std::move(table), path);
    if (!written) return written;
    std::error_code none;
    files_.rows.push_back({file, static_cast<int64_t>(fs::file_size(path, none))});
    return {};
  }

  Table Files() && { return std::move(files_); }

 private:
  Connection* connection_;
  std::string folder_;
  Table files_{.key = "files",
               .title = "Files",
               .columns = {KeyColumn("path", "file"), BytesColumn("bytes", "size")},
               .rows = {}};
};

// One file for each rank: more than a rank need not fit in memory.
Result<void> WriteEvents(ParquetFolder& folder, const OpenRuns& open, const EventScope& scope) {
  for (size_t r = 0; r < open.runs.size(); ++r) {
    for (const int64_t rank : RanksOf(open.runs[r], scope)) {
      EventScope of_rank = scope;
      of_rank.runs = {open.runs[r]};
      of_rank.ranks = {rank};
      const std::string name = open.runs.size() == 1 ? fmt::format("rank_{}", rank)
                                                     : fmt::format("run_{}_rank_{}", r, rank);
      const auto written = folder.Write(fmt::format("{}/{}", kEventFolder, name),
                                        MakeEventTable(EventTables().front(), of_rank));
      if (!written) return written;
    }
  }
  return {};
}

ReportSet Written(const OpenRuns& open, Table files) {
  Report report{.analysis = "export", .title = "Export"};
  int64_t bytes = 0;
  for (const auto& row : files.rows) bytes += std::get<int64_t>(row[1]);
  report.headline =
      Say("{count} Parquet files were written, {bytes} bytes.", files.rows.size(), bytes);
  report.tables.push_back(std::move(files));
  ReportSet answer{.run = open.answers.front().answer.run};
  answer.verdict = report.headline;
  answer.reports.push_back(std::move(report));
  return answer;
}

}  // namespace
}  // namespace query

Result<ReportSet> ExportParquet(std::span<const std::string> paths, const ParquetExport& options) {
  const QueryOptions& how = options.query;
  const auto connection = query::Connection::Open(
      query::Reach::kFiles, {.memory = how.memory, .threads = how.open.threads});
  if (!connection) return std::unexpected(connection.error());
  query::ParquetFolder folder(**connection, options.folder);
  if (const auto made = folder.Make(); !made) return std::unexpected(made.error());
  const query::Watch watch(**connection, how.timeout, how.stop);
  const auto told = [&](const Error& error) { return watch.Ended().value_or(error); };
  const auto open =
      query::OpenPaths(paths, {.analyses = {}, .all = true, .events = true}, how, watch.token());
  if (!open) return std::unexpected(told(open.error()));
  const query::EventScope scope{.runs = open->runs,
                                .ranks = how.analyze.ranks,
                                .threads = how.open.threads,
                                .stop = watch.token()};
  if (const auto events = query::WriteEvents(folder, *open, scope); !events)
    return std::unexpected(told(events.error()));
  for (const query::NamedTable& table : query::ReportTables(open->answers)) {
    if (const auto written = folder.Write(query::FullName(table), table.table); !written)
      return std::unexpected(told(written.error()));
  }
  return query::Written(*open, std::move(folder).Files());
}

}  // namespace stepscope
