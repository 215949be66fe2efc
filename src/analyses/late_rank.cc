// Compares what ranks spend time on.
#include "analyses/late_rank.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "analyses/advice.h"
#include "analyses/build.h"
#include "analyses/excess.h"
#include "analyses/saves.h"
#include "analyses/slow_host.h"
#include "analyses/thread_wait.h"
#include "analyses/work_rise.h"
#include "base/distribution.h"
#include "base/saturate.h"
#include "facts/derived/lateness/work_rises.h"
#include "facts/derived/python/leading_function.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/derived/steps/step_changes.h"
#include "report/humanize.h"
#include "trace/frame_name.h"

namespace stepscope {
namespace late_rank {
namespace {

constexpr double kExplains = 0.3;        // of what each other participant loses
constexpr double kExplainsOfAll = 0.05;  // of the delay, hidden or not
// Who computes more calls has more time between them too, that they cause. Of that time, what they
// take themselves is at least this.
constexpr double kBehindCalls = 0.5;

// What a rank spends more on in a step, the sharpest first: a device that idles may do so in
// operators too.
std::span<const StepQuantity> QuantitiesOf(LateReason reason) {
  using enum StepQuantity;
  static constexpr auto kOfCompute = std::to_array({kCompute});
  static constexpr auto kOfHost = std::to_array({kOther, kIdle});
  static constexpr auto kOfInput = std::to_array({kInput});
  switch (reason) {
    case LateReason::kCompute:
    case LateReason::kMoreCompute:
    case LateReason::kLargerInputs:
      return kOfCompute;
    case LateReason::kHost:
      return kOfHost;
    case LateReason::kInput:
      return kOfInput;
    default:
      return {};
  }
}

bool RunsMore(const LateRank& late, int64_t kernels) { return late.beyond.kernels > kernels / 20; }

bool CallsExplainHost(const LateRank& late, int64_t kernels) {
  const auto computes = static_cast<double>(late.beyond.compute);
  return RunsMore(late, kernels) &&
         computes >= kBehindCalls * static_cast<double>(late.beyond.host_late);
}

bool MayBeLink(const Facts& facts) {
  if (!facts.OnHost()) return true;
  std::set<std::string_view> machines;
  for (const RankActivity& rank : facts.ranks) {
    if (!rank.machine.empty()) machines.insert(rank.machine);
  }
  return machines.size() > 1;
}

// ns per step that it takes longer, of what only its host can be the reason for: whether that is
// saving checkpoints.
bool IsBySaves(const LateRank& late, const Facts& facts) {
  const int64_t rank = facts.collectives.ranks[late.rank].rank;
  if (late.work != nullptr)
    return SavesExplain(facts, rank, static_cast<double>(late.work->Difference()));
  if (late.reason != LateReason::kHost && late.reason != LateReason::kMoreCompute) return false;
  int64_t steps = 0;
  for (const RankSteps& own : RankStepsOf(facts))
    steps += own.rank->rank == rank ? std::ssize(own.steps) : 0;
  const int64_t compute = late.reason == LateReason::kHost ? 0 : late.beyond.compute;
  const int64_t more = AddSaturated(compute, std::max<int64_t>(late.beyond.host_late, 0));
  return SavesExplain(facts, rank,
                      static_cast<double>(more) / static_cast<double>(std::max<int64_t>(steps, 1)));
}

}  // namespace
}  // namespace late_rank

LateReason FindLateReason(const Facts& facts, const LateRank& late, int64_t kernels,
                          int64_t delay) {
  const RankEffort& b = late.beyond;
  const bool more_calls = late_rank::RunsMore(late, kernels);
  const int64_t with_calls = late_rank::CallsExplainHost(late, kernels)
                                 ? AddSaturated(b.compute, std::max<int64_t>(b.host_late, 0))
                                 : b.compute;
  const std::pair<int64_t, LateReason> reasons[] = {
      {with_calls, more_calls ? LateReason::kMoreCompute : LateReason::kCompute},
      {b.host_late, b.input >= b.host_late / 2 ? LateReason::kInput : LateReason::kHost},
      {b.input, LateReason::kInput},
      {b.copies, LateReason::kCopies},
      {late_rank::MayBeLink(facts) ? b.transfer : 0, LateReason::kLink}};
  // On a tie the first: host and input are often the same time, measured twice.
  const auto most = *std::ranges::max_element(reasons, {}, [](const auto& c) { return c.first; });
  const auto time = static_cast<double>(most.first);
  const bool explains = time > 0 && time >= late_rank::kExplains * static_cast<double>(late.lost) &&
                        time >= late_rank::kExplainsOfAll * static_cast<double>(delay);
  return explains ? most.second : LateReason::kUnknown;
}

std::string_view LateReasonName(LateReason reason, const Facts& facts) {
  // Where the host computes, it runs operators and launches nothing.
  constexpr std::array<std::string_view, 10> kOnHost = {
      "slower operators", "more operators", "larger inputs", "time between operators",
      "input wait",       "slower copies",  "slower link",   "evaluation between steps",
      "late start",       "unknown"};
  constexpr std::array<std::string_view, 10> kNames = {"slower compute kernels",
                                                       "more compute kernels",
                                                       "larger inputs",
                                                       "host-bound launch",
                                                       "input wait",
                                                       "slower copies",
                                                       "slower link",
                                                       "evaluation between steps",
                                                       "late start",
                                                       "unknown"};
  return (facts.OnHost() ? kOnHost : kNames)[static_cast<size_t>(reason)];
}

CauseKind CauseOf(LateReason reason) {
  switch (reason) {
    case LateReason::kCompute:
    case LateReason::kMoreCompute:
    case LateReason::kLargerInputs:
      return CauseKind::kCompute;
    case LateReason::kHost:
    case LateReason::kEvaluation:
      return CauseKind::kHost;
    case LateReason::kInput:
      return CauseKind::kInput;
    case LateReason::kCopies:
      return CauseKind::kCopies;
    case LateReason::kLink:
      return CauseKind::kCommunication;
    case LateReason::kBefore:
    case LateReason::kUnknown:
      break;
  }
  return CauseKind::kWait;
}

Phrase LateHint(LateReason reason, const Facts& facts) {
  switch (reason) {
    case LateReason::kCompute:
      if (facts.OnHost()) {
        return Say(
            "check what else runs on its machine, and the clocks of its processors ({command})",
            CommandForClocks(facts));
      }
      return Say(
          "check its device: clocks and temperature ({command}), other processes; replace it with "
          "a spare",
          CommandForClocks(facts));
    case LateReason::kMoreCompute:
    case LateReason::kLargerInputs:
      return "balance the work: pack sequences by length, balance experts or data across ranks";
    case LateReason::kHost:
      if (facts.OnHost()) return FollowPython(facts);
      return "check its host: CPU clocks, other processes, NUMA binding, and synchronization; see "
             "idle_time";
    case LateReason::kInput:
      return "give its data loader more workers, or check the storage it reads from";
    case LateReason::kCopies:
      return "check its PCIe link (lspci -vv), and pin the memory it copies from";
    case LateReason::kLink:
      return facts.OnHost()
                 ? Say("test its links: {test} between its host and others", NetworkTest(facts))
                 : Say("test its links: {test} between its host and others, InfiniBand counters",
                       NetworkTest(facts));
    case LateReason::kEvaluation:
      return "let each rank evaluate a part of the data, so that none waits; or evaluate less "
             "often, "
             "on fewer batches, or in another job";
    case LateReason::kBefore:
    case LateReason::kUnknown:
      break;
  }
  return "compare the timeline of this rank before its collectives with that of another rank";
}

namespace {

// What to do about an operator that no other rank runs; empty: others do.
Phrase CallElsewhere(const Facts& facts, StringId op, const std::vector<int64_t>& ranks) {
  for (const RankActivity& rank : facts.ranks) {
    if (std::ranges::binary_search(ranks, rank.rank)) continue;
    if (std::ranges::find(rank.activities, op, &Activity::name) != rank.activities.end()) return {};
  }
  const Phrase who = SayRanks(ranks);
  return ranks.size() == 1 ? Say("only {who} calls {operator}: call it less often, outside the "
                                 "step, or share it among ranks",
                                 who, OperatorNameOf(facts, op))
                           : Say("only {who} call {operator}: call it less often, outside the "
                                 "step, or share it among ranks",
                                 who, OperatorNameOf(facts, op));
}

}  // namespace

Phrase EventOf(const LateRank& late, const Facts& facts) {
  if (late.thread != nullptr) return Phrase::Name(LabelOf(late.thread->works.name));
  if (late.work != nullptr) return EventOf(facts, *late.work);
  if (late.function) return Phrase::Name(LabelOf(late.function->name));
  return late.excess && late.slow == nullptr ? OperatorNameOf(facts, late.excess->name) : Phrase();
}

Phrase LateHint(const LateRank& late, const Facts& facts) {
  if (late.thread != nullptr) return MoveThread(*late.thread);
  if (IsOfOtherType(late.excess)) return ConvertInputs(*late.excess);
  if (late.slow != nullptr) return kFindWhatSlows;
  if (late_rank::IsBySaves(late, facts)) return SaveLessOften(facts);
  if (late.work != nullptr && late.reason == LateReason::kHost) return LateHint(*late.work, facts);
  if (late.function && late.reason == LateReason::kHost && facts.OnHost())
    return SpeedUp(facts, *late.function);
  if (late.excess && late.reason == LateReason::kCompute) {
    const Phrase callback = SpeedUpCallback(facts, late.excess->name, late.function);
    if (!callback.empty()) return callback;
  }
  if (late.reason == LateReason::kMoreCompute) {
    if (late.work != nullptr) return LateHint(*late.work, facts);
    const RankCollectives& who = facts.collectives.ranks[late.rank];
    // Devices of one rank run its program together.
    const bool may_be_alone = late.excess && who.device < 0;
    const Phrase elsewhere =
        may_be_alone ? CallElsewhere(facts, late.excess->name, {who.rank}) : Phrase();
    if (!elsewhere.empty()) return elsewhere;
  }
  const Phrase hint = LateHint(late.reason, facts);
  const bool unknown =
      late.reason == LateReason::kCompute && late.excess && SizeIsUnknown(*late.excess);
  return unknown ? Say("{record}; if they are not, {hint}", Say(kRecordSizes, facts), hint) : hint;
}

Phrase LateHint(const WorkRise& work, const Facts& facts) {
  if (SavesExplain(facts, work.rank, static_cast<double>(work.Difference())))
    return SaveLessOften(facts);
  const LateReason reason = ReasonOf(facts, work);
  if (reason == LateReason::kMoreCompute) {
    const Phrase elsewhere = CallElsewhere(facts, work.name, work.ranks);
    if (!elsewhere.empty()) return elsewhere;
  }
  const Phrase function = reason == LateReason::kHost ? SpeedUp(facts, work) : Phrase();
  return function.empty() ? LateHint(reason, facts) : function;
}

const StepChange* RiseOf(LateReason reason, const Facts& facts, const RankCollectives& rank) {
  const StepChanges& changes = StepChangesOf(facts);
  for (const StepQuantity quantity : late_rank::QuantitiesOf(reason)) {
    if (const StepChange* change = changes.Rise(quantity, rank.rank, rank.device)) return change;
  }
  return nullptr;
}

LateReason ReasonOf(const Facts& facts, const WorkRise& rise) {
  if (rise.kind == WorkKind::kCalls) return LateReason::kMoreCompute;
  if (rise.kind == WorkKind::kSize) return LateReason::kLargerInputs;
  std::vector<int64_t> more, others;
  for (const RankSteps& own : RankStepsOf(facts)) {
    if (own.rank->rank != rise.rank) continue;
    for (const StepBreakdown& step : own.steps)
      (rise.steps.contains(step.window.number) ? more : others)
          .push_back(TimeOf(step, StepCategory::kInput));
  }
  const int64_t input = Describe(more).p50 - Describe(others).p50;
  return input >= rise.Difference() / 2 ? LateReason::kInput : LateReason::kHost;
}

Phrase SayWork(const Facts& facts, const WorkRise& rise) {
  return Say("{cause} ({place})", LateReasonName(ReasonOf(facts, rise), facts),
             SayPlaceOf(facts, rise));
}

void TakeWork(const Facts& facts, LateRank& late) {
  const WorkRises& work = WorkRisesOf(facts);
  const WorkRise* own = work.Of(facts.collectives.ranks[late.rank].rank);
  const bool of_one = own != nullptr && (own->in_turn || !work.IsOfAll(*own));
  if (!of_one || IsBySlowHost(facts, *own)) return;
  late.work = own;
  late.reason = ReasonOf(facts, *own);
  late.since = own->since;
}

void AddEvaluation(const Facts& facts, LateRank& late) {
  if (late.reason != LateReason::kUnknown) return;
  const int64_t rank = facts.collectives.ranks[late.rank].rank;
  const RankActivity* evaluates = nullptr;
  std::map<int64_t, int64_t> times;  // by rank
  for (const RankActivity& of : facts.ranks) {
    int64_t& time = times[of.rank];
    time = AddSaturated(time, EvaluationTimeOf(of));
    if (of.rank == rank && !of.evaluations.empty() && evaluates == nullptr) evaluates = &of;
  }
  if (evaluates == nullptr) return;
  std::vector<int64_t> others;
  for (const auto& [other, time] : times) {
    if (other != rank) others.push_back(time);
  }
  const int64_t more = times[rank] - Describe(others).p50;
  if (static_cast<double>(more) < late_rank::kExplains * static_cast<double>(late.lost)) return;
  late.reason = LateReason::kEvaluation;
  late.evaluates = more;
  late.function = EvaluatingFunction(facts, *evaluates);
}

void AddLateStart(const Facts& facts, LateRank& late) {
  if (late.reason != LateReason::kUnknown) return;
  const auto least = static_cast<int64_t>(late_rank::kExplains * static_cast<double>(late.lost));
  late.start = FindLateStart(facts, late.rank, least);
  if (late.start) late.reason = LateReason::kBefore;
}

void AddExcess(const Facts& facts, LateRank& late, const std::set<int64_t>* steps) {
  if (!IsCompute(late.reason)) return;
  const StringId name = late.work == nullptr ? kNoString : late.work->name;
  late.excess = ExcessOverOthers(facts, late.rank, steps, name);
  if (late.work != nullptr || !late.excess) return;
  constexpr auto kReasons = std::to_array<LateReason>(
      {LateReason::kMoreCompute, LateReason::kLargerInputs, LateReason::kCompute});
  late.reason = kReasons[static_cast<size_t>(KindOf(*late.excess))];
  if (late.excess->since) late.since = late.excess->since;
  const RankCollectives& who = facts.collectives.ranks[late.rank];
  // Of a rank with all its devices.
  if (late.reason == LateReason::kCompute && late.since && who.device < 0)
    late.slow = SlowSince(facts, who.rank, *late.since);
}

namespace {

// ns per step, half of which a function must take more; 0: there is none to look for.
int64_t TimeOfFunction(const LateRank& late, size_t steps) {
  if (late.work != nullptr || late.slow != nullptr) return 0;
  if (late.reason == LateReason::kHost) return late.beyond.host_late / static_cast<int64_t>(steps);
  if (late.reason == LateReason::kCompute && late.excess) return ToInt64(late.excess->time);
  return 0;
}

}  // namespace

void AddFunction(const Facts& facts, LateRank& late, const std::set<int64_t>* steps) {
  if (!facts.OnHost()) return;
  const int64_t rank = facts.collectives.ranks[late.rank].rank;
  const std::vector<RankSteps>& ranks = RankStepsOf(facts);
  const auto is_own = [&](const RankSteps& of) { return of.rank->rank == rank; };
  const auto late_steps = std::ranges::find_if(ranks, is_own);
  const auto others = std::ranges::find_if_not(ranks, is_own);
  if (late_steps == ranks.end() || others == ranks.end()) return;
  const auto counts = [&](int64_t step) { return steps == nullptr || steps->contains(step); };
  const RankWindows own{late_steps->rank, WindowsOf(*late_steps, counts)};
  const RankWindows other{others->rank, WindowsOf(*others, counts)};
  if (own.windows.empty() || other.windows.empty()) return;
  const int64_t more = TimeOfFunction(late, own.windows.size());
  if (more <= 0) return;
  late.function = FunctionBehind(facts, own, other, more / 2);
  if (!late.function) return;
  const bool there = late.reason == LateReason::kCompute
                         ? RunsIn(facts, *own.rank, late.function->name, late.excess->name)
                         : RunsBetween(facts, own, *late.function, more / 2);
  if (!there) late.function.reset();
  // What calls it within the operator is the framework.
  if (late.function && late.reason == LateReason::kCompute) late.function->caller = {};
}

void AddThread(const Facts& facts, LateRank& late) {
  const bool more_work = late.work != nullptr || late.function || late.in_step_before;
  const bool by_thread = late.reason == LateReason::kCompute || late.reason == LateReason::kHost;
  if (facts.OnHost() && late.since && by_thread && !more_work)
    late.thread = ThreadSince(facts, facts.collectives.ranks[late.rank].rank, *late.since);
}

Phrase SayLateReason(const LateRank& late, const Facts& facts) {
  if (late.thread != nullptr)
    return Say("{cause}, while {thread} runs {function}", LateReasonName(late.reason, facts),
               SayThread(*late.thread), SayLeader(late.thread->works));
  if (late.work != nullptr) return SayWork(facts, *late.work);
  if (late.reason == LateReason::kUnknown) return "unknown cause";
  std::string_view name = LateReasonName(late.reason, facts);
  if (late.in_step_before) {
    return late.function
               ? Say("{cause} in the step before ({place})", name, SayLeader(*late.function))
               : Say("{cause} in the step before", name);
  }
  if (late.function && late.excess) {
    return Say("Python in {operator} ({function})", OperatorNameOf(facts, late.excess->name),
               SayLeader(*late.function));
  }
  if (late.function) return Say("{cause} ({place})", name, SayLeader(*late.function));
  if (IsOfOtherType(late.excess))
    return Say("{cause} ({place}, on {types})", name, OperatorNameOf(facts, late.excess->name),
               SayTypes(*late.excess));
  if (late.slow != nullptr) return "all that it runs takes longer";
  if (!late.excess) return name;
  if (late.reason == LateReason::kCompute && SizeIsUnknown(*late.excess))
    name = "slower operators or larger inputs";
  return Say("{cause} ({place})", name, OperatorNameOf(facts, late.excess->name));
}

namespace {

// What its Python did meanwhile, in the steps that it is late in.
Phrase SayPythonOf(const LateRank& late, const Facts& facts) {
  return SayPythonWhileIdle(facts, facts.collectives.ranks[late.rank].rank,
                            late.in_step_before ? std::nullopt : late.since);
}

// The operator behind longer compute, of all steps where it takes more than the rank takes longer.
Phrase SayOperator(const LateRank& late, const Facts& facts) {
  constexpr double kClearlyMore = 1.2;
  const int64_t rank = facts.collectives.ranks[late.rank].rank;
  const RankSteps* own = StepsOfRank(facts, rank);
  if (late.reason == LateReason::kMoreCompute && !late.excess->since && own != nullptr) {
    const auto all = ExcessOverOthers(facts, late.rank, nullptr, late.excess->name);
    const double longer = static_cast<double>(late.beyond.compute);
    const double in_all = all ? all->time * static_cast<double>(own->steps.size()) : 0;
    if (in_all > kClearlyMore * longer) return SayExcessAlone(facts, *all);
  }
  return SayExcess(facts, *late.excess);
}

Phrase SayMoreTime(const LateRank& late, const Facts& facts) {
  // Noise may hide from sums what is seen in a part.
  const int64_t beyond = IsCompute(late.reason) ? late.beyond.compute : late.beyond.host_late;
  if (late.work != nullptr && beyond <= 0) return SayWorkEvidence(facts, *late.work);
  Phrase behind;
  if (late.slow != nullptr)
    behind = Phrase("; ") + SaySlowEvidence(*late.slow);
  else if (late.excess && late.function)
    behind = Say("; most of it in {operator}, in which {function} takes {time} more per step",
                 OperatorNameOf(facts, late.excess->name), SayLeader(*late.function),
                 HumanTime(static_cast<double>(late.function->time)));
  else if (late.excess)
    behind = SayOperator(late, facts);
  const auto more = [&](int64_t ns, std::string_view where) {
    return Say("{time} more than the median of the others {where}{behind}",
               HumanTime(static_cast<double>(ns)), where, behind);
  };
  switch (late.reason) {
    case LateReason::kCompute:
      return more(late.beyond.compute, facts.OnHost() ? "in the same number of operators"
                                                      : "in the same number of compute kernels");
    case LateReason::kMoreCompute: {
      const bool host = facts.OnHost();
      if (late.beyond.host_late <= late.beyond.compute)
        return more(late.beyond.compute, host ? "in more operators" : "in more compute kernels");
      return more(
          AddSaturated(late.beyond.compute, late.beyond.host_late),
          host ? "in more operators and between them" : "in more compute kernels and between them");
    }
    case LateReason::kLargerInputs:
      return more(late.beyond.compute, "in operators on larger inputs");
    case LateReason::kHost:
      return more(late.beyond.host_late,
                  facts.OnHost() ? "between operators" : "idle before late launches") +
             SayPythonOf(late, facts);
    case LateReason::kInput:
      return more(late.beyond.input, "in its data loader") + SayPythonOf(late, facts);
    case LateReason::kCopies:
      return more(late.beyond.copies, "in memcpy and memset");
    case LateReason::kLink:
      return more(late.beyond.transfer, "in transfer");
    case LateReason::kEvaluation:
      return more(late.evaluates, "in forward passes without training");
    case LateReason::kBefore:
      return late.start ? SayLateStartEvidence(*late.start) : Phrase();
    case LateReason::kUnknown:
      break;
  }
  return "its trace shows no cause";
}

}  // namespace

Phrase SayLateEvidence(const LateRank& late, const Facts& facts) {
  Phrase evidence = SayMoreTime(late, facts);
  if (late.in_step_before) evidence = Say("in the steps before these, {evidence}", evidence);
  if (!late_rank::IsBySaves(late, facts)) return evidence;
  return evidence + SaySavesBehind(facts, facts.collectives.ranks[late.rank].rank, 0);
}

}  // namespace stepscope
