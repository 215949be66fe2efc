// Sums the time a device spent in every combination of compute, communication and memory activity
// running at once.
//
// Every breakdown follows from these eight numbers, which is why they agree with one another:
// busy is all but "nothing", compute is every combination with compute in it, exposed communication
// is communication without compute. They are unions: two kernels of one kind at once count once.
#pragma once

#include <array>
#include <cstdint>

#include "trace/vocabulary.h"

namespace stepscope {

// Bits of a combination.
inline constexpr unsigned kComputeBit = 1, kCommunicationBit = 2, kMemoryBit = 4;
inline constexpr unsigned kCombinations = 8;

constexpr unsigned CombinationBit(Kind kind) {
  if (kind == Kind::kCompute) return kComputeBit;
  return kind == Kind::kCommunication ? kCommunicationBit : kMemoryBit;
}

struct Occupancy {
  int64_t first = 0;                          // start of the first activity, ns
  int64_t last = 0;                           // end of the last one to end, ns
  bool any = false;                           // whether there were any activities
  std::array<int64_t, kCombinations> time{};  // ns by combination of bits; [0] is idle

  int64_t Span() const { return last - first; }
  int64_t Idle() const { return time[0]; }
  int64_t Busy() const { return Span() - Idle(); }
  int64_t Compute() const { return Having(kComputeBit); }
  int64_t Communication() const { return Having(kCommunicationBit); }
  int64_t Memory() const { return Having(kMemoryBit); }
  int64_t Overlapped() const {
    return time[kComputeBit | kCommunicationBit] +
           time[kComputeBit | kCommunicationBit | kMemoryBit];
  }
  int64_t Exposed() const { return Communication() - Overlapped(); }

 private:
  int64_t Having(unsigned bit) const {
    int64_t sum = 0;
    for (unsigned c = 0; c < kCombinations; ++c) sum += (c & bit) != 0 ? time[c] : 0;
    return sum;
  }
};

// Builds an Occupancy from activities in the order of their starts, in one pass without sorting: at
// any moment it is enough to know until when each of the three is running.
class OccupancySweep {
 public:
  // REQUIRES: `start` is not before that of the previous call; start <= end.
  void Add(unsigned bit, int64_t start, int64_t end);
  Occupancy Finish();

 private:
  void AdvanceTo(int64_t time);

  Occupancy sum_;
  int64_t now_ = 0;
  std::array<int64_t, 3> until_{};  // compute, communication, memory
};

}  // namespace stepscope
