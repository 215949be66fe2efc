// Implements the categories of steps and their statistics.
#include "facts/derived/steps/step_categories.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <utility>

#include "base/saturate.h"

namespace stepscope {
namespace {

template <class Value>
StepStatistics Statistics(const std::vector<RankSteps>& ranks, const Value& value) {
  StepStatistics s;
  double sum = 0;
  double squares = 0;
  const auto for_each = [&](const auto& visit) {
    for (const RankSteps& rank : ranks) {
      for (const StepBreakdown& step : rank.steps) visit(value(step));
    }
  };
  for_each([&](int64_t time) {
    s.shortest = s.steps == 0 ? time : std::min(s.shortest, time);
    s.longest = std::max(s.longest, time);
    sum += static_cast<double>(time);
    ++s.steps;
  });
  if (s.steps == 0) return s;
  s.mean = sum / static_cast<double>(s.steps);
  for_each([&](int64_t time) {
    const double off = static_cast<double>(time) - s.mean;
    squares += off * off;
  });
  if (s.steps > 1) s.deviation = std::sqrt(squares / static_cast<double>(s.steps - 1));
  return s;
}

constexpr int64_t kBeyondAll = 2;  // times what any other step takes: it is one, whatever they do
// Of all time: where several slow steps take so much more than the usual, that is where it goes.
constexpr double kMostLeftOut = 1.0 / 3;

constexpr double kSlow = 1.5;       // as the parameter `slow` of the analysis `steps`
constexpr double kFarSlower = 4.0;  // an exception even where many are slow

bool Takes(int64_t time, double times, int64_t median) {
  return static_cast<double>(time) >= times * static_cast<double>(median);
}
bool IsSlow(int64_t time, int64_t median) { return Takes(time, kSlow, median); }

// Whether that is most of what the first step takes more.
bool BeganWithQueue(const RankSteps& rank, int64_t median) {
  return 2 * QueuedBefore(rank) >= rank.steps.front().Total() - median;
}

// A step of all ranks: window and number.
using StepKey = std::pair<int64_t, int64_t>;
StepKey KeyOf(const RankSteps& rank, const StepBreakdown& step) {
  return {rank.rank->window, step.window.number};
}

// A step that is warm-up on any rank is left out on all.
void LeaveOutWarmUp(TypicalSteps& typical) {
  std::set<StepKey> firsts;
  for (const RankSteps& rank : typical.ranks) {
    if (!BeginsWithWarmUp(rank)) continue;
    firsts.insert(KeyOf(rank, rank.steps.front()));
    ++typical.warm_up;
    std::vector<int64_t> others;
    for (const StepBreakdown& step : rank.steps | std::views::drop(1))
      others.push_back(step.Total());
    if (BeganWithQueue(rank, Describe(others).p50)) ++typical.queued;
    typical.longest_warm_up = std::max(typical.longest_warm_up, rank.steps.front().Total());
  }
  for (RankSteps& rank : typical.ranks) {
    std::erase_if(rank.steps,
                  [&](const StepBreakdown& step) { return firsts.contains(KeyOf(rank, step)); });
  }
}

static_assert(kCondensedParts == kStepParts && kCondensedRoles == kStepRoles);

// What a partial says of its steps; SelectSteps() has left out those that were not selected.
RankSteps StepsOfPartial(const RankActivity& rank) {
  RankSteps own{.rank = &rank, .whole_recording = !rank.condensed->steps_are_marked};
  for (const CondensedStep& step : rank.condensed->steps)
    own.steps.push_back({{step.number, step.start, step.end}, step.parts});
  return own;
}

std::vector<RankSteps> BreakRecordingsDown(const Facts& facts) {
  std::vector<RankSteps> all;
  for (const RankActivity& rank : facts.ranks) {
    if (rank.memory_only) continue;
    if (rank.condensed) {
      RankSteps own = StepsOfPartial(rank);
      if (!own.steps.empty()) all.push_back(std::move(own));
      continue;
    }
    RankSteps own{.rank = &rank};
    std::vector<StepWindow> windows = StepWindows(rank);
    if (windows.empty()) {
      if (!facts.selected.empty()) continue;  // the steps that were asked for, or nothing
      const auto whole = WholeRecording(rank);
      if (!whole) continue;
      windows.push_back(*whole);
      own.whole_recording = true;
    }
    own.steps = BreakStepsDown(rank, *facts.names, windows);
    all.push_back(std::move(own));
  }
  // Where some ranks have steps, those without would only blur what is said of them.
  const bool any = std::ranges::any_of(all, [](const RankSteps& r) { return !r.whole_recording; });
  if (any) std::erase_if(all, [](const RankSteps& r) { return r.whole_recording; });
  return all;
}

// How many times the usual steps take, `over`, by step.
using TimesOver = std::map<StepKey, double>;

std::set<StepKey> StepsFrom(double from, const TimesOver& over) {
  std::set<StepKey> steps;
  for (const auto& [step, times] : over)
    if (times >= from) steps.insert(step);
  return steps;
}

double LargestOfOthers(const std::set<StepKey>& those, const TimesOver& over) {
  double largest = 0;
  for (const auto& [step, times] : over)
    if (!those.contains(step)) largest = std::max(largest, times);
  return largest;
}

// The steps that are exceptions, which at most one in so many is. Where more are slow, slower ones
// are exceptions only beyond all others.
std::set<StepKey> ExceptionsOf(const TimesOver& over) {
  constexpr int64_t kEnough = 5;
  if (std::ssize(over) < kEnough) return {};
  for (const double from : {kSlow, kFarSlower}) {
    std::set<StepKey> steps = StepsFrom(from, over);
    if (steps.empty() || std::ssize(steps) * kMostSlow > std::ssize(over)) continue;
    const auto least = over.at(
        *std::ranges::min_element(steps, {}, [&](const StepKey& step) { return over.at(step); }));
    if (from > kSlow && least < kBeyondAll * LargestOfOthers(steps, over)) return {};
    return steps;
  }
  return {};
}

// Whether what several steps take over the usual is a large part of all time.
bool AreWhereTimeGoes(const std::set<StepKey>& those, const TimesOver& over) {
  double all = 0, more = 0;
  for (const auto& [step, times] : over) {
    all += times;
    if (those.contains(step)) more += times - 1;
  }
  return those.size() > 1 && more >= kMostLeftOut * all;
}

// Whether those come at one interval from the first to the last of all, as a checkpoint does: these
// are part of what steps take. Of recordings apart it is not known.
bool AreRegular(const std::set<StepKey>& those, const TimesOver& all) {
  constexpr size_t kEnough = 3;
  const StepKey first = all.begin()->first, last = all.rbegin()->first;
  if (those.size() < kEnough || first.first != last.first) return false;
  const int64_t gap = std::next(those.begin())->second - those.begin()->second;
  const bool even = std::ranges::all_of(those, [&](const StepKey& step) {
    return step == *those.rbegin() || those.contains({step.first, step.second + gap});
  });
  return even && gap > 1 && those.begin()->second - gap < first.second &&
         those.rbegin()->second + gap > last.second;
}

Distribution TimesOf(const std::vector<RankSteps>& ranks) {
  std::vector<int64_t> times;
  for (const RankSteps& rank : ranks) {
    for (const StepBreakdown& step : rank.steps) times.push_back(step.Total());
  }
  return Describe(times);
}

// Steps by number: from `first`, before `end`.
struct Period {
  int64_t first, end;
  bool Has(const StepBreakdown& step) const {
    return step.window.number >= first && step.window.number < end;
  }
};

std::vector<RankSteps> StepsOf(const Period& period, const std::vector<RankSteps>& ranks) {
  std::vector<RankSteps> chosen;
  for (const RankSteps& rank : ranks) {
    RankSteps& own = chosen.emplace_back(RankSteps{.rank = rank.rank});
    std::ranges::copy_if(rank.steps, std::back_inserter(own.steps),
                         [&](const StepBreakdown& step) { return period.Has(step); });
  }
  return chosen;
}

// Of each step in the period, how many times the usual it takes, at most, on any rank.
TimesOver TimesOverUsual(const Period& period, const std::vector<RankSteps>& all) {
  const std::vector<RankSteps> ranks = StepsOf(period, all);
  const auto usual = UsualStepTimes(ranks, TimesOf(ranks).p50);
  TimesOver over;
  for (const RankSteps& rank : ranks) {
    if (rank.steps.empty()) continue;
    const auto own = static_cast<double>(std::max<int64_t>(usual.at(rank.rank->rank), 1));
    for (const StepBreakdown& step : rank.steps) {
      double& most = over[KeyOf(rank, step)];
      most = std::max(most, static_cast<double>(step.Total()) / own);
    }
  }
  return over;
}

// Those slow steps of the period that come at one interval on any rank, which others may only wait
// for, a step later.
std::set<StepKey> RegularOnARank(const Period& period, const std::vector<RankSteps>& ranks) {
  std::set<StepKey> regular;
  for (const RankSteps& rank : ranks) {
    const auto over = TimesOverUsual(period, {rank});
    std::set<StepKey> slow = StepsFrom(kSlow, over);
    if (!slow.empty() && AreRegular(slow, over)) regular.merge(slow);
  }
  return regular;
}

void LeaveOutSlow(TypicalSteps& typical, const Period& period) {
  const TimesOver over = TimesOverUsual(period, typical.ranks);
  std::set<StepKey> slow = ExceptionsOf(over);
  if (slow.empty() || AreRegular(slow, over) || AreWhereTimeGoes(slow, over)) return;
  for (const StepKey& step : RegularOnARank(period, typical.ranks)) slow.erase(step);
  typical.slow += std::ssize(slow);
  for (RankSteps& rank : typical.ranks) {
    std::erase_if(rank.steps, [&](const StepBreakdown& step) {
      const bool left_out = period.Has(step) && slow.contains(KeyOf(rank, step));
      if (left_out) typical.slowest = std::max(typical.slowest, step.Total());
      return left_out;
    });
  }
}

}  // namespace

std::string_view StepCategoryName(StepCategory category) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"device compute", "device to device", "device collectives", "host compute", "kernel launch",
       "input", "output", "compilation", "one-time work", "all others"});
  static_assert(kNames.size() == kStepCategories);
  return kNames[static_cast<size_t>(category)];
}

