// Keeps for each clock how far it is from the trace's, BOOTTIME.
#include "ingest/perfetto/trace_clocks.h"

#include <utility>
#include <vector>

#include "base/proto.h"
#include "ingest/common/perfetto_fields.h"
#include "ingest/common/reader_limits.h"

namespace stepscope::perfetto {
namespace {

struct Reading {
  uint32_t clock = 0;
  int64_t time = 0;  // ns
  int64_t multiplier = 1;
  bool incremental = false;
};

// A count of units in ns. Nothing beyond what times may be.
std::optional<int64_t> InNs(uint64_t count, int64_t multiplier) {
  if (count > static_cast<uint64_t>(kMaxTime / multiplier)) return std::nullopt;
  return static_cast<int64_t>(count) * multiplier;
}

std::optional<Reading> ReadingOf(std::string_view clock) {
  Reading reading;
  uint64_t count = 0, multiplier = 1;
  ReadFields(clock, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case VarintField(kSnapshotClock):
        reading.clock = field.get_uint32();
        break;
      case VarintField(kSnapshotTime):
        count = field.get_uint64();
        break;
      case VarintField(kClockIncremental):
        reading.incremental = field.get_bool();
        break;
      case VarintField(kClockMultiplier):
        multiplier = field.get_uint64();
        break;
      default:
        field.skip();
    }
  });
  constexpr uint64_t kMostMultiplier = 1'000'000'000'000;
  if (multiplier == 0 || multiplier > kMostMultiplier) return std::nullopt;
  reading.multiplier = static_cast<int64_t>(multiplier);
  const auto time = InNs(count, reading.multiplier);
  if (!time) return std::nullopt;
  reading.time = *time;
  return reading;
}

}  // namespace

uint64_t TraceClocks::KeyOf(uint32_t clock, uint32_t sequence) {
  const bool of_sequence = clock >= kFirstOfSequence && clock < kFirstGlobal;
  return of_sequence ? uint64_t{sequence} << 32 | clock : clock;
}

void TraceClocks::TakeSnapshot(std::string_view snapshot, uint32_t sequence) {
  std::vector<Reading> readings;
  ForEachField(BytesField(kClock), snapshot, [&](pbf_reader& field) {
    if (const auto reading = ReadingOf(field.get_view())) readings.push_back(*reading);
  });
  std::optional<int64_t> now;  // the trace's time
  for (const Reading& reading : readings) {
    if (reading.clock == kBoottime) now = reading.time;
  }
  for (const Reading& reading : readings) {
    const auto known = OffsetOf(reading.clock, sequence);
    if (!now && known) now = reading.time + *known;
  }
  for (const Reading& reading : readings) {
    State& state = clocks_[KeyOf(reading.clock, sequence)];
    state.value = reading.time;
    state.multiplier = reading.multiplier;
    state.incremental = reading.incremental;
    if (!now) continue;
    state.offset = *now - reading.time;
    if (reading.clock == kRealtime && !since_1970_) since_1970_ = reading.time - *now;
  }
}

std::optional<int64_t> TraceClocks::Read(uint64_t timestamp, uint32_t clock, uint32_t sequence) {
  const auto known = clocks_.find(KeyOf(clock, sequence));
  if (known == clocks_.end()) return InNs(timestamp, 1);
  State& state = known->second;
  const auto time = InNs(timestamp, state.multiplier);
  if (!time || !state.incremental) return time;
  if (*time > kMaxTime - state.value) return std::nullopt;
  state.value += *time;
  return state.value;
}

std::optional<int64_t> TraceClocks::OffsetOf(uint32_t clock, uint32_t sequence) const {
  if (clock == 0 || clock == kBoottime) return 0;
  const auto known = clocks_.find(KeyOf(clock, sequence));
  return known == clocks_.end() ? std::nullopt : known->second.offset;
}

}  // namespace stepscope::perfetto
