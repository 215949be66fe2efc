// Sums the outermost operators of these kinds by rank and name.
#include "analyses/overview_operator.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "analyses/build.h"
#include "analyses/growth.h"
#include "base/intervals.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/python/along_windows.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/steps/step_changes.h"
#include "report/humanize.h"
#include "trace/processor_names.h"

namespace stepscope {
namespace overview_operator {
namespace {

constexpr double kLeast = 0.15;   // of the steps of each rank
constexpr double kFewCalls = 50;  // per step

struct Work {
  int64_t time = 0, calls = 0;
  std::vector<Interval> runs;
};

// By name, of one rank's steps.
std::map<StringId, Work> WorkOf(const Facts& facts, const RankSteps& own) {
  const IntervalSet windows = UnionOf(WindowsOf(own));
  const AnywhereInWindows in_steps(windows);
  std::map<StringId, bool> known;
  std::map<StringId, Work> all;
  StopChecks checks;
  for (const Activity& activity : own.rank->activities) {
    checks.Turn();
    if (activity.kind != Kind::kCompute || !in_steps.Holds(activity.start)) continue;
    const auto [at, is_new] = known.try_emplace(activity.name, false);
    if (is_new) at->second = IsSeldomNeeded((*facts.names)[activity.name]);
    if (!at->second) continue;
    Work& work = all[activity.name];
    work.time = AddSaturated(work.time, activity.duration());
    ++work.calls;
    work.runs.push_back({activity.start, activity.end});
  }
  return all;
}

// Of all ranks: the least of their shares of step time, and sums.
struct Candidate {
  double least_share = std::numeric_limits<double>::infinity();
  int64_t time = 0, calls = 0;
  size_t ranks = 0;
};

}  // namespace
}  // namespace overview_operator

void AddLongOperator(const Facts& facts, const std::vector<RankSteps>& all, Report& report) {
  using namespace overview_operator;
  if (!facts.OnHost() || all.empty() || all.front().whole_recording) return;
  // What they take more since step time rises is told of that change.
  const std::optional<int64_t> since = SinceRise(facts);
  const std::vector<RankSteps> ranks = since ? StepsBefore(all, *since) : all;
  if (ranks.empty()) return;
  std::vector<std::map<StringId, Work>> work;
  std::map<StringId, Candidate> candidates;
  for (const RankSteps& own : ranks) {
    const auto whole = static_cast<double>(std::max<int64_t>(SumOf({own}).Total(), 1));
    for (const auto& [name, of_rank] : work.emplace_back(WorkOf(facts, own))) {
      Candidate& c = candidates[name];
      c.least_share = std::min(c.least_share, static_cast<double>(of_rank.time) / whole);
      c.time = AddSaturated(c.time, of_rank.time);
      c.calls += of_rank.calls;
      ++c.ranks;
    }
  }
  const StepStatistics total = StatisticsOfTotals(ranks);
  const auto steps = static_cast<double>(total.steps);
  std::erase_if(candidates, [&](const auto& entry) {
    const Candidate& c = entry.second;
    return c.ranks < ranks.size() || c.least_share < kLeast ||
           static_cast<double>(c.calls) > kFewCalls * steps;
  });
  if (candidates.empty()) return;
  const auto& [name, most] = *std::ranges::max_element(
      candidates, {}, [](const auto& entry) { return entry.second.time; });
  FrameTimes python(facts);
  for (size_t r = 0; r < ranks.size(); ++r) {
    if (const auto thread = TrainingThread(*facts.names, *ranks[r].rank))
      python.Add(*ranks[r].rank, *thread, UnionOf(std::move(work[r].at(name).runs)));
  }
  // That a function takes longer and longer says more.
  const std::optional<FunctionGrowth>& growth = GrowingFunctionOf(facts);
  const auto leaders = python.Leaders(1, 0.5);
  if (growth && !leaders.empty() && leaders.front().name == growth->function.name) return;
  const Phrase function = LargestFrame(python, 0.5);
  const double each = static_cast<double>(most.time) / steps;
  const bool on_all = !HasOneRank(facts) && AllAreRecorded(facts);
  report.findings.push_back(
      {.message = Say("{share} of step time is in {operator}{function}{on_all}.",
                      HumanRatio(each / total.mean), OperatorNameOf(facts, name),
                      function.empty() ? Phrase() : Say(", in {function}", function),
                      on_all ? ", on all ranks" : ""),
       .because = Say("{time} per step, {each} a call", HumanTime(each),
                      HumanTime(static_cast<double>(most.time) / static_cast<double>(most.calls))),
       .hint =
           "find out whether each step needs it: else take it out or call it less often; if so, "
           "give it less, or use what does less (topk instead of sort)",
       .impact = most.time / std::ssize(ranks),
       .table = "step_time",
       .cause = {CauseKind::kHost},
       .nearness = Nearness::kCause,
       .where = {.event = OperatorNameOf(facts, name)}});
}

}  // namespace stepscope
