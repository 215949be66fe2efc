// Looks for the neighbors of the longest stretch without a record.
#include "facts/derived/steps/unrecorded.h"

#include <cstdint>
#include <span>

#include "base/intervals.h"
#include "base/stop.h"

namespace stepscope {
namespace {

struct LongestStretch {
  const RankActivity* rank = nullptr;
  Interval stretch{};
};

LongestStretch FindStretch(const Facts& facts, const std::vector<RankSteps>& ranks) {
  LongestStretch longest;
  for (const RankSteps& own : ranks) {
    std::vector<StepWindow> windows;
    for (const StepBreakdown& step : own.steps) windows.push_back(step.window);
    const std::span<const StepPart> parts = PartsOf(StepCategory::kOther);
    for (const Interval& s : StretchesOf(*own.rank, *facts.names, windows, parts)) {
      if (s.end - s.start > longest.stretch.end - longest.stretch.start) longest = {own.rank, s};
    }
  }
  return longest;
}

// Keeps the nearest neighbors among the items that it is shown.
class StretchNeighbors {
 public:
  explicit StretchNeighbors(const Interval& stretch) : stretch_(stretch) {}

  // What waits for the device is in the stretch: at its edges it is a neighbor.
  template <class Item>
  void Look(const Item& item) {
    const int64_t slack = (stretch_.end - stretch_.start) / 100;
    if (item.end <= stretch_.start + slack && item.end > ended_) {
      ended_ = item.end;
      before_ = item.name;
    }
    if (item.start >= stretch_.end - slack && item.start < began_) {
      began_ = item.start;
      after_ = item.name;
    }
  }

  Unrecorded Found() const { return {stretch_.end - stretch_.start, before_, after_}; }

 private:
  Interval stretch_;
  int64_t ended_ = INT64_MIN, began_ = INT64_MAX;
  StringId before_ = kNoString, after_ = kNoString;
};

bool IsStep(const HostOps& host, const HostRange& range) {
  const RangeDetail* detail = host.DetailOf(range);
  return detail != nullptr && detail->step >= 0;
}

}  // namespace

Unrecorded LongestUnrecorded(const Facts& facts, const std::vector<RankSteps>& ranks) {
  const LongestStretch longest = FindStretch(facts, ranks);
  if (longest.rank == nullptr) return {};
  StretchNeighbors neighbors(longest.stretch);
  StopChecks checks;
  for (const HostRange& range : longest.rank->host->ranges) {
    checks.Turn();
    if (!IsStep(*longest.rank->host, range)) neighbors.Look(range);
  }
  for (const Call& call : longest.rank->host->calls) {
    checks.Turn();
    neighbors.Look(call);
  }
  for (const Activity& activity : longest.rank->activities) {
    checks.Turn();
    neighbors.Look(activity);
  }
  return neighbors.Found();
}

}  // namespace stepscope
