// Compares functions by rank, by step and by call.
#include "analyses/overview_functions.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "analyses/build.h"
#include "base/growth.h"
#include "base/robust.h"
#include "base/saturate.h"
#include "facts/derived/python/step_function.h"
#include "report/humanize.h"
#include "report/period_of_steps.h"

namespace stepscope::overview {

Phrase SayMoreOnOne(const Facts& facts, const std::vector<RankSteps>& ranks) {
  const auto time = [](const RankSteps& own) {
    return StatisticsOf({own}, StepCategory::kOther).mean;
  };
  const auto [least, most] = std::ranges::minmax_element(ranks, {}, time);
  const double more = time(*most) - time(*least);
  constexpr double kOfStep = 0.05;
  if (more < kStandsOut * time(*most) || more < kOfStep * StatisticsOfTotals(ranks).mean) return {};
  // Where several have about as much, it is not that rank.
  const auto has_much = [&](const RankSteps& own) { return time(own) > time(*least) + more / 2; };
  if (std::ranges::count_if(ranks, has_much) > 1) return {};
  const auto function = FunctionBehind(facts, {most->rank, WindowsOf(*most)},
                                       {least->rank, WindowsOf(*least)}, ToInt64(more / 2));
  if (!function) return {};
  return Say("{rank} spends more in {function}", SayRanks(std::array{most->rank->rank}),
             SayLeader(*function));
}

namespace {

// " in steps 5 and 10", " in 5 of 12 steps". REQUIRES: two or more.
Phrase SayNumbers(const std::vector<int64_t>& in, size_t all) {
  constexpr size_t kMostNumbers = 4;
  if (in.size() > kMostNumbers) return Say(" in {count} of {all} steps", in.size(), all);
  return Say(" in steps {steps} and {last}", AllButLast(in), in.back());
}

}  // namespace

Phrase SayStepsOf(const Facts& facts, const std::vector<RankSteps>& ranks, const FrameName& name,
                  Where& where) {
  const RankSteps* most = nullptr;
  std::vector<int64_t> times;
  int64_t of_most = 0;
  for (const RankSteps& own : ranks) {
    std::vector<int64_t> of_steps = TimesIn(facts, {own.rank, WindowsOf(own)}, name);
    const int64_t sum = std::accumulate(of_steps.begin(), of_steps.end(), int64_t{0}, AddSaturated);
    if (sum <= of_most || of_steps.size() != own.steps.size()) continue;
    most = &own;
    times = std::move(of_steps);
    of_most = sum;
  }
  if (most == nullptr) return {};
  constexpr int64_t kHardlyAny = 10;  // a tenth of the longest
  const int64_t least = std::ranges::max(times) / kHardlyAny;
  std::vector<size_t> in;
  std::vector<int64_t> numbers;
  for (size_t s = 0; s < times.size(); ++s) {
    numbers.push_back(most->steps[s].window.number);
    if (times[s] > least) in.push_back(s);
  }
  if (2 * in.size() > times.size()) return {};
  where.rank = most->rank->rank;
  for (const size_t s : in) where.steps.push_back(numbers[s]);
  if (in.size() == 1) return Say(", in step {step}", numbers[in.front()]);
  if (in.back() - in.front() + 1 == in.size())
    return Say(", in steps {first} to {last}", numbers[in.front()], numbers[in.back()]);
  const auto period = FindPeriodOfSteps(numbers, times, static_cast<double>(least));
  return period ? Say(", {period}", period->Say())
                : Say(",{when}", SayNumbers(where.steps, times.size()));
}

Phrase SayStepsWith(const std::vector<RankSteps>& ranks, StepCategory category, Where& where) {
  constexpr int64_t kHardlyAny = 10;   // a tenth of the longest
  std::map<int64_t, int64_t> longest;  // of the ranks, by step
  int64_t most = 0;
  for (const RankSteps& own : ranks) {
    for (const StepBreakdown& step : own.steps) {
      int64_t& time = longest[step.window.number];
      time = std::max(time, TimeOf(step, category));
      most = std::max(most, time);
    }
  }
  std::vector<int64_t> in;
  for (const auto& [number, time] : longest) {
    if (time > most / kHardlyAny) in.push_back(number);
  }
  if (in.size() < 2 || 2 * in.size() > longest.size()) return {};
  where.steps = in;
  return SayNumbers(in, longest.size());
}

Phrase SayGrowingCalls(const Facts& facts, const std::vector<RankSteps>& ranks,
                       const FrameTimes& python) {
  constexpr double kLeast = 0.5;  // of a median call
  if (!ranks.front().whole_recording || ranks.size() != 1) return {};
  const auto leaders = python.Leaders(1, kStandsOut);
  if (leaders.empty()) return {};
  const std::vector<int64_t> calls = CallTimes(facts, *ranks.front().rank, leaders.front().name);
  if (calls.empty()) return {};
  const auto growth = FindGrowth(calls, kLeast * Median({calls.begin(), calls.end()}));
  if (!growth) return {};
  const double last = growth->first + growth->each * static_cast<double>(calls.size() - 1);
  return Say("; its {calls} take longer and longer, from {first} to {last}",
             Plural(calls.size(), "call"), HumanTime(std::max(growth->first, 0.0)),
             HumanTime(last));
}

}  // namespace stepscope::overview
