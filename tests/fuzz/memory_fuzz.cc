// Fuzzes the way from the bytes of a memory snapshot to its report: no total is above what was
// reserved.
#include <string_view>

#include "ingest/snapshot/snapshot_reader.h"
#include "memory_snapshot/curves.h"
#include "memory_snapshot/replay.h"
#include "memory_snapshot/snapshot_report.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::memory_fuzz {
namespace {

void Fuzz(std::string_view bytes) {
  const auto snapshot = ReadSnapshot(ByteSource::FromMemory(bytes));
  if (!snapshot) return;
  const auto replays = memory::ReplayAll(*snapshot);
  for (const auto& replay : replays)
    Require(!replay.possible || replay.peak <= replay.reserved_peak);
  const Report report = memory::SnapshotReport(*snapshot, replays, {.pictures = true});
  Require(!report.analysis.empty());
  for (const Series& series : report.series) Require(series.points.size() <= memory::kMostMoments);
}

const fuzz::Register kTarget({.name = "memory", .run = &Fuzz, .form = fuzz::Form::kPickle});

}  // namespace
}  // namespace stepscope::memory_fuzz
