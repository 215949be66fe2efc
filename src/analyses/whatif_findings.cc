// Says what slow links and functions cost, by replays.
#include "analyses/whatif_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyses/build.h"
#include "analyses/whatif_worths.h"
#include "base/intervals.h"
#include "base/saturate.h"
#include "facts/derived/collectives/step_times.h"
#include "facts/derived/modules/autograd_links.h"
#include "facts/derived/python/called_communication.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/derived/replay/replay_error.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/derived/steps/step_changes.h"
#include "report/humanize.h"

namespace stepscope::whatif {
namespace {

constexpr Advice kCallLess{
    "call it less often or make it faster; where it loops over parameters, use torch._foreach_ "
    "functions, and .item() once at the end; see python",
    "call it less often or make it faster, or put it into a tf.function; see python",
    "call it less often or make it faster, or put it into jax.jit; see python"};

// Whether the overview names the function that has most of the time between operators: then that
// is a large part of steps, and the function a large part of that.
bool IsLargestBetweenOperators(const Facts& facts) {
  constexpr double kOfStep = 0.15, kOfThat = 0.25;
  const std::vector<RankSteps>& ranks = StepsToMend(facts);
  const StepBreakdown sum = SumOf(ranks);
  const auto between = static_cast<double>(TimeOf(sum, StepCategory::kOther));
  return between >= kOfStep * static_cast<double>(sum.Total()) &&
         !PythonDuring(facts, ranks, StepCategory::kOther).Leaders(1, kOfThat).empty();
}

// Where the function's calls start communication that counts, and what it costs is most of what is
// exposed beyond wait time: the function is the cause of that.
bool IsBehindCommunication(const Facts& facts, const FrameName& function, double saved) {
  constexpr double kLeast = 0.05, kMost = 0.5;  // of a step, and of what is exposed
  const StepTimes sum = TypicalTimes::Sum(TypicalTimesOf(facts).now);
  const auto exposed =
      static_cast<double>(sum.Mean(static_cast<size_t>(StepCategory::kDeviceCollectives)));
  if (exposed < kLeast * static_cast<double>(sum.MeanTotal()) || saved < kMost * exposed)
    return false;
  int64_t communication = 0;
  for (const DeviceFacts& device : facts.devices)
    communication = AddSaturated(communication, device.total.Communication());
  return CountsIn(CommunicationIn(facts, function), communication);
}

// Of the time of a function: what the change does not save.
Phrase SayWaitsInCalls(bool communicates, double saved, int64_t time) {
  constexpr double kNearlyAll = 0.95;
  return communicates && saved < kNearlyAll * static_cast<double>(time)
             ? "; the rest of its time waits for ranks that come later"
             : "";
}

// ns per step that the backward pass takes for operators that the function runs: no part of its
// calls.
double BackwardPerStep(const Facts& facts, const FrameName& function) {
  int64_t time = 0;
  double steps = 0;
  for (const RankSteps& own : RankStepsOf(facts)) {
    const auto thread = TrainingThread(*facts.names, *own.rank);
    if (!thread) continue;
    const IntervalSet calls = UnionOf(CallsOf(facts, *own.rank, function));
    const IntervalSet in_steps = Intersection(calls, UnionOf(WindowsOf(own)));
    time = AddSaturated(time, BackwardOf(*own.rank->host, *thread, in_steps));
    steps += static_cast<double>(own.steps.size());
  }
  return static_cast<double>(time) / std::max(steps, 1.0);
}

}  // namespace

void AddLinkFindings(Report& report, const Facts& facts, std::span<const AskedChange> changes) {
  const JobGraph& graph = JobGraphOf(facts);
  for (const AskedChange& change : changes) {
    if (change.link == nullptr) continue;
    const SlowLink& link = *change.link;
    const double error = ReplayErrorOf(facts).OfPrice(change.since);
    const CollectiveGroup& group = facts.collectives.groups[link.group];
    const auto recorded = static_cast<double>(RecordedStep(facts, change.since));
    const auto saved = static_cast<double>(change.Saved(facts));
    if (saved < std::max(kLeastCost, error) * recorded) continue;
    const int64_t steps = StepsSince(graph, change.since);
    const Phrase of = group.members.empty() ? Phrase() : Say(" ({ranks})", SayRanks(group.members));
    const Phrase alike = Plural(link.alike, "group");
    const std::string usual = HumanTime(link.usual);
    report.findings.push_back(
        {.message = Say("Transfers of group {group}{ranks} take {times} times as long {as}{since}: "
                        "{saved} of {recorded} per step.",
                        Phrase::Name(group.label), of, fmt::format("{:.1f}", link.times),
                        link.alike == 0 ? Phrase("as before") : Say("as on {groups} alike", alike),
                        link.since ? Say(" since step {first}", *link.since) : Phrase(),
                        HumanTime(saved), HumanTime(recorded)),
         .because =
             Say("{collective} takes {now} once its last rank has come, {usual}; a replay without "
                 "that takes {time} (± {error})",
                 Phrase::Name(std::string((*facts.names)[link.operation])), HumanTime(link.now),
                 link.alike == 0 ? Say("before {time}", usual)
                                 : Say("on {groups} alike {time}", alike, usual),
                 HumanTime(recorded - saved), HumanRatio(error)),
         .hint = CheckLinks(facts),
         .impact = ToInt64(saved * static_cast<double>(steps)),
         .table = "changes",
         .cause = {CauseKind::kCommunication, std::nullopt},
         .nearness = Nearness::kCause,
         .extent = ExtentOfSteps(facts),
         .since = change.since,
         .worth = report.status == Status::kOk
                      ? std::optional(WorthOf(saved, recorded, error,
                                              link.excess / static_cast<double>(steps)))
                      : std::nullopt});
  }
}

void AddFunctionFindings(Report& report, const Facts& facts, std::span<const AskedChange> changes) {
  constexpr double kCounts = 0.05;  // of a step: a function may be there for a reason
  if (!facts.OnHost() || IsLargestBetweenOperators(facts)) return;
  std::vector<const AskedChange*> functions;
  for (const AskedChange& change : changes) {
    if (change.on_all && !change.since) functions.push_back(&change);
  }
  if (functions.empty()) return;
  const AskedChange& most = *functions.front();
  const auto recorded = static_cast<double>(RecordedStep(facts, std::nullopt));
  const auto saved = static_cast<double>(most.Saved(facts));
  if (saved < kCounts * recorded) return;
  const double error = ReplayErrorOf(facts).OfPrice(std::nullopt);
  Phrase others, because;
  for (const AskedChange* change : functions) {
    const Phrase label = Phrase::Name(LabelOf(change->function->name));
    const auto left = recorded - static_cast<double>(change->Saved(facts));
    if (change != &most)
      others += Say(", {function} {time}", label, HumanTime(static_cast<double>(*change->on_all)));
    because += Say("{and}without {function} a step of a replay takes {time} (± {error})",
                   because.empty() ? "" : "; ", label, HumanTime(left), HumanRatio(error));
  }
  const FrameName& name = most.function->name;
  const bool communicates = IsBehindCommunication(facts, name, saved);
  const auto& called = CalledCommunicationOf(facts);
  const bool calls = communicates && called && called->caller == name;
  if (calls) others += Say("; it calls {function}", Phrase::Name(std::string(called->function)));
  const double backward = BackwardPerStep(facts, name);
  const Phrase also =
      backward < kCounts * saved
          ? Phrase()
          : Say("; the backward pass takes {time} for what it runs, too", HumanTime(backward));
  report.findings.push_back(
      {.message = Say("{function} takes {time} of {step} per step on {ranks}{others}.",
                      SayLeader(*most.function), HumanTime(static_cast<double>(*most.on_all)),
                      HumanTime(recorded),
                      AllAreRecorded(facts) ? "all ranks" : "all recorded ranks", others),
       .because = because + SayWaitsInCalls(communicates, saved, *most.on_all) + also,
       .hint = calls ? AdviseOnCalls(*called) : Say(kCallLess, facts),
       .impact = ToInt64((saved + backward) *
                         static_cast<double>(StepsSince(JobGraphOf(facts), std::nullopt))),
       .table = "changes",
       .cause = {communicates ? CauseKind::kCommunication : CauseKind::kHost},
       .nearness = Nearness::kCause,
       .extent = ExtentOfSteps(facts),
       .where = {.event = Phrase::Name(LabelOf(name))}});
}

}  // namespace stepscope::whatif
