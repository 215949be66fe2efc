// Finds since which step the job, or a device of it, spends more or less time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/change_point.h"
#include "facts/derived/steps/step_categories.h"

namespace stepscope {

// Of a step: all of it, or a part of it on one device; input, and time without any operator, are
// those of a rank's host.
enum class StepQuantity : uint8_t { kStepTime, kCompute, kInput, kOther, kIdle, kExposed, kCount };
std::string_view StepQuantityName(StepQuantity quantity);  // "step time", "compute", ...

struct StepChange {
  StepQuantity quantity = StepQuantity::kStepTime;
  int64_t rank = -1;              // -1: the mean over all ranks
  int64_t device = -1;            // -1: all of the rank's
  int64_t since = 0;              // number of the first step of the new level
  int64_t last_before = 0;        // number of the step before it
  int64_t before = 0, after = 0;  // medians of a step, ns
  int64_t steps_before = 0, steps_after = 0;
  // Number of its last step, where two steps or more after it are nearer to the level before;
  // one may be the end of the recording.
  std::optional<int64_t> until = {};
  // Of a LargestRise(): how many other ranks or devices spend at least a third of it more since
  // then, by their medians; noise may hide that from a search for change points.
  int64_t also = 0;

  int64_t Difference() const { return after - before; }
};

struct StepChanges {
  // Whether traces of some ranks have too few of the steps to tell what these do since then.
  bool lacks_ranks = false;
  int64_t median = 0;  // step time, ns; 0: no steps
  std::optional<StepChange> step_time;
  // Where step time does not change for good: a stretch of steps in between that take longer.
  std::optional<StepChange> spell;
  std::vector<StepChange> parts;  // by rank, device, quantity
  std::vector<int64_t> steps;     // numbers of all that count, ascending

  // Of step time, the one or the other; null: it does not change.
  const StepChange* Told() const { return step_time ? &*step_time : spell ? &*spell : nullptr; }

  // Whether two of these are the same or follow one another, though their numbers need not.
  bool AreNear(int64_t a, int64_t b) const;

  // Numbers of the steps of a change that ended; empty: all since it.
  std::vector<int64_t> StretchOf(const StepChange& change) const;

  // Since when this rank (and device, -1: any) spends more on it.
  const StepChange* Rise(StepQuantity quantity, int64_t rank, int64_t device) const;
  // Of the parts, the one that rises most where step time changes; null: none, or it does not.
  const StepChange* LargestRise(StepQuantity quantity) const;
};

// What a change is at least, over the median step time.
inline constexpr double kLeastStepChange = 0.05;

// On processors the last steps alone, fewer than these, may be longer or shorter by what else runs
// on the machine.
inline constexpr int64_t kFewestSince = 3;

// A change point (base/change_point.h) that is worth a twentieth of the median step time, of the
// steps that all ranks recorded, on processors by a quarter where it is of fewer than kFewestSince
// last steps; else a rise or a spell (base/rise.h) to twice the level before,
// which may scatter, or a rise by a quarter where all steps since are clearly longer than all
// before. It begins a step earlier where most of it is in a part of one rank that does. n log n.
const StepChanges& StepChangesOf(const Facts& facts);

// The steps that a mean step is of, wherever one is told: the typical ones, as a first step and
// slow ones are no part of what a step usually takes. Those before a change of step time and those
// since are each compared with their own.
const TypicalSteps& TypicalStepsOf(const Facts& facts);

// Of these the ones since step time rose, all where it did not: what there is to mend. What made
// steps longer before it fell is told, too.
const std::vector<RankSteps>& StepsToMend(const Facts& facts);
// Since which step; empty: all.
std::optional<int64_t> SinceRise(const Facts& facts);

// Of these steps those since this one, or before it; ranks that have any.
std::vector<RankSteps> StepsSince(std::vector<RankSteps> ranks, int64_t since);
std::vector<RankSteps> StepsBefore(std::vector<RankSteps> ranks, int64_t since);

// ns, the mean of these steps whose number `counts` holds for; 0: there are none.
template <class Counts>
double MeanStepOf(const TypicalSteps& typical, const Counts& counts) {
  double sum = 0, count = 0;
  for (const RankSteps& rank : typical.ranks) {
    for (const StepBreakdown& step : rank.steps) {
      if (!counts(step.window.number)) continue;
      sum += static_cast<double>(step.Total());
      ++count;
    }
  }
  return count > 0 ? sum / count : 0;
}
inline double MeanStepOf(const TypicalSteps& typical) {
  return MeanStepOf(typical, [](int64_t) { return true; });
}

// ns that a mean step from this number on is longer than one before.
inline double LongerSince(const TypicalSteps& typical, int64_t since) {
  return MeanStepOf(typical, [&](int64_t step) { return step >= since; }) -
         MeanStepOf(typical, [&](int64_t step) { return step < since; });
}

}  // namespace stepscope
