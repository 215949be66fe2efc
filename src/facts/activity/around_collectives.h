// Measures the own compute time of operators that contain collectives, compilation or data loading.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/intervals.h"
#include "facts/activity/host_ops.h"

namespace stepscope {

// What a range is where the host's processors are the device.
enum class HostMeaning : uint8_t {
  kOther,
  kCompute,
  kCollective,   // the record that a library makes of a collective or message
  kDispatch,     // the framework's call that starts one; who called it may wait without a record
  kFunctional,   // a call that starts one, for which another such call waits
  kPreparation,  // loads data or compiles, with all that runs within
};

class AroundCollectives {
 public:
  // `meanings`: of each range.
  AroundCollectives(const HostOps& host, const std::vector<HostMeaning>& meanings);

  // Whether the range holds a collective, a call that starts one, or a preparation, of its own
  // thread.
  bool Has(size_t range) const { return has_[range]; }
  // The longest stretch in which such a range computes itself: outside of the operators within it,
  // and before a dispatch. Later it may be waiting, or be about to go on after it. One stretch, so
  // that calls are counted once.
  std::optional<Interval> OwnOf(size_t range) const;

 private:
  struct Operator {
    int64_t covered = 0;    // ns: until when ranges within it cover it
    bool may_wait = false;  // it has dispatched
    Interval own{0, 0};     // the longest stretch so far
  };

  void Mark(const HostOps& host, const std::vector<HostMeaning>& meanings);
  void FindStretches(const HostOps& host, const std::vector<HostMeaning>& meanings);
  static void EndStretch(Operator& op, int64_t end);

  std::vector<bool> has_;                           // by range
  std::unordered_map<size_t, Operator> operators_;  // by range: those of has_
};

}  // namespace stepscope
