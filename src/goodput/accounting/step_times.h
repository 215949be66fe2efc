// Stores when each step of an attempt began, in about 5 bytes per step.
//
// A restart may go back to any step, so all are kept. Finding the lost time takes one lookup, not a
// scan.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "goodput/accounting/short_numbers.h"
#include "goodput/events/state_bytes.h"

namespace stepscope::goodput {

struct StepTime {
  int64_t step = 0;
  int64_t time = 0;
  friend bool operator==(const StepTime&, const StepTime&) = default;
};

class StepTimes {
 public:
  // REQUIRES: `step` > the last one, `time` not before its time. `made`: as how many it counts, if
  // those before it are not told.
  void Append(int64_t step, int64_t time, int64_t made = 1);

  bool empty() const { return count_ == 0; }
  int64_t size() const { return count_; }
  int64_t kept() const { return stored_; }  // that were not dropped
  const StepTime& first() const { return first_; }
  const StepTime& second() const { return second_; }  // REQUIRES: at least two steps
  const StepTime& last() const { return last_; }

  // The last step below `step`, and the first step at or above it.
  struct Neighbors {
    std::optional<StepTime> before, after;
  };
  Neighbors Around(int64_t step) const;

  // The number of the last step that began by then. REQUIRES: the first one had begun.
  int64_t LastBegun(int64_t time) const;

  void Move(int64_t by);               // all times
  std::vector<StepTime> Kept() const;  // in order; all that were not dropped

  // Drops all but the first two steps, the last two, and those for which `keep` returns true; it
  // gets the previous step and the number left. size() still counts all steps.
  using Keep = std::function<bool(const StepTime& before, const StepTime& step, size_t left)>;
  void Thin(const Keep& keep);

  size_t bytes() const { return blocks_.capacity() * sizeof(Block) + differences_.reserved(); }

  void Save(StateWriter& out) const;
  void Load(StateReader& in);  // replaces all there is

 private:
  // Every kBlock-th step in full; those between as `differences_`.
  struct Block {
    StepTime first;
    size_t bytes = 0;  // where its differences begin
  };
  static constexpr int64_t kBlock = 128;

  void Take(size_t& at, StepTime& step) const;
  void Store(int64_t step, int64_t time);

  StepTime first_, second_, last_;
  int64_t count_ = 0;   // steps added
  int64_t stored_ = 0;  // steps kept
  std::vector<Block> blocks_;
  ShortNumbers differences_;
};

}  // namespace stepscope::goodput