std::span<const StepPart> PartsOf(StepCategory category) {
  using enum StepPart;
  static constexpr StepPart kParts[] = {kComputeUnknown, kCompute32,  kCompute16,    kCompute8,
                                        kDeviceToDevice, kCollective, kHostCompute,  kAllocation,
                                        kLaunch,         kInputWait,  kHostToDevice, kDeviceToHost,
                                        kCompilation,    kOneTime,    kOther};
  // Where those of each category begin, and the end.
  static constexpr std::array<size_t, kStepCategories + 1> kBegins = {0,  4,  5,  6,  8, 9,
                                                                      11, 12, 13, 14, 15};
  const auto c = std::min(static_cast<size_t>(category), kStepCategories - 1);
  return std::span(kParts).subspan(kBegins[c], kBegins[c + 1] - kBegins[c]);
}

int64_t TimeOf(const StepBreakdown& step, StepCategory category) {
  int64_t time = 0;
  for (const StepPart part : PartsOf(category)) time = AddSaturated(time, step.Of(part));
  return time;
}

IntervalSet StretchesOf(const RankSteps& own, const StringTable& names, StepCategory category) {
  std::vector<StepWindow> windows;
  for (const StepBreakdown& step : own.steps) windows.push_back(step.window);
  return StretchesOf(*own.rank, names, windows, PartsOf(category));
}

