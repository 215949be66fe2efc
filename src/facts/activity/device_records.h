// Holds a device's records other than activities: details of collectives and copies,
// synchronization, annotations on the device, hardware counters.
#pragma once

#include <unordered_map>

#include "facts/activity/rank_activity.h"
#include "trace/sparse_walk.h"

namespace stepscope {

// Collects what collectives and copies say about themselves into `out`.
class ActivityDetails {
 public:
  ActivityDetails(const Trace& trace, RankActivity& out);

  // The index that Activity::detail takes for this event, or kNoDetail. REQUIRES: ascending events.
  int32_t Take(EventId event);

 private:
  int32_t TakeKernel(EventId event);
  int32_t TakeCollective(EventId event);
  int32_t TakeCopy(EventId event);

  const Trace& trace_;
  RankActivity& out_;
  struct Hash {
    size_t operator()(const KernelDetail& detail) const;
  };
  std::unordered_map<KernelDetail, int32_t, Hash> kernels_;  // each to its index in out_.kernels
  SparseWalk<StringId> operations_, groups_, descriptions_, members_, types_, framework_ops_,
      hlo_ops_, hlo_modules_, hlo_categories_, sources_;
  SparseWalk<int64_t> configs_, flops_, accessed_;
  SparseWalk<int64_t> in_, out_elements_, sizes_, sequences_, senders_, receivers_, dispatches_,
      bytes_;
  SparseWalk<double> bandwidths_;
};

// Collects synchronizations, annotations and counters into `out`.
class DeviceRecords {
 public:
  DeviceRecords(const Trace& trace, RankActivity& out);

  // Takes the event if it is one of these. REQUIRES: ascending events.
  void Take(EventId event);
  // To be called once, after the last event: puts them in order of time.
  void Finish();

 private:
  int64_t Start(EventId event) const { return trace_.starts()[event]; }
  int64_t End(EventId event) const { return Start(event) + trace_.durations()[event]; }
  const Track& TrackOf(EventId event) const { return trace_.tracks[trace_.tracks_of()[event]]; }
  void TakeSync(EventId event);
  void TakeRange(EventId event);
  void TakeCounter(EventId event);

  const Trace& trace_;
  RankActivity& out_;
  SparseWalk<int64_t> correlations_, wait_streams_, wait_correlations_;
  SparseWalk<double> values_;
  size_t last_range_ = SIZE_MAX;  // of counters
};

}  // namespace stepscope
