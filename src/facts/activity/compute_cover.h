// Tells how much of any interval is covered by compute, by other device activity, or by one-time
// work of the host.
#pragma once

#include <cstdint>
#include <vector>

#include "base/intervals.h"
#include "base/narrow_array.h"
#include "facts/activity/rank_activity.h"

namespace stepscope {

class ComputeCover {
 public:
  // The covers of all devices of a recording, by their index.
  static std::vector<ComputeCover> Of(const RankActivity& rank, KindSet kinds = {Kind::kCompute});

  static ComputeCover OfOneTimeWork(const HostOps& host);

  // ns of [start, end) during which any activities of those kinds ran.
  int64_t Within(int64_t start, int64_t end) const;

 private:
  // Makes `last`, the stretch not yet appended, longer by `next` if they touch; else appends it and
  // begins anew.
  void Extend(Interval& last, const Interval& next);
  void Append(const Interval& stretch);
  // Of everything before `time`.
  int64_t Before(int64_t time) const;

  // Stretches without a gap.
  NarrowArray<int64_t> starts_, lengths_;
  NarrowArray<int64_t> before_;  // of all stretches before it
};

}  // namespace stepscope
