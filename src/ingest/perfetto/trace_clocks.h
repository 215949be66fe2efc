// Relates the clocks of a Perfetto trace by its snapshots, in which several were read at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace stepscope::perfetto {

class TraceClocks {
 public:
  // Takes a ClockSnapshot of a sequence. What is not as expected is passed over.
  void TakeSnapshot(std::string_view snapshot, uint32_t sequence);

  // The value of a packet's timestamp in its clock, in ns. Of an incremental clock the timestamp is
  // what passed since the packet before. Nothing if the value cannot be held.
  std::optional<int64_t> Read(uint64_t timestamp, uint32_t clock, uint32_t sequence);

  // What added to a value of the clock, in ns, gives the trace's time, by the newest snapshot.
  // Nothing: no snapshot relates them.
  std::optional<int64_t> OffsetOf(uint32_t clock, uint32_t sequence) const;

  // What added to the trace's time gives ns since 1970, by the first snapshot that tells.
  std::optional<int64_t> since_1970() const { return since_1970_; }

 private:
  struct State {
    int64_t value = 0;  // of an incremental clock: of the last packet
    int64_t multiplier = 1;
    bool incremental = false;
    std::optional<int64_t> offset;
  };
  static uint64_t KeyOf(uint32_t clock, uint32_t sequence);

  std::unordered_map<uint64_t, State> clocks_;
  std::optional<int64_t> since_1970_;
};

}  // namespace stepscope::perfetto
