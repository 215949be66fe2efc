// How long steps take, and how far they are from the ideal: kept as counts by size, so that it
// costs the same memory for any number of steps.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "goodput/events/state_bytes.h"

namespace stepscope::goodput {

// Times within a part in 64 of each other are one size; sums within a size are exact.
class StepClock {
 public:
  void Add(int64_t duration);  // > 0

  int64_t steps() const { return steps_; }
  int64_t sum() const { return sum_; }  // ns, of all steps
  std::optional<int64_t> last() const;

  // How many steps took up to `duration`, to a part in 64. Never falls as steps are added.
  int64_t StepsUpTo(int64_t duration) const;

  std::optional<int64_t> median() const;

  // The mean of steps no slower than the median plus three median deviations: what a step takes
  // when nothing is in its way.
  std::optional<int64_t> ideal() const;

  // Of the last 100 steps: nine of ten are no further from the ideal.
  std::optional<int64_t> recent_deviation() const;

  void Save(StateWriter& out) const;
  void Load(StateReader& in);  // replaces all there is

 private:
  struct Size {
    int64_t count = 0, sum = 0;
    int64_t mean() const { return sum / count; }
  };
  static constexpr size_t kRecent = 100;

  std::vector<Size> sizes_;
  std::array<int64_t, kRecent> recent_{};
  int64_t steps_ = 0;
  int64_t sum_ = 0;
};

}  // namespace stepscope::goodput
