// Measures step times and their deviation from the ideal, in constant memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "goodput/accounting/short_numbers.h"
#include "goodput/events/state_bytes.h"

namespace stepscope::goodput {

// Durations within 1/64 of each other share a class; sums per class are exact.
class StepClock {
 public:
  void Add(int64_t duration);  // > 0

  // Adds the steps of another clock, which came later.
  void Add(const StepClock& later);

  int64_t steps() const { return steps_; }
  int64_t sum() const { return sum_; }              // ns, of all steps
  size_t classes() const { return sizes_.size(); }  // in memory
  std::optional<int64_t> last() const;

  // The number of steps of at most `duration`, to 1/64. Never decreases as steps are added.
  int64_t StepsUpTo(int64_t duration) const;

  std::optional<int64_t> median() const;

  // The ideal step time: the mean of steps within the median plus three median deviations.
  std::optional<int64_t> ideal() const;

  // 90th percentile of the deviation from the ideal over the last 100 steps.
  std::optional<int64_t> recent_deviation() const;

  // Takes little memory until the next step is added.
  void Fit();
  size_t bytes() const;  // reserved for what it stores

  void Save(StateWriter& out) const;
  void Load(StateReader& in);  // replaces all there is

 private:
  struct Size {
    size_t number = 0;  // of the class
    int64_t count = 0, sum = 0;
    int64_t mean() const { return sum / count; }
  };
  static constexpr size_t kRecent = 100;

  void PutRecent(int64_t step, int64_t duration);
  std::vector<int64_t> Recent() const;

  // The class, which is there from then on.
  Size& ClassOf(size_t number);

  // In order. Only those that have steps: a single long step, as of a clock that was set, would
  // have thousands of others with it.
  std::vector<Size> sizes_;
  std::vector<int64_t> recent_;  // the last kRecent steps, in a ring; few where there were few
  ShortNumbers fitted_;          // the same as differences, once they fit; one of both is empty
  int64_t steps_ = 0;
  int64_t sum_ = 0;
};

}  // namespace stepscope::goodput
