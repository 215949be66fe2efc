// Words growth, and finds the function behind it.
#include "analyses/growth.h"

#include <algorithm>
#include <string_view>

#include "analyses/build.h"
#include "base/saturate.h"
#include "facts/derived/python/step_function.h"
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

}  // namespace
}  // namespace growth

const RankGrowth* GrowthOf(const Facts& facts, int64_t rank) {
  const std::optional<RankGrowth>& found = RankGrowthOf(facts);
  return found && found->Rank() == rank ? &*found : nullptr;
}

Phrase SayGrowth(const RankGrowth& growing) {
  return Say("by {time} per step", growth::Time(growing.each));
}

void AddGrowingRank(Report& report, const Facts& facts) {
  const std::optional<RankGrowth>& found = RankGrowthOf(facts);
  if (!found) return;
  int64_t whole = 0;
  for (const StepBreakdown& step : found->rank->steps) whole = AddSaturated(whole, step.Total());
  report.findings.push_back(
      {.message = Say("Steps of rank {rank} grow {growth}: {category} from {first} to {last} over "
                      "{steps}{function}.",
                      found->Rank(), SayGrowth(*found), SayCategory(found->category, facts),
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
