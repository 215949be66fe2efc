// Lists the framework's operators of a host, without repeated ones, and the activities that each
// launched.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "facts/activity/rank_activity.h"

namespace stepscope {

// Whether an operator range of this name is one of the framework's. What older profilers recorded
// as operators though it only spans them is none: data loaders, optimizers, data-parallel wrappers.
bool IsOperatorName(std::string_view name);

// For each range of a host the operator it is, or is inside of. An operator that calls nothing but
// one of its own name, as an overload calls another, is one with it.
class OperatorTree {
 public:
  OperatorTree(const StringTable& names, const HostOps& host);

  size_t size() const { return op_.size(); }
  // The range of the operator that `range` is or is inside of; kNoRange for none.
  int32_t Of(int32_t range) const {
    return range == kNoRange ? kNoRange : op_[static_cast<size_t>(range)];
  }
  bool IsOperator(size_t range) const { return op_[range] == static_cast<int32_t>(range); }
  // The operator that called this one, or kNoRange.
  int32_t CallerOf(size_t op) const { return Of(callers_[op]); }

  // Whether operators are TensorFlow's.
  bool of_tensorflow() const { return of_tensorflow_; }

 private:
  bool of_tensorflow_ = false;
  RangeLinks op_;       // by range
  RangeLinks callers_;  // by range: the operator range around it
};

// The operator whose call launched `activity`, as a range of the host; kNoRange for none.
inline int32_t OperatorOf(const RankActivity& rank, const OperatorTree& tree,
                          const Activity& activity) {
  const auto call = rank.CallOf(activity);
  return !call ? kNoRange : tree.Of(call->range);
}

// How the framework names the operator this activity is for, where the trace says it of the
// activity itself, or else the compiler's operation. kNoString where it says neither.
StringId NamedOperator(const StringTable& names, const KernelDetail* kernel);

// For each range that is an operator, its time without the operators it called and without calls
// of the runtime (of TensorFlow with them, as XProf has it): never negative, whatever overlaps. 0
// for other ranges.
NarrowArray<int64_t> SelfTimes(const HostOps& host, const OperatorTree& tree);

}  // namespace stepscope
