// Compares the steps that ranks tell with those of the leader, and ranks with each other.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/robust.h"
#include "base/time_units.h"
#include "goodput/accounting/lineup_group.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kPart = 20;  // of a step: less is no straggler
constexpr int64_t kLeast = 10 * kMillisecond;
constexpr int64_t kLeastApart = 100 * kMillisecond;  // by clocks that nothing compares
constexpr int64_t kFewSteps = 5;

// What one rank told, beside the leader.
struct Told {
  const Run* run = nullptr;
  std::vector<int64_t> later;  // of each step that both told; empty: none, or of the leader
  int64_t usually = 0;         // median of `later`
  int64_t lasts = 0;           // mean from start to end; 0: ends were not told
};

// Some of the steps that are kept, in order, without the first one, which compiles and loads.
std::vector<StepTime> SomeSteps(const Attempt& attempt) {
  const int64_t first = attempt.steps.first().step, last = attempt.steps.last().step;
  std::vector<StepTime> some;
  int64_t next = first + 1;
  const auto take = [&] {
    some.push_back(attempt.steps.Around(next).after.value());
    next = some.back().step + 1;
  };
  while (next <= last && std::ssize(some) < kSampledSteps) take();
  const int64_t apart = std::max<int64_t>(1, (last - next) / kSampledSteps);
  while (next <= last) {
    const int64_t least = next + apart - 1;
    take();
    next = std::max(next, least);
  }
  return some;
}

std::vector<int64_t> LaterThan(const Attempt& lead, const Attempt& own) {
  std::vector<int64_t> later;
  for (const StepTime& step : SomeSteps(own)) {
    const auto same = lead.steps.Around(step.step).after;
    if (same && same->step == step.step) later.push_back(step.time - same->time);
  }
  return later;
}

std::vector<Told> ListRanks(const Group& group, const Run& lead) {
  std::vector<Told> ranks;
  for (const Run& run : group.runs) {
    if (run.rank() == kNoRank || !run.steps()) continue;
    Told told{.run = &run};
    if (run.attempt->ended_steps >= kFewSteps) {
      told.lasts = run.attempt->ended_time / run.attempt->ended_steps;
    }
    if (run.attempt != lead.attempt) {
      told.later = LaterThan(*lead.attempt, *run.attempt);
      if (std::ssize(told.later) < kFewSteps) continue;
      told.usually = UpperMedian(told.later);
    }
    ranks.push_back(std::move(told));
  }
  return ranks;
}

// The median of what the ranks but for `rank` have; of an even number, the upper of the middle two:
// of three ranks, none is told of that another one explains.
int64_t OfOthers(const std::vector<Told>& ranks, const Told& rank, int64_t Told::* value) {
  std::vector<int64_t> others;
  for (const Told& other : ranks) {
    if (&other != &rank) others.push_back(other.*value);
  }
  return UpperMedian(others);
}

int64_t OthersStart(const std::vector<Told>& ranks, const Told& rank) {
  std::vector<int64_t> starts;
  for (const Told& other : ranks) {
    if (&other != &rank) starts.push_back(other.run->start());
  }
  return UpperMedian(starts);
}

// Whether it is in most steps, not in a few.
bool InMostSteps(const Told& rank, int64_t others, int64_t by) {
  const auto late =
      std::ranges::count_if(rank.later, [&](int64_t later) { return later - others >= by / 2; });
  return 4 * late >= 3 * std::ssize(rank.later);
}

bool SharesClock(const std::vector<Told>& ranks, const Told& rank) {
  return std::ranges::any_of(ranks, [&](const Told& other) {
    return &other != &rank &&
           other.run->recording->clock_name() == rank.run->recording->clock_name();
  });
}

bool KnowLengths(const std::vector<Told>& ranks) {
  return std::ranges::all_of(ranks, [](const Told& told) { return told.lasts > 0; });
}

std::optional<LateRank> LongerSteps(const std::vector<Told>& ranks, LateRank found) {
  if (!KnowLengths(ranks)) return std::nullopt;
  const Told& longest = *std::ranges::max_element(ranks, {}, &Told::lasts);
  found.longer = longest.lasts - OfOthers(ranks, longest, &Told::lasts);
  found.rank = longest.run->rank();
  if (found.longer < std::max(kLeast, found.step_time / kPart)) return std::nullopt;
  return found;
}

std::optional<LateRank> LaterSteps(const std::vector<Told>& ranks, LateRank found) {
  // Of two, the leader may be the late one.
  const Told& latest = *std::ranges::max_element(ranks, {}, &Told::usually);
  const int64_t others = OfOthers(ranks, latest, &Told::usually);
  found.later = latest.usually - others;
  found.rank = latest.run->rank();
  // Who begins later and ends with the others has shorter steps, by whatever clock.
  const bool is_shorter =
      KnowLengths(ranks) && OfOthers(ranks, latest, &Told::lasts) - latest.lasts >= found.later / 2;
  found.own_clock = !SharesClock(ranks, latest) && !is_shorter;
  const int64_t least = found.own_clock ? kLeastApart : kLeast;
  if (found.later < std::max(least, found.step_time / kPart)) return std::nullopt;
  // All that it tells is later by so much, as of ranks that do not wait for each other.
  const int64_t began = latest.run->start() - OthersStart(ranks, latest);
  if (std::abs(began - found.later) < found.later / 4) return std::nullopt;
  if (!latest.later.empty() && !InMostSteps(latest, others, found.later)) return std::nullopt;
  return found;
}

}  // namespace

std::optional<LateRank> FindLateRank(const Group& group) {
  const Run& lead = group.Lead();
  if (!lead.steps()) return std::nullopt;
  const StepTime &first = lead.attempt->steps.first(), &last = lead.attempt->told;
  const int64_t steps = last.step - first.step;
  const std::vector<Told> ranks = ListRanks(group, lead);
  if (ranks.size() < 2 || steps <= 0) return std::nullopt;
  const LateRank found{.step_time = (last.time - first.time) / steps, .steps = steps};
  if (auto longer = LongerSteps(ranks, found)) return longer;
  return LaterSteps(ranks, found);
}

}  // namespace stepscope::goodput
