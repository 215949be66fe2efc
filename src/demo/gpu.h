// Simulates one device with a compute and a communication stream: start and end of activities.
//
// Work of one stream runs in order and never overlaps. Compute is placed in time as it is launched;
// collectives wait until every rank has launched theirs (Meet in rank_job.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace stepscope::demo {

// When something ran.
struct Slot {
  int64_t start = 0, end = 0;
};

class Gpu {
 public:
  // The host may be this many launches ahead of the compute stream; then a launch call blocks.
  static constexpr size_t kQueue = 1024;

  // When the compute stream has room in its queue for one more launch.
  int64_t QueueHasRoomAt() const { return starts_[launches_ % kQueue]; }

  // Places work on the compute stream that can start at `earliest` and begins `gap` after its
  // predecessor's end at the soonest.
  Slot Run(int64_t earliest, int64_t gap, int64_t duration) {
    const int64_t start = std::max(earliest, compute_free_ + gap);
    compute_free_ = start + duration;
    starts_[launches_++ % kQueue] = start;
    return {start, compute_free_};
  }

  // When a collective launched now could start, if it only depended on this rank: once the compute
  // stream has done what the communication stream waits for.
  int64_t CommReadyAt(int64_t earliest) const { return std::max(earliest, comm_waits_for_); }

  // Places a collective on the communication stream. REQUIRES: start >= comm_free().
  void RunCollective(const Slot& slot) { comm_free_ = slot.end; }

  // Takes over when the streams are free, where all work of a step was placed at once (meetings.h).
  void Adopt(int64_t compute_free, int64_t comm_free) {
    compute_free_ = compute_free;
    comm_free_ = comm_free;
  }

  void CommWaitsForCompute() { comm_waits_for_ = compute_free_; }
  void ComputeWaitsForComm() { compute_free_ = std::max(compute_free_, comm_free_); }

  // The end of the last work placed on a stream.
  int64_t compute_free() const { return compute_free_; }
  int64_t comm_free() const { return comm_free_; }

 private:
  int64_t compute_free_ = 0;
  int64_t comm_free_ = 0;
  int64_t comm_waits_for_ = 0;
  std::array<int64_t, kQueue> starts_ = {};
  size_t launches_ = 0;
};

}  // namespace stepscope::demo
