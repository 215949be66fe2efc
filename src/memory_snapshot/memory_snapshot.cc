// Reads a snapshot, replays it, and reports.
#include "stepscope/memory_snapshot.h"

#include <algorithm>
#include <utility>

#include "base/unless_stopped.h"
#include "ingest/places.h"
#include "ingest/snapshot/snapshot_reader.h"
#include "memory_snapshot/replay.h"
#include "memory_snapshot/snapshot_report.h"
#include "report/findings.h"

namespace stepscope {
namespace {

Error At(Error error, const std::string& path) {
  error.where = error.where.empty() ? path : path + ", " + error.where;
  return error;
}

Result<ReportSet> Ask(const std::string& path, const MemorySnapshotOptions& options) {
  const Places places(options.storage);
  const auto item = places.Find(path);
  if (!item) return std::unexpected(item.error());
  ReadFailure failure;
  auto source = places.Open(path, nullptr, &failure);
  if (!source) return std::unexpected(source.error());
  const auto snapshot = ReadSnapshot(std::move(*source));
  if (const auto failed = failure.Get()) return std::unexpected(*failed);
  if (!snapshot) return std::unexpected(At(snapshot.error(), path));
  ReportSet answer;
  answer.run = {.name = path,
                .files = {{.path = path,
                           .rank = 0,
                           .events = static_cast<int64_t>(snapshot->events.size()),
                           .bytes = std::max<int64_t>(item->bytes, 0)}},
                .ranks = 1,
                .steps = "all"};
  answer.reports.push_back(memory::SnapshotReport(*snapshot, memory::ReplayAll(*snapshot)));
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
