// Words growth, and finds the function behind it.
#include "analyses/growth.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "analyses/build.h"
#include "base/change_point.h"
#include "base/growth.h"
#include "base/saturate.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/steps/step_changes.h"
#include "facts/derived/steps/step_growth.h"
#include "report/humanize.h"

namespace stepscope {
namespace growth {
namespace {

constexpr std::string_view kFindWhatGrows =
    "find what grows with each step on this rank: a list that is kept and walked through, a cache, "
    "lengths of sequences, memory in use";

std::string Time(int64_t ns) { return HumanTime(static_cast<double>(ns)); }

// ", in leak (train.py:20)", which the last third of the steps has more of than the first.
Phrase SayFunction(const Facts& facts, const RankGrowth& growing) {
  const std::vector<StepBreakdown>& steps = growing.rank->steps;
  const int64_t third = growing.steps / 3;
  const int64_t last = steps.back().window.number, first = last - growing.steps + 1;
  const RankWindows slow{growing.rank->rank,
                         WindowsOf(*growing.rank, [&](int64_t s) { return s > last - third; })};
  const RankWindows others{growing.rank->rank, WindowsOf(*growing.rank, [&](int64_t s) {
                             return s >= first && s < first + third;
                           })};
  const auto function = FunctionBehind(facts, slow, others, (growing.last - growing.first) / 3);
  return function ? Say(", in {function}", SayLeader(*function)) : Phrase();
}

// A line, if the times grow all along: it explains most of what a change at one step does not, or
// it explains more, and of nearly all pairs the later one is longer (Kendall's rank correlation).
std::optional<FittedLine> LineOf(const std::vector<int64_t>& times, double least) {
  constexpr double kNearlyAll = 0.8;
  const FittedLine line = LineThrough(times);
  if (FindGrowth(times, least)) return line;
  if (line.each * static_cast<double>(times.size() - 1) < least) return std::nullopt;
  int64_t order = 0, pairs = 0;
  for (size_t later = 1; later < times.size(); ++later) {
    for (size_t s = 0; s < later; ++s, ++pairs)
      order += times[later] > times[s] ? 1 : times[later] < times[s] ? -1 : 0;
  }
  const bool orders = static_cast<double>(order) >= kNearlyAll * static_cast<double>(pairs);
  return orders && line.left < DeviationFromOneChange(times) ? std::optional(line) : std::nullopt;
}

// Of one rank: warm-up does not count, and steps follow one another.
std::optional<FunctionGrowth> FindFunction(const Facts& facts, const RankSteps& own,
                                           double median) {
  constexpr double kLeast = 0.1, kTimes = 3, kOfOthers = 0.5;
  constexpr size_t kFewest = 6, kMost = 2000;  // steps
  const auto begin = own.steps.begin() + (BeginsWithWarmUp(own) ? 1 : 0);
  const std::vector<StepBreakdown> steps(begin, own.steps.end());
  if (own.whole_recording || steps.size() < kFewest || steps.size() > kMost) return std::nullopt;
  const int64_t first = steps.front().window.number, last = steps.back().window.number;
  if (last - first + 1 != std::ssize(steps)) return std::nullopt;
  const int64_t third = std::ssize(steps) / 3;
  const RankWindows all{own.rank, WindowsOf(own, [&](int64_t s) { return s >= first; })};
  const RankWindows slow{own.rank, WindowsOf(own, [&](int64_t s) { return s > last - third; })};
  const RankWindows others{
      own.rank, WindowsOf(own, [&](int64_t s) { return s >= first && s < first + third; })};
  const auto function = FunctionBehind(facts, slow, others, ToInt64(kLeast * median / 2));
  if (!function) return std::nullopt;
  const std::vector<int64_t> times = TimesIn(facts, all, MeasuredOf(*function));
  if (times.size() != steps.size()) return std::nullopt;
  const auto line = LineOf(times, kLeast * median);
  if (!line) return std::nullopt;
  std::vector<int64_t> totals, rest;
  for (size_t s = 0; s < steps.size(); ++s) {
    totals.push_back(steps[s].Total());
    rest.push_back(SubtractSaturated(totals.back(), times[s]));
  }
  const auto to_last = static_cast<double>(steps.size() - 1);
  const double from = std::max(line->first, 0.0), to = line->first + line->each * to_last;
  const FittedLine of_rest = LineThrough(rest);
  if (to < kTimes * from || SlopeOf(totals) < line->each / 2 ||
      of_rest.each * to_last > kOfOthers * of_rest.first)
    return std::nullopt;
  FunctionGrowth found{.function = *function,
                       .ranks = {own.rank->rank},
                       .each = RoundToInt64(line->each),
                       .first = RoundToInt64(from),
                       .last = RoundToInt64(to),
                       .steps = std::ssize(steps)};
  for (size_t s = 0; s < steps.size(); ++s) {
    found.more = AddSaturated(found.more, std::max<int64_t>(times[s] - found.first, 0));
    found.whole = AddSaturated(found.whole, totals[s]);
  }
  return found;
}

std::optional<FunctionGrowth> FindFunctionOfRanks(const Facts& facts) {
  if (RankGrowthOf(facts)) return std::nullopt;
  const auto median = static_cast<double>(TypicalStepsOf(facts).median);
  std::vector<FunctionGrowth> all;
  for (const RankSteps& own : RankStepsOf(facts)) {
    if (auto found = FindFunction(facts, own, median)) all.push_back(*std::move(found));
  }
  if (median <= 0 || all.empty()) return std::nullopt;
  FunctionGrowth most = *std::ranges::max_element(all, {}, &FunctionGrowth::each);
  most.ranks.clear();
  for (const FunctionGrowth& of : all) {
    if (of.function.name == most.function.name && of.function.within == most.function.within)
      most.ranks.push_back(of.ranks.front());
  }
  std::ranges::sort(most.ranks);
  const auto [from, to] = std::ranges::unique(most.ranks);
  most.ranks.erase(from, to);
  return most;
}

bool IsOnSome(const Facts& facts, const FunctionGrowth& found) {
  std::set<int64_t> all;
  for (const RankSteps& own : RankStepsOf(facts)) all.insert(own.rank->rank);
  return found.ranks.size() < all.size();
}

}  // namespace
}  // namespace growth

const std::optional<FunctionGrowth>& GrowingFunctionOf(const Facts& facts) {
  return facts.memo.Of<growth::FindFunctionOfRanks>(facts);
}

void AddGrowingFunction(Report& report, const Facts& facts) {
  using growth::Time;
  const std::optional<FunctionGrowth>& found = GrowingFunctionOf(facts);
  if (!found) return;
  const bool on_some = growth::IsOnSome(facts, *found);
  Cause cause{CauseKind::kHost};
  if (on_some && found->ranks.size() == 1) cause.rank = found->ranks.front();
  report.findings.push_back(
      {.message =
           Say("{function} grows by {time} per step{ranks}: from {first} to {last} over "
               "{steps}.",
               SayLeader(found->function), Time(found->each),
               on_some ? Say(" on {ranks}", SayRanks(found->ranks)) : Phrase(), Time(found->first),
               Time(found->last), Plural(static_cast<size_t>(found->steps), "step")),
       .because = "a line explains its time per step better than a change at one of them; nothing "
                  "else in these steps grows as much",
       .hint = "find what grows with each step in this function: a list that is kept and walked "
               "through, a cache, lengths of sequences",
       .impact = found->more,
       .table = "steps",
       .cause = cause,
       .nearness = Nearness::kCause,
       .extent = {found->whole, static_cast<double>(found->steps)}});
}

std::optional<int64_t> GrowthPerStep(const Facts& facts, int64_t rank) {
  const std::optional<RankGrowth>& steps = RankGrowthOf(facts);
  if (steps && steps->Rank() == rank) return steps->each;
  const std::optional<FunctionGrowth>& found = GrowingFunctionOf(facts);
  const bool alone = found && found->ranks == std::vector{rank} && growth::IsOnSome(facts, *found);
  return alone ? std::optional(found->each) : std::nullopt;
}

Phrase SayGrowth(int64_t each) { return Say("by {time} per step", growth::Time(each)); }

void AddGrowingRank(Report& report, const Facts& facts) {
  const std::optional<RankGrowth>& found = RankGrowthOf(facts);
  if (!found) return;
  int64_t whole = 0;
  for (const StepBreakdown& step : found->rank->steps) whole = AddSaturated(whole, step.Total());
  report.findings.push_back(
      {.message = Say("Steps of rank {rank} grow {growth}: {category} from {first} to {last} over "
                      "{steps}{function}.",
                      found->Rank(), SayGrowth(found->each), SayCategory(found->category, facts),
                      growth::Time(found->first), growth::Time(found->last),
                      Plural(static_cast<size_t>(found->steps), "step"),
                      growth::SayFunction(facts, *found)),
       .because = "a line explains its steps better than a change at one of them; on the other "
                  "ranks it does not grow, and they wait",
       .hint = growth::kFindWhatGrows,
       .impact = found->more,
       .table = "steps",
       .cause = {CauseOf(found->category), found->Rank()},
       .nearness = Nearness::kCause,
       .extent = {whole, static_cast<double>(found->rank->steps.size())}});
}

}  // namespace stepscope
