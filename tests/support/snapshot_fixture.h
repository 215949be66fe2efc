// Writes small memory snapshots for tests.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/snapshot/snapshot_reader.h"
#include "memory_snapshot/replay.h"
#include "memory_snapshot/snapshot_report.h"
#include "tests/support/pickle_writer.h"

namespace stepscope::memory::testing {

using stepscope::testing::Dict;
using stepscope::testing::List;
using stepscope::testing::Pickle;
using stepscope::testing::Pickled;

// A stack of one place in the code.
inline Pickled At(int line, std::string_view name) {
  return List({Dict({{"name", name}, {"filename", "train.py"}, {"line", line}})});
}

inline Pickled Change(std::string_view action, int64_t address, int64_t size, int64_t time,
                      const Pickled& frames = List({})) {
  return Dict({{"action", action},
               {"addr", address},
               {"size", size},
               {"time_us", time},
               {"frames", frames}});
}

inline Pickled Block(int64_t address, int64_t size, int64_t requested, std::string_view state,
                     const Pickled& frames = List({})) {
  return Dict({{"address", address},
               {"size", size},
               {"requested_size", requested},
               {"state", state},
               {"frames", frames}});
}

inline Pickled Segment(int64_t total, int64_t allocated, const std::vector<Pickled>& blocks) {
  return Dict({{"device", 0},
               {"address", 0},
               {"total_size", total},
               {"allocated_size", allocated},
               {"blocks", List(blocks)}});
}

inline Pickled Range(std::string_view name, std::string_view stage, int64_t time) {
  return Dict({{"name", name}, {"stage", stage}, {"device", 0}, {"time_us", time}});
}

inline std::string Snapshot(const std::vector<Pickled>& segments,
                            const std::vector<Pickled>& events,
                            const std::vector<Pickled>& ranges = {}) {
  return Pickle(Dict({{"segments", List(segments)},
                      {"device_traces", List({List(events)})},
                      {"external_annotations", List(ranges)}}));
}

// REQUIRES: the pickle is a snapshot.
inline MemorySnapshot Read(const std::string& pickle) {
  auto snapshot = ReadSnapshot(ByteSource::FromMemory(pickle));
  if (!snapshot) throw std::runtime_error(snapshot.error().what);
  return std::move(*snapshot);
}

inline Report ReportOn(const std::string& pickle, const ReportParts& parts = {}) {
  const MemorySnapshot snapshot = Read(pickle);
  return SnapshotReport(snapshot, ReplayAll(snapshot), parts);
}

// Null where there is none.
inline const Table* Find(const Report& report, std::string_view key) {
  for (const Table& table : report.tables)
    if (table.key == key) return &table;
  return nullptr;
}

}  // namespace stepscope::memory::testing
