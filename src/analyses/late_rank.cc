// Compares what ranks spend time on.
#include "analyses/late_rank.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "analyses/excess.h"
#include "analyses/slow_host.h"
#include "base/distribution.h"
#include "base/saturate.h"
#include "facts/derived/lateness/work_rises.h"
#include "facts/derived/python/leading_function.h"
#include "facts/derived/python/other_threads.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/derived/steps/step_changes.h"
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

bool MayBeLink(const Facts& facts, uint32_t participant) {
  if (MayWaitForAbsent(facts, participant)) return false;
  if (!facts.OnHost()) return true;
  std::set<std::string_view> machines;
  for (const RankActivity& rank : facts.ranks) {
    if (!rank.machine.empty()) machines.insert(rank.machine);
  }
  return machines.size() > 1;
}

// ns per step that it takes longer, of what only its host can be the reason for: whether that is
}  // namespace
}  // namespace late_rank

bool MayWaitForAbsent(const Facts& facts, uint32_t rank) {
  const int64_t number = facts.collectives.ranks[rank].rank;
  return std::ranges::any_of(facts.collectives.groups, [&](const CollectiveGroup& group) {
    const bool has_absent = group.present > 0 && group.size > group.present;
    return has_absent &&
           (group.members.empty() || std::ranges::binary_search(group.members, number));
  });
}

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
      {late_rank::MayBeLink(facts, late.rank) ? b.transfer : 0, LateReason::kLink}};
  // On a tie the first: host and input are often the same time, measured twice.
  const auto most = *std::ranges::max_element(reasons, {}, [](const auto& c) { return c.first; });
  const auto time = static_cast<double>(most.first);
  const bool explains = time > 0 && time >= late_rank::kExplains * static_cast<double>(late.lost) &&
                        time >= late_rank::kExplainsOfAll * static_cast<double>(delay);
  return explains ? most.second : LateReason::kUnknown;
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
  if (late.excess && late.reason != LateReason::kLargerInputs) return ToInt64(late.excess->time);
  return 0;
}

// Whether a function that takes longer in these windows is what the reason is of.
bool IsBehind(const Facts& facts, const LateRank& late, const RankWindows& own,
              const FrameTimes::Leader& function, int64_t least) {
  switch (late.reason) {
    case LateReason::kCompute:
      return RunsIn(facts, *own.rank, function.name, late.excess->name);
    case LateReason::kMoreCompute:
      return Calls(facts, own, function.name, late.excess->name);
    default:
      return RunsBetween(facts, own, function, least);
  }
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
  // What an operator calls, such as a hook of a tensor, is no reason for the operator to run more.
  if (late.reason == LateReason::kMoreCompute &&
      RunsIn(facts, *own.rank, late.function->name, late.excess->name))
    late.reason = LateReason::kCompute;
  else if (!IsBehind(facts, late, own, *late.function, more / 2))
    late.function.reset();
  // What calls it within the operator is the framework.
  if (late.function && late.reason == LateReason::kCompute) late.function->caller = {};
}

void AddThread(const Facts& facts, LateRank& late) {
  const bool more_work = late.work != nullptr || late.function || late.in_step_before;
  const bool by_thread = late.reason == LateReason::kCompute || late.reason == LateReason::kHost;
  if (facts.OnHost() && late.since && by_thread && !more_work)
    late.thread = ThreadSince(facts, facts.collectives.ranks[late.rank].rank, *late.since);
}

}  // namespace stepscope
