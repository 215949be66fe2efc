// Words the function or the operator with the most time.
#include "analyses/overview_lead.h"

#include <algorithm>

#include "analyses/build.h"
#include "analyses/changes.h"
#include "analyses/thread_wait.h"
#include "analyses/work_finding.h"
#include "facts/derived/lateness/work_rises.h"
#include "facts/derived/python/leading_function.h"
#include "facts/derived/python/other_threads.h"
#include "facts/derived/steps/step_changes.h"
#include "report/humanize.h"
#include "trace/library_frames.h"

namespace stepscope::overview {
namespace {

bool Communicates(const RankActivity& rank) {
  return !rank.collectives.empty() ||
         std::ranges::any_of(rank.activities, [](const Activity& activity) {
           return activity.kind == Kind::kCommunication;
         });
}

// Whether the time of steps is that of one thread per process.
bool HostDecides(const Facts& facts) {
  const bool has_device = !facts.devices.empty() && !facts.OnHost();
  return !has_device && facts.launches.calls == 0 &&
         std::ranges::none_of(facts.ranks, Communicates);
}

// "62.0% of step time is in WHAT, 41.0 ms per step.", "62.0% of step time since step 6 …", "62.0%
// of the 489 ms recorded is in WHAT."; `rest` is before the stop.
Phrase SayShare(const Facts& facts, const std::vector<RankSteps>& ranks, const Phrase& what,
                int64_t time, int64_t whole, const Phrase& rest) {
  const double share = static_cast<double>(time) / static_cast<double>(whole);
  const auto steps = static_cast<double>(StatisticsOfTotals(ranks).steps);
  if (ranks.front().whole_recording) {
    return Say("{share} of the {time} recorded is in {what}{rest}.", HumanRatio(share),
               HumanTime(static_cast<double>(whole) / steps), what, rest);
  }
  const std::string each = HumanTime(static_cast<double>(time) / steps);
  if (const auto since = SinceRise(facts))
    return Say("{share} of step time since step {step} is in {what}, {time} per step{rest}.",
               HumanRatio(share), *since, what, each, rest);
  return Say("{share} of step time is in {what}, {time} per step{rest}.", HumanRatio(share), what,
             each, rest);
}

// Names a function without what it runs in, where that takes less: the time is the function's own.
FrameTimes::Leader WithoutPart(FrameTimes::Leader leader) {
  constexpr double kAll = 0.95;
  if (static_cast<double>(leader.time_within) < kAll * static_cast<double>(leader.time))
    leader.within = {};
  return leader;
}

// Whether what it runs in takes less.
bool HasPart(const FrameTimes::Leader& leader) {
  return !leader.within.function.empty() && WithoutPart(leader).within.function.empty();
}

// ", 84.5 ms of that in _EngineBase.run_backward": of a part of it that takes less.
Phrase SayPart(const std::vector<RankSteps>& ranks, const FrameTimes::Leader& leader) {
  if (!HasPart(leader)) return {};
  const auto steps = static_cast<double>(StatisticsOfTotals(ranks).steps);
  return Say(", {time} of that in {within}",
             HumanTime(static_cast<double>(leader.time_within) / steps), SayWithin(leader.within));
}

bool HaveMost(int64_t part, int64_t time) { return part >= time - part; }

// What operators have half of the function's time.
Phrase SayOperators(const Facts& facts, const LeadingFunction& lead) {
  const int64_t time = lead.function.time;
  if (HaveMost(lead.longest_operator, time) && lead.op != kNoString)
    return Say(", mostly in {operator}", ShortNameOf(facts, lead.op));
  return HaveMost(lead.operators, time) ? ", mostly in operators" : "";
}

// The loop itself, of which all is part: of a function, or of operators none of which has most.
bool IsLoop(const std::vector<RankSteps>& ranks, const LeadingFunction& lead) {
  constexpr double kAll = 0.95, kNearlyAll = 0.8;  // the loop waits for input outside of it, too
  const int64_t time = lead.function.time;
  const bool of_many = !ranks.front().whole_recording && HaveMost(lead.operators, time) &&
                       !HaveMost(lead.longest_operator, time);
  if (!of_many && !HasPart(lead.function)) return false;
  return static_cast<double>(time) >=
         (of_many ? kNearlyAll : kAll) * static_cast<double>(lead.whole);
}

// What other ranks do more explains most of the time that these spend in one function.
const WorkRise* FindWaitedFor(const Facts& facts, const std::vector<RankSteps>& ranks,
                              const FrameTimes::Leader& leader) {
  if (leader.ranks.empty()) return nullptr;
  const auto is_own = [&](int64_t rank) { return std::ranges::binary_search(leader.ranks, rank); };
  double steps = 0;
  for (const RankSteps& own : ranks)
    steps += is_own(own.rank->rank) ? static_cast<double>(own.steps.size()) : 0;
  const double each = static_cast<double>(leader.time) / std::max(steps, 1.0);
  for (const WorkRise& rise : WorkRisesOf(facts).rises) {
    const bool of_others = std::ranges::none_of(rise.ranks, is_own);
    const double share =
        static_cast<double>(rise.steps.size()) / static_cast<double>(rise.all_steps);
    if (of_others && 2 * static_cast<double>(rise.Difference()) * share >= each) return &rise;
  }
  return nullptr;
}

// "Rank 1 spends 10.5 ms more per step ...: .... Meanwhile ranks 0 and 2 are in receive
// (ring.py:5)."
Phrase SayWaitedFor(const Facts& facts, const WorkRise& rise, const FrameTimes::Leader& leader) {
  const Phrase said = SayWorkRise(facts, rise), ranks = SayRanks(leader.ranks);
  const Phrase function = SayLeader(leader);
  return leader.ranks.size() == 1
             ? Say("{rise} Meanwhile {rank} is in {function}.", said, ranks, function)
             : Say("{rise} Meanwhile {ranks} are in {function}.", said, ranks, function);
}

// What begins at a step is no cause of slow steps where these are not slower since.
bool MayBeCause(const Facts& facts, const ConcurrentThread& beside) {
  if (!beside.since || beside.locks.count > 0) return true;
  const StepChanges& changes = StepChangesOf(facts);
  return changes.step_time && changes.step_time->Difference() > 0 &&
         changes.AreNear(changes.step_time->since, *beside.since);
}

}  // namespace

std::optional<Lead> FindLead(const Facts& facts) {
  const std::vector<RankSteps>& ranks = StepsToMend(facts);
  if (ranks.empty() || !HostDecides(facts)) return std::nullopt;
  const StepBreakdown sum = SumOf(ranks);
  // A thread that waits for XLA's threads has their time in the function that waits.
  const bool of_programs = facts.ranks.front().framework == Framework::kJax && facts.OnHost();
  if (of_programs && 2 * TimeOf(sum, StepCategory::kOther) < sum.Total()) return std::nullopt;
  if (2 * TimeOf(sum, StepCategory::kCompilation) >= sum.Total()) return std::nullopt;
  if (const auto lead = FindLeadingFunction(facts, ranks)) {
    const FrameName& name = lead->function.name;
    const std::optional<ThreadWait>& wait = ThreadWaitOf(facts);
    if (wait && wait->waits.name == name) return Lead{SayThreadWait(facts, *wait), {}};
    if (const WorkRise* rise = FindWaitedFor(facts, ranks, lead->function))
      return Lead{SayWaitedFor(facts, *rise, lead->function), {}};
    const Phrase operators = SayOperators(facts, *lead);
    // A function that trains has most of it in operators, in any job.
    if (!operators.empty() && RunsBackward(lead->function.within)) return std::nullopt;
    if (IsLoop(ranks, *lead)) return std::nullopt;
    Lead said{SayShare(facts, ranks, SayLeader(WithoutPart(lead->function)), lead->function.time,
                       lead->whole, SayPart(ranks, lead->function) + operators)};
    if (lead->operators < lead->function.time / 4) said.function = name;
    said.of_operators = !operators.empty();
    // Python between operators takes more: see the findings.
    if (said.of_operators && 2 * TimeOf(sum, StepCategory::kOther) >= sum.Total())
      return std::nullopt;
    return said;
  }
  if (!facts.OnHost() || RecordedPython(facts)) return std::nullopt;
  const auto op = FindLeadingOperator(facts, ranks);
  if (!op || op->time < TimeOf(sum, StepCategory::kOther)) return std::nullopt;
  return Lead{
      SayShare(facts, ranks, ShortNameOf(facts, op->op), op->time, op->whole, {}), {}, true};
}

void AddConcurrentThread(const Facts& facts, const std::vector<RankSteps>& ranks,
                         const std::optional<Lead>& lead, Report& report) {
  if (!facts.devices.empty() && !facts.OnHost()) return;
  const auto beside = FindConcurrentThread(facts, ranks);
  if (!beside || !MayBeCause(facts, *beside)) return;
  const ThreadBehind behind = ThreadBehindChange(facts);
  const auto own = std::ranges::find(ranks, beside->rank, &RankSteps::rank);
  const Phrase thread = SayThread(*beside), function = SayLeader(beside->works);
  const std::string share = ShareOfThread(*beside);
  const Phrase whole = own->whole_recording ? Phrase("the trace")
                       : beside->since      ? Say("step time since step {step}", *beside->since)
                                            : Phrase("step time");
  Phrase message =
      !HasOneRank(facts)
          ? Say("Possible cause of slow steps on rank {rank}: {thread} runs {function} for {share} "
                "of {whole}, which holds Python's lock.",
                beside->rank->rank, thread, function, share, whole)
          : Say("Possible cause of slow steps: {thread} runs {function} for {share} of {whole}, "
                "which holds Python's lock.",
                thread, function, share, whole);
  // Waits for the lock that were seen come before what else is known.
  const bool leads = beside->locks.count > 0 && !lead;
  if (behind.thread == nullptr)
    report.headline = leads ? message + " " + report.headline : report.headline + " " + message;
  Finding finding{.severity = Severity::kMedium,
                  .message = std::move(message),
                  .because = SayThreadEvidence(*beside),
                  .hint = MoveThread(*beside),
                  .table = "step_time",
                  .since = beside->since};
  if (behind.thread != nullptr) {
    finding.cause = {behind.kind, beside->rank->rank};
    finding.nearness = Nearness::kPart;
  } else if (beside->locks.count > 0) {
    finding.impact = beside->locks.time;
    finding.cause = {CauseKind::kHost, beside->rank->rank};
    finding.nearness = Nearness::kCause;
    finding.extent = {SumOf({*own}).Total(), static_cast<double>(own->steps.size())};
  }
  report.findings.push_back(std::move(finding));
}

}  // namespace stepscope::overview
