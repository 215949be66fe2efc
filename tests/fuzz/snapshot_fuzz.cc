// Fuzzes the reading of memory snapshots: whatever the bytes, there is a report or an error, and
// no total is above what was reserved.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "ingest/snapshot/snapshot_reader.h"
#include "memory_snapshot/curves.h"
#include "memory_snapshot/replay.h"
#include "memory_snapshot/snapshot_report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const auto snapshot =
      ReadSnapshot(ByteSource::FromMemory({reinterpret_cast<const char*>(data), size}));
  if (!snapshot) {
    if (snapshot.error().what.empty()) std::abort();
    return 0;
  }
  const auto replays = memory::ReplayAll(*snapshot);
  for (const auto& replay : replays)
    if (replay.possible && replay.peak > replay.reserved_peak) std::abort();
  const Report report = memory::SnapshotReport(*snapshot, replays, {.pictures = true});
  if (report.analysis.empty()) std::abort();
  for (const Series& series : report.series)
    if (series.points.size() > memory::kMostMoments) std::abort();
  return 0;
}
