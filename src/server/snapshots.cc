// Reads one snapshot at a time.
#include "server/snapshots.h"

#include <algorithm>
#include <filesystem>
#include <stop_token>
#include <system_error>
#include <utility>

#include "server/watched.h"
#include "stepscope/language.h"
#include "stepscope/memory_snapshot.h"
#include "stepscope/write.h"

namespace stepscope::server {
namespace {

constexpr size_t kMostKept = 8;

// Another one when the file changes.
uint64_t VersionOf(const std::string& path) {
  std::error_code failed;
  const auto written = std::filesystem::last_write_time(path, failed).time_since_epoch().count();
  const auto size = std::filesystem::file_size(path, failed);
  return static_cast<uint64_t>(written) * 31 + size;
}

}  // namespace

Result<ReportSet> AskSnapshot(const SnapshotView& snapshot, const std::stop_token& stop) {
  MemorySnapshotOptions options;
  options.stop = stop;
  options.trace = snapshot.trace;
  options.pictures = true;
  auto answer = ReadMemorySnapshot(snapshot.path, options);
  if (answer || snapshot.trace.empty() || stop.stop_requested()) return answer;
  const Error of_trace = answer.error();
  options.trace.clear();
  answer = ReadMemorySnapshot(snapshot.path, options);
  if (answer && !answer->reports.empty())
    answer->reports.front().notes.push_back({"trace_not_joined", 1,
                                             "the traces beside the snapshot were not joined: they "
                                             "could not be read, or are of other ranks",
                                             snapshot.trace});
  return answer;
}

std::shared_ptr<const Body> Snapshots::Find(const std::string& path, uint64_t version) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(kept_, path, &Kept::path);
  if (found == kept_.end() || found->version != version) return nullptr;
  kept_.splice(kept_.begin(), kept_, found);
  return found->answer;
}

Attempt<std::shared_ptr<const Body>> Snapshots::Ask(const SnapshotView& snapshot,
                                                    const Gone& gone) {
  const uint64_t version = VersionOf(snapshot.path);
  if (auto kept = Find(snapshot.path, version)) return kept;
  std::unique_lock busy(busy_, std::defer_lock);
  while (!busy.try_lock_for(kLookAfter))
    if (gone()) return std::unexpected(kNobodyThere);
  if (auto kept = Find(snapshot.path, version)) return kept;  // of who asked the same before
  std::stop_source stop;
  const Watched watched(gone, [&] { stop.request_stop(); });
  const auto answer = AskSnapshot(snapshot, stop.get_token());
  if (!answer && stop.stop_requested()) return std::unexpected(kNobodyThere);
  if (!answer) return std::unexpected(Failure{422, answer.error()});
  auto body = MakeBody("application/json", ToJson(*answer, kOtherLanguages));
  const std::lock_guard lock(mutex_);
  std::erase_if(kept_, [&](const Kept& kept) { return kept.path == snapshot.path; });
  kept_.push_front({snapshot.path, version, body});
  if (kept_.size() > kMostKept) kept_.pop_back();
  return body;
}

}  // namespace stepscope::server