std::optional<StepWindow> WholeRecording(const RankActivity& rank) {
  int64_t first = INT64_MAX;
  int64_t last = INT64_MIN;
  const auto take = [&](int64_t start, int64_t end) {
    first = std::min(first, start);
    last = std::max(last, end);
  };
  for (const Activity& activity : rank.activities) take(activity.start, activity.end);
  for (const HostRange& range : rank.host->ranges) take(range.start, range.end);
  for (const Call& call : rank.host->calls) take(call.start, call.end);
  if (first > last) {  // a program that runs nothing but Python
    for (const HostFrames& frames : rank.host->frames) {
      for (const HostFrame& frame : frames) take(frame.start, frame.end);
    }
  }
  if (first >= last) return std::nullopt;
  return StepWindow{.number = 0, .start = first, .end = last};
}

const std::vector<RankSteps>& RankStepsOf(const Facts& facts) {
  return facts.memo.Of<BreakRecordingsDown>(facts);
}

std::vector<std::array<int64_t, kStepRoles>> RolesOf(const RankSteps& own,
                                                     const StringTable& names) {
  if (!own.rank->condensed) {
    std::vector<StepWindow> windows;
    for (const StepBreakdown& step : own.steps) windows.push_back(step.window);
    return StepRoles(*own.rank, names, windows);
  }
  std::vector<std::array<int64_t, kStepRoles>> roles;
  auto at = own.rank->condensed->steps.begin();  // these are some of them, in their order
  for (const StepBreakdown& step : own.steps) {
    while (at->number != step.window.number) ++at;
    roles.push_back(at->roles);
  }
  return roles;
}

