// Finds the training phase of the host: forward, backward, optimizer, data loading.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/activity/rank_activity.h"

namespace stepscope {

// The phase comes from the outermost range that tells. Where none does, autograd's threads are in
// backward, the others in forward until the step's first backward, and in no phase afterwards.
class RangePhases {
 public:
  // `rank` must outlive this.
  RangePhases(const StringTable& names, const RankActivity& rank);

  // The phase of what a thread does at `time` within `range`.
  Phase At(int32_t range, uint32_t thread, int64_t time) const;
  // What the ranges around it say, and itself; kOther where none tells.
  Phase Told(size_t range) const { return told_[range]; }
  // Whether any range tells of backward: without, nothing can be said to be outside of it.
  bool HasBackward() const { return has_backward_; }

 private:
  static constexpr int8_t kUnknown = -1;
  Phase Named(const StringTable& names, StringId name);

  const RankActivity& rank_;
  std::vector<int8_t> by_name_;
  std::vector<Phase> told_;              // by range
  std::vector<int64_t> first_backward_;  // by step
  std::vector<bool> autograd_only_;      // by thread
  bool has_backward_ = false;
};

}  // namespace stepscope
