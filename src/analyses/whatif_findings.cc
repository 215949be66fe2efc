// Says what origins cost, by replays.
#include "analyses/whatif_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyses/build.h"
#include "analyses/changes.h"
#include "analyses/excess.h"
#include "analyses/late_words.h"
#include "analyses/thread_wait.h"
#include "analyses/whatif_worths.h"
#include "base/saturate.h"
#include "facts/derived/collectives/step_times.h"
#include "facts/derived/lateness/work_rises.h"
#include "facts/derived/python/called_communication.h"
#include "facts/derived/python/other_threads.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/derived/replay/origins.h"
#include "facts/derived/replay/replay_error.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/derived/steps/step_changes.h"
#include "report/humanize.h"

namespace stepscope::whatif {
namespace {

// ", most of it in gemm in Linear", ", most of it before aten::linear".
Phrase SayUnits(const Facts& facts, const OriginRank& late) {
  if (late.of.name == kNoString) return {};
  const Phrase name = SayMost(facts, {{late.of.name, 1}});
  return late.of.kind == UnitKind::kBefore ? Say(", most of it before {unit}", name)
                                           : Say(", most of it in {unit}", name);
}

// " since step 3", " in steps 3, 6 and 9", " in 5 of 12 steps".
Phrase SayWhen(const JobGraph& graph, const Origin& origin) {
  constexpr size_t kFew = 4;
  if (origin.since) return Say(" since step {first}", *origin.since);
  if (origin.in_steps.empty()) return {};
  if (origin.in_steps.size() > kFew)
    return Say(" in {count} of {all} steps", origin.in_steps.size(), graph.steps.size());
  const auto first = std::span(origin.in_steps).first(origin.in_steps.size() - 1);
  return Say(" in steps {steps} and {last}", fmt::format("{}", fmt::join(first, ", ")),
             origin.in_steps.back());
}

// "Ranks 5 and 9 together hold the job up since step 3".
Phrase SayWho(const JobGraph& graph, const Origin& origin) {
  std::vector<int64_t> ranks{graph.ranks[origin.late.rank].rank->rank};
  for (const OriginRank& other : origin.with) ranks.push_back(graph.ranks[other.rank].rank->rank);
  std::ranges::sort(ranks);
  const Phrase who = Capitalized(SayRanks(ranks)), when = SayWhen(graph, origin);
  if (graph.ranks.size() == 1) return Say("{rank} takes longer{when}", who, when);
  return ranks.size() > 1 ? Say("{ranks} together hold the job up{when}", who, when)
                          : Say("{rank} holds the job up{when}", who, when);
}

// `saved` by mending them, ns per step: on processors a sum over threads that overlap is far more
// than that, and is not told.
Phrase SayExcess(const Facts& facts, const OriginRank& late, bool several, double saved) {
  constexpr double kOverlaps = 1.5;
  const JobGraph& graph = JobGraphOf(facts);
  const Phrase than = late.as_before ? Phrase("than before")
                                     : Say("than on {ranks} with the same work",
                                           Plural(graph.work[late.rank].peers.size() - 1, "rank"));
  const std::string more = HumanTime(static_cast<double>(late.excess));
  const Phrase units = SayUnits(facts, late);
  if (!several && facts.OnHost() && static_cast<double>(late.excess) > kOverlaps * saved)
    return Say("its own work takes longer {than}{units}", than, units);
  if (!several)
    return Say("its own work takes {time} more per step {than}{units}", more, than, units);
  return Say("rank {rank}'s own work takes {time} more per step{since} {than}{units}",
             graph.ranks[late.rank].rank->rank, more,
             late.since ? Say(" since step {first}", *late.since) : Phrase(), than, units);
}

// Of all of them, the one with most of it first.
Phrase SayExcesses(const Facts& facts, const Origin& origin, double saved) {
  std::vector<OriginRank> ranks = origin.with;
  ranks.push_back(origin.late);
  std::ranges::stable_sort(ranks, std::ranges::greater{}, &OriginRank::excess);
  Phrase all;
  for (const OriginRank& late : ranks)
    all += Phrase(all.empty() ? "" : "; ") + SayExcess(facts, late, ranks.size() > 1, saved);
  return all;
}

// " in gemm alone" where only that was changed, so that what it costs is the cost of that.
Phrase SayOnly(const Facts& facts, const OriginRank& late) {
  if (!late.of_one_name || late.of.name == kNoString) return {};
  const Phrase name = SayMost(facts, {{late.of.name, 1}});
  return late.of.kind == UnitKind::kBefore ? Say(" before {unit} alone", name)
                                           : Say(" in {unit} alone", name);
}

// Behind what the rank's host takes longer before some operator, than before or than on a rank with
// the same work.
std::optional<FrameTimes::Leader> FunctionOf(const Facts& facts, const Origin& origin) {
  const OriginRank& late = origin.late;
  const JobGraph& graph = JobGraphOf(facts);
  if (late.of.kind != UnitKind::kBefore || !HasPython(facts)) return std::nullopt;
  const auto since = [&](int64_t step) { return !origin.since || step >= *origin.since; };
  const auto steps_of = [&](uint32_t rank) {
    return StepsOfRank(facts, graph.ranks[rank].rank->rank);
  };
  const RankSteps* const own = steps_of(late.rank);
  if (own == nullptr) return std::nullopt;
  const RankWindows slow{own->rank, WindowsOf(*own, since)};
  const auto behind = [&](const RankWindows& others) -> std::optional<FrameTimes::Leader> {
    auto function = FunctionBehind(facts, slow, others, late.excess / 2);
    return function && RunsBetween(facts, slow, *function, late.excess / 2) ? std::move(function)
                                                                            : std::nullopt;
  };
  if (late.as_before) return behind({own->rank, WindowsOf(*own, std::not_fn(since))});
  for (const uint32_t peer : graph.work[late.rank].peers) {
    const RankSteps* const other = peer == late.rank ? nullptr : steps_of(peer);
    if (other == nullptr) continue;
    if (auto function = behind({other->rank, WindowsOf(*other, since)})) return function;
  }
  return std::nullopt;
}

// What mending it saves of each step, ns; of the function behind it, where only this rank runs
// that, and leaving it out saves more: the rank's own work counts what takes less since then, too.
std::vector<int64_t> SavedOf(const Facts& facts, const Origin& origin,
                             const std::optional<FrameTimes::Leader>& function,
                             std::span<const AskedChange> changes) {
  const auto asks = [&](const AskedChange& change) {
    return function && change.since == origin.since && change.function &&
           change.function->name == function->name &&
           (change.function->ranks.size() == 1 || HasOneRank(facts));
  };
  const auto at = std::ranges::find_if(changes, asks);
  if (at == changes.end()) return origin.saved;
  std::vector<int64_t> saved = OriginsOf(facts).recorded;
  for (size_t s = 0; s < saved.size(); ++s) saved[s] = SubtractSaturated(saved[s], at->lengths[s]);
  const auto mean = [&](const std::vector<int64_t>& of) {
    return MeanStep(facts, of, origin.since);
  };
  const bool is_more = mean(saved) > mean(origin.saved) && mean(saved) <= origin.late.excess;
  return is_more ? saved : origin.saved;
}

// The thread that holds Python's lock of the late rank since then, as other analyses name it; null:
// none is known.
const ConcurrentThread* ThreadOf(const Facts& facts, const Origin& origin) {
  if (!facts.OnHost() || !origin.since || !origin.with.empty()) return nullptr;
  const int64_t rank = JobGraphOf(facts).ranks[origin.late.rank].rank->rank;
  // Operators that take longer only later wait for the same lock.
  const ConcurrentThread* thread = ThreadBy(facts, rank, *origin.since);
  const bool waits = thread != nullptr && thread->locks.count > 0 && origin.late.as_before &&
                     origin.late.of.kind == UnitKind::kHost;
  return waits ? thread : ThreadSince(facts, rank, *origin.since);
}

// ", where thread 8644 runs _aggregate (hooks.py:69), which holds Python's lock".
Phrase SayThreadOf(const ConcurrentThread* thread) {
  return thread == nullptr ? Phrase()
                           : Say(", where {thread} runs {function}, which holds Python's lock",
                                 SayThread(*thread), SayLeader(thread->works));
}

// "; the median step before took 150 ms".
Phrase SayBefore(const std::optional<ShorterSteps>& shorter) {
  return shorter ? Say("; the median step before took {time}",
                       HumanTime(static_cast<double>(shorter->before)))
                 : Phrase();
}

Phrase HintOf(const Facts& facts, const OriginRank& late, const ConcurrentThread* thread,
              const std::optional<FrameTimes::Leader>& function) {
  if (thread != nullptr) return MoveThread(*thread);
  const WorkRise* work = WorkRisesOf(facts).Of(JobGraphOf(facts).ranks[late.rank].rank->rank);
  const bool has_more = work != nullptr && work->kind != WorkKind::kBetween;
  if (has_more && late.of.kind == UnitKind::kHost) return LateHint(*work, facts);
  if (late.as_before && CauseOfChange(facts).kind == CauseKind::kInput)
    return LateHint(LateReason::kInput, facts);
  if (late.of.name != kNoString && late.of.kind == UnitKind::kHost) {
    const Phrase callback = SpeedUpCallback(facts, late.of.name, std::nullopt);
    if (!callback.empty()) return callback;
  }
  if (2 * late.of_devices > late.excess)
    return "check clocks, temperature and power of the device, and whether the rank has more work "
           "than others";
  if (function) return SpeedUp(facts, *function);
  if (facts.OnHost() && late.as_before && late.of.kind == UnitKind::kHost)
    return "its operators take longer: look at what else runs on its cores, at their clock and at "
           "the number of threads";
  return "look at what the host of this rank does between launches: see `python`";
}

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

}  // namespace

void AddOriginFindings(Report& report, const Facts& facts, std::span<const AskedChange> changes) {
  const JobGraph& graph = JobGraphOf(facts);
  const Origins& origins = OriginsOf(facts);
  const auto mean = [&](const std::vector<int64_t>& lengths, const Origin& origin) {
    return static_cast<double>(MeanStep(facts, lengths, origin.since));
  };
  // Of a step: operators that take longer than before by less may do so by other load.
  constexpr double kLittle = 0.1;
  const bool known = report.status == Status::kOk;
  std::vector<int64_t> lengths = origins.recorded;
  for (const Origin& origin : origins.found) {
    double before = 0;  // saved by those before in the same steps
    for (const Origin& first : std::span(&origins.found.front(), &origin))
      before += mean(first.saved, origin);
    const ConcurrentThread* const thread = ThreadOf(facts, origin);
    const auto function = thread == nullptr ? FunctionOf(facts, origin) : std::nullopt;
    const std::vector<int64_t> saved_of = SavedOf(facts, origin, function, changes);
    for (size_t s = 0; s < saved_of.size(); ++s)
      lengths[s] = SubtractSaturated(lengths[s], saved_of[s]);
    const auto shorter = ShorterThanBefore(facts, lengths, origin.since);
    const double error = ReplayErrorOf(facts).OfPrice(origin.since);
    const double saved = mean(saved_of, origin),
                 recorded = static_cast<double>(RecordedStep(facts, origin.since));
    const Phrase who = SayWho(graph, origin) + SayThreadOf(thread),
                 excesses = SayExcesses(facts, origin, saved);
    const std::string of = HumanTime(recorded);
    const Phrase time = shorter ? Say("up to {time}", HumanTime(saved)) : Phrase(HumanTime(saved));
    const Phrase only =
        function ? Say(" in {function}", SayLeader(*function)) : SayOnly(facts, origin.late);
    const std::string without = HumanTime(recorded - before - saved);
    const int64_t rank = graph.ranks[origin.late.rank].rank->rank;
    const bool to_balance = facts.OnHost() && !origin.since && origin.with.empty() && !function &&
                            GetsLargerInputs(facts, rank);
    const bool may_be_load = facts.OnHost() && origin.late.as_before && origin.with.empty() &&
                             origin.late.of.kind == UnitKind::kHost && !function &&
                             thread == nullptr && saved < kLittle * recorded;
    const double worth = saved * (to_balance ? ShareOfBalancing(graph.ranks.size()) : 1);
    report.findings.push_back(
        {.message = origin.in_steps.empty()
                        ? Say("{who}: {saved} of {recorded} per step{only}.", who, time, of, only)
                        : Say("{who}: {saved} of {recorded} per step on average{only}.", who, time,
                              of, only),
         .because = (before > 0 ? Say("{excess}; a replay without that, and without what costs "
                                      "more, takes {time} (± {error})",
                                      excesses, without, HumanRatio(error))
                                : Say("{excess}; a replay without that takes {time} (± {error})",
                                      excesses, without, HumanRatio(error))) +
                    SayBefore(shorter) +
                    (to_balance ? Say("; balancing it saves {time} per step", HumanTime(worth))
                                : Phrase()),
         .hint = HintOf(facts, origin.late, thread, function),
         .impact = ToInt64(worth * static_cast<double>(StepsSince(graph, origin.since))),
         .table = "changes",
         .cause = {CauseKind::kWait, rank},
         .nearness = may_be_load ? Nearness::kSymptom
                                 : Nearness::kPart,  // under what says why, if that is known
         .extent = ExtentOfSteps(facts),
         .since = origin.since,
         .worth = known && !shorter && !origin.late.of_one_name
                      ? std::optional(WorthOf(worth, recorded, error,
                                              static_cast<double>(origin.late.excess)))
                      : std::nullopt,
         .by_replay = ReplayErrorOf(facts).Prices(origin.since)});
    if (may_be_load) report.findings.back().at_most = Severity::kLow;
    if (function) report.findings.back().where.event = Phrase::Name(LabelOf(function->name));
  }
}

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
  report.findings.push_back(
      {.message = Say("{function} takes {time} of {step} per step on {ranks}{others}.",
                      SayLeader(*most.function), HumanTime(static_cast<double>(*most.on_all)),
                      HumanTime(recorded),
                      AllAreRecorded(facts) ? "all ranks" : "all recorded ranks", others),
       .because = because + SayWaitsInCalls(communicates, saved, *most.on_all),
       .hint = calls ? AdviseOnCalls(*called) : Say(kCallLess, facts),
       .impact = ToInt64(saved * static_cast<double>(StepsSince(JobGraphOf(facts), std::nullopt))),
       .table = "changes",
       .cause = {communicates ? CauseKind::kCommunication : CauseKind::kHost},
       .nearness = Nearness::kCause,
       .extent = ExtentOfSteps(facts),
       .where = {.event = Phrase::Name(LabelOf(name))}});
}

}  // namespace stepscope::whatif
