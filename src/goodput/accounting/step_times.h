// When each step of an attempt began, in some 5 bytes a step.
//
// A restart may go back to any step, so none can be forgotten; which time was lost is found by
// looking up one step, without a walk through all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/growing_array.h"
#include "goodput/events/state_bytes.h"

namespace stepscope::goodput {

struct StepTime {
  int64_t step = 0;
  int64_t time = 0;
  friend bool operator==(const StepTime&, const StepTime&) = default;
};

class StepTimes {
 public:
  // `step` is greater than the last one, `time` not before its time.
  void Append(int64_t step, int64_t time);

  bool empty() const { return count_ == 0; }
  int64_t size() const { return count_; }
  const StepTime& first() const { return first_; }
  const StepTime& second() const { return second_; }  // of at least two
  const StepTime& last() const { return last_; }

  // The last step below `step`, and the first that is not.
  struct Neighbours {
    std::optional<StepTime> before, after;
  };
  Neighbours Around(int64_t step) const;

  // Forgets all but the first two steps, the last two, and those of which `keep` says so; it is
  // told the step before and how many are left. size() still counts them all.
  using Keep = std::function<bool(const StepTime& before, const StepTime& step, size_t left)>;
  void Thin(const Keep& keep);

  void Save(StateWriter& out) const;
  void Load(StateReader& in);  // replaces all there is

 private:
  // Every kBlock steps one in full; those between as differences in `bytes_`.
  struct Block {
    StepTime first;
    size_t bytes = 0;  // where its differences begin
  };
  static constexpr int64_t kBlock = 128;

  uint64_t Get(size_t& at) const;
  void Store(int64_t step, int64_t time);
  std::vector<StepTime> Stored() const;

  StepTime first_, second_, last_;
  int64_t count_ = 0;   // of all that were given
  int64_t stored_ = 0;  // of those that were not forgotten
  std::vector<Block> blocks_;
  GrowingArray<uint8_t> bytes_;
};

}  // namespace stepscope::goodput
