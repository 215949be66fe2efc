// Finds ranks that do more work than before, or than others. Uses call counts, input sizes and time
// between operators, which other load on the machine rarely changes.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "facts/derived/steps/step_parts.h"
#include "facts/facts.h"

namespace stepscope {

enum class WorkKind : uint8_t {
  kCalls,    // more calls of an operator
  kSize,     // larger inputs of it
  kBetween,  // time between two operators
};

// What ranks have more of: since one step, from one step to another, or in the same way in some
// steps or all.
struct WorkRise {
  WorkKind kind = WorkKind::kBetween;
  std::vector<int64_t> ranks;     // that have it; ascending
  int64_t rank = 0;               // the one of them with the most
  StringId name = kNoString;      // the operator; kBetween: the one that follows
  StringId previous = kNoString;  // kBetween: the one before
  std::optional<int64_t> since;   // number of the first step
  int64_t last_before = 0;        // where `since` is known: the step before it
  // They have it in a stretch of steps, and no longer at the end: `since` is empty.
  bool ended = false;
  // Of `rank`, numbers of the steps with more; and ns per step, medians of the other steps, or of
  // the other ranks where it is in all, and of these.
  std::set<int64_t> steps;
  int64_t before = 0, after = 0;
  int64_t all_steps = 0;

  int64_t Difference() const { return after - before; }
  bool Has(int64_t of_rank) const;
  // Several ranks have it, each in other steps.
  bool in_turn = false;
  // Of ranks in turn, each of their steps with more. By rank, then step.
  struct Turn {
    int64_t rank = 0, step = 0;
    int64_t time = 0;  // ns
  };
  std::vector<Turn> turns = {};

  // ns of all its steps together; of ranks in turn, each has as many.
  int64_t Total() const;
};

struct WorkRises {
  std::vector<WorkRise> rises;  // the most time first
  int64_t ranks = 0;            // of the job that were recorded

  const WorkRise* Of(int64_t rank) const;  // null: none
  bool IsOfAll(const WorkRise& rise) const { return std::ssize(rise.ranks) == ranks; }
};

// Whether the rank takes longer between operators because it does so in all of them: the function
// that runs there is one of many that are slower.
bool IsBySlowHost(const Facts& facts, const WorkRise& rise);

// What a rise takes at least, over the median step time.
inline constexpr double kLeastWorkRise = 0.03;

// Of each rank the largest. Nothing where devices compute. Ranks that messages tie run different
// stages, and are not compared with one another.
const WorkRises& WorkRisesOf(const Facts& facts);

}  // namespace stepscope
