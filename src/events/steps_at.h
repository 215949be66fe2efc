// Finds the step that a time lies in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace stepscope {

struct EventStep {
  int64_t number = 0;
  int64_t start = 0;  // ns
  int64_t end = 0;
};

class StepsAt {
 public:
  StepsAt() = default;
  // REQUIRES: they are ordered by start.
  explicit StepsAt(std::vector<EventStep> steps);

  // The number of the step that holds `time`; of two that overlap the one that began last.
  std::optional<int64_t> At(int64_t time) const;
  // Whether there is a step of this number.
  bool Has(int64_t number) const;

 private:
  std::vector<EventStep> steps_;
  std::vector<int64_t> numbers_;  // ascending
};

}  // namespace stepscope