int64_t QueuedBefore(const RankSteps& own) {
  if (own.rank->condensed) return own.rank->condensed->queued;
  const StepWindow& window = own.steps.front().window;
  int64_t until = window.start;
  for (const Activity& activity : own.rank->activities) {
    if (activity.call != kNoCall) return std::min(until, window.end) - window.start;
    until = std::max(until, activity.end);
  }
  return 0;
}

bool StepsAreMarked(const Facts& facts) {
  return std::ranges::any_of(RankStepsOf(facts),
                             [](const RankSteps& own) { return !own.whole_recording; });
}

const RankSteps* StepsOfRank(const Facts& facts, int64_t rank) {
  const std::vector<RankSteps>& ranks = RankStepsOf(facts);
  const auto own = std::ranges::find(ranks, rank, [](const RankSteps& r) { return r.rank->rank; });
  return own == ranks.end() ? nullptr : &*own;
}

StepStatistics StatisticsOfTotals(const std::vector<RankSteps>& ranks) {
  return Statistics(ranks, [](const StepBreakdown& step) { return step.Total(); });
}

StepStatistics StatisticsOf(const std::vector<RankSteps>& ranks, StepCategory category) {
  return Statistics(ranks, [&](const StepBreakdown& step) { return TimeOf(step, category); });
}

bool BeginsWithWarmUp(const RankSteps& rank) {
  const bool is_later = rank.rank->begins_later || rank.rank->window > 0;
  if (rank.steps.size() < 3 || is_later) return false;
  std::vector<int64_t> others;
  for (const StepBreakdown& step : rank.steps | std::views::drop(1)) others.push_back(step.Total());
  const Distribution times = Describe(others);
  const int64_t first = rank.steps.front().Total();
  const auto slow =
      std::ranges::count_if(others, [&](int64_t time) { return IsSlow(time, times.p50); });
  const bool beyond_all = first / kBeyondAll >= times.max;
  // What takes the next step as long is no warm-up of the first.
  const int64_t next = rank.steps[1].Total();
  if (IsSlow(next, times.p50) && !Takes(first, kSlow, next)) return false;
  return beyond_all || (slow * kMostSlow <= std::ssize(others) && IsSlow(first, times.p50));
}

std::map<int64_t, int64_t> UsualStepTimes(const std::vector<RankSteps>& ranks, int64_t median) {
  std::map<int64_t, std::vector<int64_t>> times;
  for (const RankSteps& rank : ranks) {
    for (const StepBreakdown& step : rank.steps) times[rank.rank->rank].push_back(step.Total());
  }
  std::map<int64_t, int64_t> usual;
  for (auto& [rank, own] : times) {
    const int64_t typical = own.empty() ? median : Describe(own).p50;
    usual[rank] = IsSlow(typical, median) ? typical : median;
  }
  return usual;
}

TypicalSteps FindTypicalSteps(const std::vector<RankSteps>& ranks, std::optional<int64_t> since) {
  TypicalSteps typical{.ranks = ranks};
  LeaveOutWarmUp(typical);
  typical.median = TimesOf(typical.ranks).p50;
  constexpr auto kEnds = std::numeric_limits<int64_t>::max();
  LeaveOutSlow(typical, {INT64_MIN, since.value_or(kEnds)});
  if (since) LeaveOutSlow(typical, {*since, kEnds});
  typical.times = TimesOf(typical.ranks);
  if (typical.slow + typical.warm_up > 0)
    std::erase_if(typical.ranks, [](const RankSteps& rank) { return rank.steps.empty(); });
  return typical;
}

StepBreakdown SumOf(const std::vector<RankSteps>& ranks) {
  StepBreakdown sum;
  for (const RankSteps& rank : ranks) {
    for (const StepBreakdown& step : rank.steps) {
      sum.window.end = AddSaturated(sum.window.end, step.Total());
      for (size_t a = 0; a < kStepParts; ++a) sum.time[a] = AddSaturated(sum.time[a], step.time[a]);
    }
  }
  return sum;
}

}  // namespace stepscope
