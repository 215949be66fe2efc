// Words the reasons, their evidence and the advice.
#include "analyses/late_words.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "analyses/advice.h"
#include "analyses/build.h"
#include "analyses/excess.h"
#include "analyses/saves.h"
#include "analyses/slow_host.h"
#include "analyses/thread_wait.h"
#include "analyses/work_rise.h"
#include "base/saturate.h"
#include "facts/derived/steps/step_categories.h"
#include "report/humanize.h"
#include "trace/frame_name.h"

namespace stepscope {
namespace late_words {
namespace {

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
}  // namespace late_words

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

namespace {

constexpr const char* kFindAdded =
    "find what adds this work: larger batches, longer sequences, more calls";

}  // namespace

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
      if (HasOneRank(facts) && facts.devices.size() < 2) return kFindAdded;
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
Phrase CallElsewhere(const Facts& facts, StringId op, const std::vector<int64_t>& ranks,
                     const std::optional<FrameTimes::Leader>& caller) {
  bool any_other = false;
  for (const RankActivity& rank : facts.ranks) {
    if (std::ranges::binary_search(ranks, rank.rank)) continue;
    if (std::ranges::find(rank.activities, op, &Activity::name) != rank.activities.end()) return {};
    any_other = true;
  }
  if (!any_other) return {};
  const Phrase who = SayRanks(ranks);
  const Phrase what = caller ? SayLeader(*caller) : Phrase(OperatorNameOf(facts, op));
  return ranks.size() == 1 ? Say("only {who} calls {operator}: call it less often, outside the "
                                 "step, or share it among ranks",
                                 who, what)
                           : Say("only {who} call {operator}: call it less often, outside the "
                                 "step, or share it among ranks",
                                 who, what);
}

}  // namespace

Phrase EventOf(const LateRank& late, const Facts& facts) {
  if (late.thread != nullptr) return Phrase::Name(LabelOf(late.thread->works.name));
  if (late.work != nullptr) return EventOf(facts, *late.work);
  if (late.function && late.reason != LateReason::kMoreCompute)
    return Phrase::Name(LabelOf(late.function->name));
  return late.excess && late.slow == nullptr ? OperatorNameOf(facts, late.excess->name) : Phrase();
}

Phrase LateHint(const LateRank& late, const Facts& facts) {
  if (late.thread != nullptr) return MoveThread(*late.thread);
  if (IsOfOtherType(late.excess)) return ConvertInputs(*late.excess);
  if (late.slow != nullptr) return kFindWhatSlows;
  if (late_words::IsBySaves(late, facts)) return SaveLessOften(facts);
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
        may_be_alone ? CallElsewhere(facts, late.excess->name, {who.rank}, late.function)
                     : Phrase();
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
  const bool of_all = WorkRisesOf(facts).IsOfAll(work);
  if (reason == LateReason::kMoreCompute) {
    const auto caller = CallerOf(facts, work);
    const Phrase elsewhere = CallElsewhere(facts, work.name, work.ranks, caller);
    if (!elsewhere.empty()) return elsewhere;
    if (of_all && caller) return SpeedUp(facts, *caller);
  }
  if (of_all && (reason == LateReason::kMoreCompute || reason == LateReason::kLargerInputs))
    return kFindAdded;
  const Phrase function = reason == LateReason::kHost ? SpeedUp(facts, work) : Phrase();
  return function.empty() ? LateHint(reason, facts) : function;
}

Phrase SayWork(const Facts& facts, const WorkRise& rise) {
  return Say("{cause} ({place})", LateReasonName(ReasonOf(facts, rise), facts),
             SayPlaceOf(facts, rise));
}

Phrase SayLateReason(const LateRank& late, const Facts& facts) {
  if (late.thread != nullptr)
    return Say("{cause}, while {thread} runs {function}", LateReasonName(late.reason, facts),
               SayThread(*late.thread), SayLeader(late.thread->works));
  if (late.work != nullptr) return SayWork(facts, *late.work);
  if (late.reason == LateReason::kUnknown) return "unknown cause";
  std::string_view name = LateReasonName(late.reason, facts);
  if (late.in_step_before) {
    return late.function ? Say("{cause} ({place}), for which others wait in the next step", name,
                               SayLeader(*late.function))
                         : Say("{cause}, for which others wait in the next step", name);
  }
  if (late.function && late.reason == LateReason::kCompute) {
    return Say("Python in {operator} ({function})", OperatorNameOf(facts, late.excess->name),
               SayLeader(*late.function));
  }
  if (late.function && late.reason != LateReason::kMoreCompute)
    return Say("{cause} ({place})", name, SayLeader(*late.function));
  if (IsOfOtherType(late.excess))
    return Say("{cause} ({place}, on {types})", name, OperatorNameOf(facts, late.excess->name),
               SayTypes(*late.excess));
  if (late.slow != nullptr) return "all that it runs takes longer";
  if (!late.excess) return name;
  if (late.reason == LateReason::kCompute && SizeIsUnknown(*late.excess))
    name = "slower operators or larger inputs";
  return Say("{cause} ({place})", name, SayCalled(facts, late.excess->name, late.function));
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
  else if (late.function && late.reason == LateReason::kCompute)
    behind = Say("; most of it in {operator}, in which {function} takes {time} more per step",
                 OperatorNameOf(facts, late.excess->name), SayLeader(*late.function),
                 HumanTime(static_cast<double>(late.function->time)));
  else if (late.excess)
    behind = SayOperator(late, facts);
  const auto more = [&](int64_t ns, std::string_view where) {
    return Say("{time} more in all than the median of the others {where}{behind}",
               HumanTime(static_cast<double>(ns)), where, behind);
  };
  switch (late.reason) {
    case LateReason::kCompute:
      return more(late.beyond.compute, !facts.OnHost() ? "in the same number of compute kernels"
                                       : late.function ? "in operators"
                                                       : "in the same number of operators");
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
  const Phrase evidence = SayMoreTime(late, facts);
  if (!late_words::IsBySaves(late, facts)) return evidence;
  return evidence + SaySavesBehind(facts, facts.collectives.ranks[late.rank].rank, 0);
}

}  // namespace stepscope
