// Finds the steps that take much longer than usual, and the one of them that others wait for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "facts/derived/steps/step_categories.h"
#include "facts/derived/steps/step_changes.h"
#include "stepscope/phrase.h"

namespace stepscope::steps_slow {

struct RankStep {
  const RankSteps* rank = nullptr;
  const StepBreakdown* step = nullptr;

  int64_t Time() const { return step->Total(); }
  int64_t Number() const { return step->window.number; }
  bool IsFirst() const { return step == rank->steps.data(); }
  // Without the time in collectives, which is that of other ranks as often.
  int64_t OwnTime() const {
    return step->Total() - TimeOf(*step, StepCategory::kDeviceCollectives);
  }
};

// The median step time, which changes where steps do, and may be another on ranks that do not wait
// for one another.
class UsualTime {
 public:
  UsualTime(const std::vector<RankSteps>& ranks, int64_t median,
            const std::optional<StepChange>& change)
      : median_(median), change_(change) {
    if (!change) of_ranks_ = UsualStepTimes(ranks, median);
  }

  // "median 124 ms before step 11", where steps take another time since.
  Phrase Say(const RankStep& step) const;
  int64_t Of(const RankStep& step) const;
  // Whether it is that of its rank alone.
  bool IsOwn(const RankStep& step) const { return !change_ && Of(step) != median_; }

 private:
  int64_t median_;
  std::map<int64_t, int64_t> of_ranks_;
  const std::optional<StepChange>& change_;
};

struct SlowSteps {
  int64_t count = 0, of = 0;
  int64_t by_inputs = 0;        // not in `count`: steps whose inputs are larger
  int64_t lost = 0, total = 0;  // ns
  RankStep slowest;             // of all; but the one others wait for, not one that waits
  std::vector<RankStep> all;
  std::map<int64_t, std::set<int64_t>> ranks;  // on which a step is slow, by number
};

// A step is slow that takes `slow` times the usual time or more.
SlowSteps FindSlowSteps(const Facts& facts, const std::vector<RankSteps>& ranks,
                        const UsualTime& usual, double slow);

}  // namespace stepscope::steps_slow
