// Weighs one finding: by its share of the time, and by what a replay says of its cause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "stepscope/report.h"

namespace stepscope {

// A step of a rank.
struct TimedStep {
  int64_t number = 0;
  int64_t time = 0;  // ns
};

// What findings are weighed by.
struct RankTime {
  int64_t time = 0;                   // ns: the mean of ranks
  double steps = 0;                   // of the mean length in that time; 0: unknown
  std::vector<TimedStep> every = {};  // of all ranks
  std::optional<int64_t> most = {};   // ns that all findings together cost at most
};

// A replay speaks for what was measured if it says at most so many times of that.
inline constexpr double kMuchMore = 1.5;

// A finding and the report it is from.
struct Found {
  Finding finding;
  size_t report = 0;
  double now = 0;  // the share of the time that it costs; of what began at a step, of those since
  Severity order = Severity::kLow;  // that it is ordered by
};

// Sets share, impact per step and severity by the finding's impact.
void Weigh(Found& found, const RankTime& whole);

// The same anew, by another impact than before.
void Reweigh(Found& found, const RankTime& whole);

// The same by this impact, also where its sentence ends with its share.
void WeighAs(Found& found, int64_t impact, const RankTime& whole);

// Sets what a replay says the finding is worth, and its impact by that, where it speaks for what
// was measured.
void ApplyWorth(Found& found, std::optional<Worth> worth, const RankTime& whole);

// What it saves, of a step.
double ShareOf(const Worth& worth);

// Whether it was done once, such as compilation.
bool IsDoneOnce(const Finding& f);

// Whether its impact is what a model says a change would save at most, not a time that was
// measured.
bool IsEstimate(const Finding& f);

}  // namespace stepscope
