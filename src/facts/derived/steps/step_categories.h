// Defines the ten categories of a step, each a sum of parts, and their means over the steps of all
// ranks. The categories are those of the TensorFlow Profiler, and one-time work.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/distribution.h"
#include "base/intervals.h"
#include "facts/facts.h"
#include "facts/steps/step_breakdown.h"

namespace stepscope {

enum class StepCategory : uint8_t {
  kDeviceCompute,
  kDeviceToDevice,
  kDeviceCollectives,
  kHostCompute,
  kLaunch,
  kInput,  // waiting for the next batch, and copying it to the device
  kOutput,
  kCompilation,
  kOneTime,  // graph capture, context creation, module loading
  kOther,
  kCount
};
inline constexpr size_t kStepCategories = static_cast<size_t>(StepCategory::kCount);

std::string_view StepCategoryName(StepCategory category);  // "device compute", "input", ...
std::span<const StepPart> PartsOf(StepCategory category);
int64_t TimeOf(const StepBreakdown& step, StepCategory category);

struct RankSteps {
  const RankActivity* rank = nullptr;
  std::vector<StepBreakdown> steps;
  // The recording marks no complete step: there is one that spans all that was recorded.
  bool whole_recording = false;
};

// From the first to the last of what was recorded; nothing if that is nothing.
std::optional<StepWindow> WholeRecording(const RankActivity& rank);

// The steps of every recording that holds anything but a memory timeline.
const std::vector<RankSteps>& RankStepsOf(const Facts& facts);
// Whether any recording marks steps; else each counts as one, from its begin to its end.
bool StepsAreMarked(const Facts& facts);
// ns of each of these steps by the roles of PyTorch's TensorBoard plugin.
std::vector<std::array<int64_t, kStepRoles>> RolesOf(const RankSteps& own,
                                                     const StringTable& names);
// For how long the first step ran activities that were launched before the recording: until the
// last before the first one whose launch is known. 0 where none is known.
int64_t QueuedBefore(const RankSteps& own);
// Of the rank's first recording; null: it has none.
const RankSteps* StepsOfRank(const Facts& facts, int64_t rank);

// Over steps: of several, the plain mean, and the standard deviation of a sample.
struct StepStatistics {
  int64_t steps = 0;
  double mean = 0;       // ns
  double deviation = 0;  // 0 for fewer than two steps
  int64_t shortest = 0;
  int64_t longest = 0;
};
StepStatistics StatisticsOfTotals(const std::vector<RankSteps>& ranks);
StepStatistics StatisticsOf(const std::vector<RankSteps>& ranks, StepCategory category);

// Where the steps lie on the time line whose number `counts` holds for; those that follow one
// another are not merged.
template <class Counts>
IntervalSet WindowsOf(const RankSteps& own, const Counts& counts) {
  IntervalSet windows;
  for (const StepBreakdown& step : own.steps) {
    if (counts(step.window.number)) windows.push_back({step.window.start, step.window.end});
  }
  return windows;
}
inline IntervalSet WindowsOf(const RankSteps& own) {
  return WindowsOf(own, [](int64_t) { return true; });
}

// When the steps spend time on the category: the moments that TimeOf() sums.
IntervalSet StretchesOf(const RankSteps& own, const StringTable& names, StepCategory category);

// Slow steps are excluded only if at most one in so many is slow.
inline constexpr int64_t kMostSlow = 5;

// Whether the first step of a recording, if it was selected, is warm-up: it takes 1.5 times the
// median of the others or more, and there are at least two others, of which no more than a fifth
// take that long too; or it takes twice as long as any other. Not where the next step is slow, and
// the first takes less than 1.5 times as long: then it is no matter of the first.
bool BeginsWithWarmUp(const RankSteps& rank);

// What a step of each rank usually takes, ns: the median of all, `median`, and its own median on a
// rank whose steps, all its recordings together, take 1.5 times that or more. Such ranks do not
// wait for one another.
std::map<int64_t, int64_t> UsualStepTimes(const std::vector<RankSteps>& ranks, int64_t median);

// The steps without warm-up, a first step of any rank, and without the slow ones, which take 1.5
// times the usual or more on any rank, and are left out on all. None is left out of fewer than five
// steps; where more than a fifth are slow, those are no exception, but steps of four times the
// usual may be one that take twice as long as the others. Two or more that take a third of all time
// over the usual are where it goes, and three or more at one interval, as of a checkpoint, are part
// of what steps take: none of them is left out. `since`: where step time changes for good at this
// step, the steps before it and those from it on are each compared with their own.
struct TypicalSteps {
  std::vector<RankSteps> ranks;  // each that has such steps
  Distribution times;            // of these steps
  int64_t median = 0;            // ns, of all steps but warm-up, before and since
  int64_t slow = 0;              // steps left out that are no warm-up, each once for all ranks
  int64_t slowest = 0;           // ns, of them
  int64_t warm_up = 0;           // ranks whose first step was
  int64_t queued = 0;            // of these, that mostly ran what was queued before the recording
  int64_t longest_warm_up = 0;   // ns, of them
};
TypicalSteps FindTypicalSteps(const std::vector<RankSteps>& ranks,
                              std::optional<int64_t> since = std::nullopt);

// All steps of all ranks added up; its window is of no use but for the total.
StepBreakdown SumOf(const std::vector<RankSteps>& ranks);

}  // namespace stepscope
