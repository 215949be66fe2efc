// Reads a snapshot, replays it, and reports.
#include "stepscope/memory_snapshot.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/unless_stopped.h"
#include "ingest/places.h"
#include "ingest/snapshot/snapshot_reader.h"
#include "memory_snapshot/replay.h"
#include "memory_snapshot/snapshot_report.h"
#include "report/findings.h"
#include "stepscope/find_runs.h"

namespace stepscope {
namespace {

Error At(Error error, const std::string& path) {
  error.where = error.where.empty() ? path : path + ", " + error.where;
  return error;
}

struct Asked {
  std::string snapshot, trace;  // empty: none
};

// A folder holds a snapshot, and beside it the traces of its process.
Result<Asked> Resolve(const std::string& path, const MemorySnapshotOptions& options) {
  std::error_code failed;
  if (!std::filesystem::is_directory(path, failed)) return Asked{path, options.trace};
  const auto snapshots = FindMemorySnapshots(path);
  if (snapshots.size() != 1)
    return std::unexpected(Error{snapshots.empty() ? "there is no memory snapshot here"
                                                   : "there are several memory snapshots here",
                                 path,
                                 "give a file that torch.cuda.memory._dump_snapshot() wrote"});
  const bool traces = options.trace.empty() && !FindRuns(path).empty();
  return Asked{snapshots.front(), traces ? path : options.trace};
}

Result<Report> ReportOf(const MemorySnapshot& snapshot, const std::string& trace_path,
                        const MemorySnapshotOptions& options) {
  const auto replays = memory::ReplayAll(snapshot);
  std::optional<memory::HostTrace> trace;
  if (!trace_path.empty() && !replays.empty()) {
    auto read = memory::ReadHostTrace(trace_path, memory::LeadingOf(replays).device,
                                      {.storage = options.storage, .stop = options.stop});
    if (!read) return std::unexpected(read.error());
    trace = std::move(*read);
  }
  return memory::SnapshotReport(snapshot, replays,
                                {.pictures = options.pictures, .trace = trace ? &*trace : nullptr});
}

Result<ReportSet> Ask(const std::string& given, const MemorySnapshotOptions& options) {
  const auto asked = Resolve(given, options);
  if (!asked) return std::unexpected(asked.error());
  const std::string& path = asked->snapshot;
  const Places places(options.storage);
  const auto item = places.Find(path);
  if (!item) return std::unexpected(item.error());
  ReadFailure failure;
  auto source = places.Open(path, nullptr, &failure);
  if (!source) return std::unexpected(source.error());
  const auto snapshot = ReadSnapshot(std::move(*source));
  if (const auto failed = failure.Get()) return std::unexpected(*failed);
  if (!snapshot) return std::unexpected(At(snapshot.error(), path));
  auto report = ReportOf(*snapshot, asked->trace, options);
  if (!report) return std::unexpected(report.error());
  ReportSet answer;
  answer.run = {.name = path,
                .files = {{.path = path,
                           .rank = 0,
                           .events = static_cast<int64_t>(snapshot->events.size()),
                           .bytes = std::max<int64_t>(item->bytes, 0)}},
                .ranks = 1,
                .steps = "all"};
  answer.reports.push_back(std::move(*report));
  answer.verdict = answer.reports.front().headline;
  JoinFindings(answer, {});
  return answer;
}

}  // namespace

Result<ReportSet> ReadMemorySnapshot(const std::string& path,
                                     const MemorySnapshotOptions& options) {
  return UnlessStopped(options.stop, "the question was canceled",
                       [&] { return Ask(path, options); });
}

}  // namespace stepscope
