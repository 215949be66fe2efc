// Sums frames of training threads, and the self times of operators that run in them.
#include "facts/derived/python/leading_function.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/operators/operator_trees.h"
#include "facts/derived/python/along_windows.h"
#include "facts/derived/python/step_function.h"

namespace stepscope {
namespace leading_function {
namespace {

constexpr double kLeast = 0.1;  // of the steps

// The self times of operators that begin within windows of a thread, by name.
class OperatorSums {
 public:
  void Add(const Facts& facts, const RankActivity& rank, uint32_t thread,
           const IntervalSet& windows) {
    const NarrowArray<int64_t>& self = SelfTimesOf(facts, rank);
    const AnywhereInWindows anywhere(windows);
    StopChecks checks;
    for (size_t r = 0; r < self.size(); ++r) {
      checks.Turn();
      const HostRange range = rank.host->ranges[r];
      if (self[r] == 0 || range.thread != thread || !anywhere.Holds(range.start)) continue;
      int64_t& sum = sums_[range.name];
      sum = AddSaturated(sum, self[r]);
      all_ = AddSaturated(all_, self[r]);
    }
  }

  int64_t all() const { return all_; }
  // By time, then name.
  std::pair<StringId, int64_t> Longest(const StringTable& names) const {
    std::pair<StringId, int64_t> longest{kNoString, 0};
    for (const auto& [name, time] : sums_) {
      const bool first = time == longest.second && longest.first != kNoString &&
                         names[name] < names[longest.first];
      if (time > longest.second || first) longest = {name, time};
    }
    return longest;
  }

 private:
  std::unordered_map<StringId, int64_t> sums_;
  int64_t all_ = 0;
};

}  // namespace
}  // namespace leading_function

std::optional<LeadingFunction> FindLeadingFunction(const Facts& facts,
                                                   const std::vector<RankSteps>& ranks) {
  // Without steps, the loop that holds all of them would have most of what it calls.
  const bool marked = ranks.empty() || !ranks.front().whole_recording;
  FrameTimes times(facts, marked ? FrameTimes::Loops::kOwn : FrameTimes::Loops::kGiveWay);
  LeadingFunction lead;
  for (const RankSteps& own : ranks) {
    const IntervalSet windows = UnionOf(WindowsOf(own));
    lead.whole = AddSaturated(lead.whole, LengthOf(windows));
    if (const auto thread = TrainingThread(*facts.names, *own.rank))
      times.Add(*own.rank, *thread, windows);
  }
  const auto leaders = times.Leaders(1, leading_function::kLeast);
  if (leaders.empty()) return std::nullopt;
  lead.function = leaders.front();
  leading_function::OperatorSums operators;
  for (const RankSteps& own : ranks) {
    const auto thread = TrainingThread(*facts.names, *own.rank);
    if (!thread) continue;
    operators.Add(
        facts, *own.rank, *thread,
        times.StretchesOf(*own.rank, *thread, UnionOf(WindowsOf(own)), lead.function.name));
  }
  lead.operators = operators.all();
  std::tie(lead.op, lead.longest_operator) = operators.Longest(*facts.names);
  return lead;
}

std::optional<LeadingOperator> FindLeadingOperator(const Facts& facts,
                                                   const std::vector<RankSteps>& ranks) {
  leading_function::OperatorSums operators;
  LeadingOperator lead;
  for (const RankSteps& own : ranks) {
    const IntervalSet windows = UnionOf(WindowsOf(own));
    lead.whole = AddSaturated(lead.whole, LengthOf(windows));
    if (const auto thread = ComputingThread(*facts.names, *own.rank))
      operators.Add(facts, *own.rank, *thread, windows);
  }
  std::tie(lead.op, lead.time) = operators.Longest(*facts.names);
  const bool enough =
      static_cast<double>(lead.time) >= leading_function::kLeast * static_cast<double>(lead.whole);
  if (lead.op == kNoString || !enough) return std::nullopt;
  return lead;
}

int64_t EvaluationTimeOf(const RankActivity& rank) {
  int64_t time = 0;
  for (const EvaluationRun& run : rank.evaluations) time = AddSaturated(time, run.end - run.start);
  return time;
}

int64_t EvaluationPerStep(const Facts& facts) {
  int64_t time = 0, steps = 0;
  for (const RankActivity& rank : facts.ranks) time = AddSaturated(time, EvaluationTimeOf(rank));
  for (const RankSteps& own : RankStepsOf(facts)) {
    if (own.whole_recording) return 0;
    steps += std::ssize(own.steps);
  }
  return steps == 0 ? 0 : time / steps;
}

bool OnlySomeEvaluate(const Facts& facts) {
  const auto evaluates = [](const RankActivity& rank) { return !rank.evaluations.empty(); };
  return std::ranges::any_of(facts.ranks, evaluates) &&
         !std::ranges::all_of(facts.ranks, evaluates);
}

std::optional<FrameTimes::Leader> EvaluatingFunction(const Facts& facts, const RankActivity& rank) {
  const std::vector<RankSteps>& ranks = RankStepsOf(facts);
  const auto own = std::ranges::find(ranks, &rank, &RankSteps::rank);
  if (own == ranks.end() || rank.evaluations.empty()) return std::nullopt;
  std::vector<Interval> runs;
  for (const EvaluationRun& run : rank.evaluations) runs.push_back({run.start, run.end});
  const IntervalSet windows = UnionOf(std::move(runs));
  if (windows.empty()) return std::nullopt;
  const int64_t half = LengthOf(windows) / std::ssize(windows) / 2;
  return FunctionBehind(facts, {&rank, windows}, {&rank, WindowsOf(*own)}, half);
}

}  // namespace stepscope
