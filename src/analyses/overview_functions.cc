// Compares functions by rank, by step and by call.
#include "analyses/overview_functions.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "analyses/build.h"
#include "base/growth.h"
#include "base/robust.h"
#include "base/saturate.h"
#include "facts/derived/python/step_function.h"
#include "report/humanize.h"
#include "report/period_of_steps.h"
#include "trace/vocabulary.h"

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

Phrase SayStepsWith(const std::vector<RankSteps>& ranks, StepCategory category, Where& where) {
  constexpr int64_t kHardlyAny = 10;   // a tenth of the longest
  std::map<int64_t, int64_t> longest;  // of the ranks, by step
  for (const RankSteps& own : ranks) {
    for (const StepBreakdown& step : own.steps) {
      int64_t& time = longest[step.window.number];
      time = std::max(time, TimeOf(step, category));
    }
  }
  std::vector<int64_t> numbers, times, in;
  for (const auto& [number, time] : longest) {
    numbers.push_back(number);
    times.push_back(time);
  }
  if (times.empty()) return {};
  const int64_t least = std::ranges::max(times) / kHardlyAny;
  const Phrase when = SaySteps(numbers, times, static_cast<double>(least), in);
  if (in.size() < 2) return {};
  where.steps = std::move(in);
  return when;
}

namespace {

// "train" of "PjitFunction(train)"; empty: no such name.
std::string_view ProgramOfCall(std::string_view name) {
  for (const std::string_view call : {"PjitFunction(", "JaxPmapFunction("}) {
    if (name.starts_with(call) && name.ends_with(')'))
      return name.substr(call.size(), name.size() - call.size() - 1);
  }
  return {};
}

bool Compiles(std::string_view name) {
  return HostActivityOfName(name) == HostActivity::kCompilation;
}

// Of the innermost call around the range; empty also where the range is within another one that
// compiles.
std::string_view ProgramAround(const Facts& facts, const HostOps& host, const HostRange& range) {
  for (int32_t above = range.parent; above != kNoRange;) {
    const HostRange around = host.ranges[static_cast<size_t>(above)];
    const std::string_view name = (*facts.names)[around.name];
    if (Compiles(name)) return {};
    if (const std::string_view program = ProgramOfCall(name); !program.empty()) return program;
    above = around.parent;
  }
  return {};
}

// Whether any of the steps, which are in order, holds the moment.
bool IsWithin(const RankSteps& own, int64_t time) {
  const auto after = std::ranges::upper_bound(
      own.steps, time, {}, [](const StepBreakdown& step) { return step.window.start; });
  return after != own.steps.begin() && time < std::prev(after)->window.end;
}

}  // namespace

std::string_view ProgramCompiled(const Facts& facts, const std::vector<RankSteps>& ranks) {
  std::map<std::string_view, int64_t> programs;
  std::map<StringId, bool> compiles;
  int64_t all = 0;
  for (const RankSteps& own : ranks) {
    for (const HostRange& range : own.rank->host->ranges) {
      const auto [at, is_new] = compiles.try_emplace(range.name);
      if (is_new) at->second = Compiles((*facts.names)[range.name]);
      if (!at->second || !IsWithin(own, range.start)) continue;
      const std::string_view program = ProgramAround(facts, *own.rank->host, range);
      if (program.empty()) continue;
      int64_t& sum = programs[program];
      sum = AddSaturated(sum, range.duration());
      all = AddSaturated(all, range.duration());
    }
  }
  const auto most = std::ranges::max_element(programs, {}, [](const auto& p) { return p.second; });
  if (most == programs.end() || 2 * most->second <= all) return {};
  return most->first;
}

std::optional<FrameTimes::Leader> WaitsForFileLock(const FrameTimes& python) {
  constexpr size_t kLooked = 6;
  constexpr double kLeast = 0.05;
  for (const FrameTimes::Leader& leader : python.Leaders(kLooked, kLeast)) {
    const std::string_view waits = leader.within.function;
    if (waits.ends_with("flock") || waits.ends_with("lockf")) return leader;
  }
  return std::nullopt;
}

Phrase SayFileLock(const FrameTimes::Leader& waits, int64_t steps) {
  return Say(" {function} waits for a file lock for {time} per step.",
             Phrase::Name(LabelOf(waits.name)),
             HumanTime(static_cast<double>(waits.time_within) /
                       static_cast<double>(std::max<int64_t>(steps, 1))));
}

Phrase HoldLessLong(const FrameTimes::Leader& waits) {
  return Say(
      "processes take turns at the file lock of {function}: hold it for less time, or give each "
      "process a file of its own; see python",
      Phrase::Name(LabelOf(waits.name)));
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
