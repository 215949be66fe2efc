// Counts the operators that a function runs itself, and its time in Python within one.
#include "analyses/overview_loops.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "analyses/advice.h"
#include "analyses/build.h"
#include "base/intervals.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/modules/autograd_links.h"
#include "facts/derived/python/along_windows.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/python/step_function.h"
#include "report/humanize.h"
#include "trace/frame_name.h"
#include "trace/library_frames.h"

namespace stepscope {
namespace overview_loops {
namespace {

constexpr double kLeast = 0.1;     // of the steps
constexpr double kPerCall = 50;    // calls of one operator per call of the function
constexpr double kShort = 20'000;  // ns an operator
constexpr size_t kMostLooked = 4;  // functions

constexpr Advice kWholeTensors{
    "replace its loop by operations on whole tensors, or compile it (torch.compile)",
    "replace its loop by operations on whole tensors, or compile it (tf.function)",
    "replace its loop by operations on whole arrays (vmap, lax.scan), or jit it"};

// What the function runs itself, on all ranks.
struct Work {
  int64_t calls = 0;      // of the function
  int64_t operators = 0;  // outermost ones
  int64_t time = 0;       // ns, of these
  int64_t most = 0;       // calls of the operator that runs most often
};

// Where a rank's thread is in a function, in its steps.
struct Stretches {
  const RankSteps* own;
  uint32_t thread;
  IntervalSet within;
};

std::vector<Stretches> StretchesOfAll(const Facts& facts, const std::vector<RankSteps>& ranks,
                                      FrameTimes& times, const FrameName& function) {
  std::vector<Stretches> all;
  for (const RankSteps& own : ranks) {
    if (const auto thread = TrainingThread(*facts.names, *own.rank))
      all.push_back({&own, *thread,
                     times.StretchesOf(*own.rank, *thread, UnionOf(WindowsOf(own)), function)});
  }
  return all;
}

Work WorkOf(const Facts& facts, const std::vector<Stretches>& all, const FrameName& function) {
  Work work;
  std::unordered_map<StringId, int64_t> counts;
  StopChecks checks;
  for (const auto& [own, thread, within] : all) {
    const IntervalSet windows = UnionOf(WindowsOf(*own));
    const AnywhereInWindows in_steps(windows), in_function(within);
    for (const Interval& call : CallsOf(facts, *own->rank, function))
      work.calls += in_steps.Holds(call.start) ? 1 : 0;
    for (const Activity& activity : own->rank->activities) {
      checks.Turn();
      if (activity.kind != Kind::kCompute || !in_function.Holds(activity.start)) continue;
      ++work.operators;
      work.time = AddSaturated(work.time, activity.duration());
      work.most = std::max(work.most, ++counts[activity.name]);
    }
  }
  return work;
}

bool IsLoop(const Work& work) {
  const auto operators = static_cast<double>(work.operators);
  return work.calls > 0 &&
         static_cast<double>(work.most) >= kPerCall * static_cast<double>(work.calls) &&
         static_cast<double>(work.time) <= kShort * operators;
}

// Those that spend time in the function.
std::vector<RankSteps> RanksOf(const std::vector<RankSteps>& ranks,
                               const FrameTimes::Leader& leader) {
  std::vector<RankSteps> own = ranks;
  if (!leader.ranks.empty())
    std::erase_if(own, [&](const RankSteps& of) {
      return !std::ranges::binary_search(leader.ranks, of.rank->rank);
    });
  return own;
}

// ns that autograd takes for what the function runs.
int64_t BackwardOfAll(const std::vector<Stretches>& all) {
  int64_t time = 0;
  for (const auto& [own, thread, within] : all)
    time = AddSaturated(time, BackwardOf(*own->rank->host, thread, within));
  return time;
}

Finding OfLoop(const Facts& facts, const std::vector<RankSteps>& ranks,
               const FrameTimes::Leader& leader, const Work& work, int64_t backward) {
  const StepStatistics total = StatisticsOfTotals(ranks);
  const auto steps = static_cast<double>(total.steps);
  const double each = static_cast<double>(leader.time) / steps,
               then = static_cast<double>(backward) / steps;
  const bool known = std::ranges::all_of(
      ranks, [](const RankSteps& own) { return own.rank->host->autograd.size() > 0; });
  const Phrase also = backward > 0
                          ? Say("; {time} more for them in the backward pass", HumanTime(then))
                      : known ? Phrase()
                              : Phrase("; what they take in the backward pass comes on top");
  const Phrase on = leader.ranks.empty() ? Phrase() : Say(" on {ranks}", SayRanks(leader.ranks));
  return {.message = Say("{function} runs {count} short operators per step{on}: {share} of step "
                         "time.",
                         SayLeader(leader), HumanCount(static_cast<double>(work.operators) / steps),
                         on, HumanRatio((each + then) / total.mean)),
          .because =
              Say("{time} per step, {operators} of it in operators of {each} each{also}",
                  HumanTime(each), HumanTime(static_cast<double>(work.time) / steps),
                  HumanTime(static_cast<double>(work.time) / static_cast<double>(work.operators)),
                  also),
          .hint = Say(kWholeTensors, facts)};
}

// ns of a function's stretches in operators that it runs itself, also within another one's.
int64_t OperatorsWithin(const RankActivity& rank, uint32_t thread, const IntervalSet& stretches) {
  const AnywhereInWindows in_function(stretches);
  std::vector<Interval> operators;
  StopChecks checks;
  for (const HostRange& range : rank.host->ranges) {
    checks.Turn();
    if (range.kind == Kind::kOperator && range.thread == thread && in_function.Holds(range.start))
      operators.push_back({range.start, range.end});
  }
  return LengthOf(Intersection(UnionOf(std::move(operators)), stretches));
}

// Whether the function computes in Python or NumPy, within an operator of the user's such as a
// torch.autograd.Function: what it runs between operators others tell, and communication.
bool ComputesWithin(const Facts& facts, const std::vector<Stretches>& all, int64_t leader_time) {
  constexpr double kHardly = 0.25, kMost = 0.5;  // of its time
  const auto time = static_cast<double>(leader_time);
  int64_t computing = 0, operators = 0;
  for (const auto& [own, thread, within] : all) {
    const IntervalSet computes = StretchesOf(*own, *facts.names, StepCategory::kDeviceCompute);
    computing = AddSaturated(computing, LengthOf(Intersection(within, computes)));
    operators = AddSaturated(operators, OperatorsWithin(*own->rank, thread, within));
  }
  return static_cast<double>(computing) >= kMost * time &&
         static_cast<double>(operators) <= kHardly * time;
}

Finding OfPython(const std::vector<RankSteps>& ranks, const FrameTimes::Leader& leader) {
  const StepStatistics total = StatisticsOfTotals(ranks);
  const double each = static_cast<double>(leader.time) / static_cast<double>(total.steps);
  return {
      .message = Say("{function} takes {time} of {step} per step on all ranks, in Python within "
                     "an operator.",
                     SayLeader(leader), HumanTime(each), HumanTime(total.mean)),
      .because = Say("{share} of step time, and hardly any of it in operators that it runs",
                     HumanRatio(each / total.mean)),
      .hint =
          "compute it by operations on whole tensors instead of Python or NumPy, or run it "
          "less often; see python"};
}

}  // namespace
}  // namespace overview_loops

void AddWithinOperators(const Facts& facts, const std::vector<RankSteps>& ranks, Report& report) {
  using namespace overview_loops;
  if (!facts.OnHost() || ranks.empty() || ranks.front().whole_recording || !HasPython(facts))
    return;
  FrameTimes times(facts);
  for (const RankSteps& own : ranks) {
    if (const auto thread = TrainingThread(*facts.names, *own.rank))
      times.Add(*own.rank, *thread, UnionOf(WindowsOf(own)));
  }
  for (const FrameTimes::Leader& leader : times.Leaders(kMostLooked, kLeast)) {
    // What a library does there takes the time, or the backward pass.
    const FrameName& within = leader.within;
    if (!within.function.empty() && (IsOfLibrary(within) || RunsBackward(within))) continue;
    const std::vector<Stretches> all = StretchesOfAll(facts, ranks, times, leader.name);
    const Work work = WorkOf(facts, all, leader.name);
    const bool loops = IsLoop(work);
    // Of one process the first sentence tells where most time is; of one rank of several, what
    // others wait for.
    const bool in_python = !loops && !HasOneRank(facts) && leader.ranks.empty() && work.calls > 0 &&
                           ComputesWithin(facts, all, leader.time);
    if (!loops && !in_python) continue;
    const int64_t backward = loops ? BackwardOfAll(all) : 0;
    const std::vector<RankSteps> own = RanksOf(ranks, leader);
    Finding finding = loops ? OfLoop(facts, own, leader, work, backward) : OfPython(own, leader);
    finding.impact = AddSaturated(leader.time, backward) / std::ssize(own);
    finding.table = "step_time";
    finding.cause = {CauseKind::kHost};
    if (leader.ranks.size() == 1) finding.cause.rank = leader.ranks.front();
    // Of what takes most between operators, if that is more; what it takes in backward is beside.
    finding.nearness = backward > 0 ? Nearness::kCause : Nearness::kPart;
    finding.where.event = Phrase::Name(LabelOf(leader.name));
    report.findings.push_back(std::move(finding));
    return;
  }
}

}  // namespace stepscope
