// Compares ranks that are late with the others, in the steps in which they are.
#include "analyses/stragglers_explain.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analyses/changes.h"
#include "analyses/excess.h"
#include "analyses/growth.h"
#include "base/distribution.h"
#include "base/saturate.h"
#include "facts/derived/lateness/lateness.h"
#include "facts/derived/layout/pipeline_stages.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/derived/replay/origins.h"
#include "facts/derived/steps/step_changes.h"

namespace stepscope {
namespace stragglers {
namespace {

constexpr size_t kFewestLate = 3;     // steps
constexpr double kAsLate = 2.0 / 3;   // of what the others wait since
constexpr double kLateBefore = 0.25;  // of a step, that each other rank waits

// Whether the others waited about as long before, or for a quarter of a step: then it was late
// before, too.
bool WasLateBefore(const Facts& facts, const StepBlame& steps, const Suspect& s, int64_t since) {
  std::vector<int64_t> before, after;
  const std::vector<int64_t> caused = CausedBySteps(steps, s.members);
  size_t i = 0;
  for (const auto& [step, blame] : steps) (step < since ? before : after).push_back(caused[i++]);
  if (before.empty() || after.empty()) return false;
  const auto others = std::max<int64_t>(1, std::ssize(facts.collectives.ranks) - 1);
  const auto usual = static_cast<double>(Describe(before).p50);
  const auto step = static_cast<double>(StepChangesOf(facts).median);
  return usual >= kAsLate * static_cast<double>(Describe(after).p50) ||
         usual >= kLateBefore * step * static_cast<double>(others);
}

// Before its first step nobody knows how late it was.
bool HasStepBefore(const Facts& facts, int64_t rank, int64_t number) {
  return std::ranges::any_of(facts.ranks, [&](const RankActivity& own) {
    return own.rank == rank &&
           std::ranges::any_of(own.steps, [&](const Step& step) { return step.number < number; });
  });
}

void FindSince(const Facts& facts, const StepBlame& steps, Suspect& s) {
  const auto median = static_cast<double>(StepChangesOf(facts).median);
  const RankCollectives& rank = facts.collectives.ranks[s.rank];
  if (GrowthPerStep(facts, rank.rank)) return;
  if (const StepChange* change = RiseOf(s.reason, facts, rank)) {
    s.since = change->since;
    return;
  }
  if (const Origin* origin = OriginsOf(facts).Of(JobGraphOf(facts), rank.rank)) {
    s.since = origin->since;
    return;
  }
  s.since = WaitedForSince(steps, s.rank, kLeastStepChange * median);
  if (s.since && !HasStepBefore(facts, rank.rank, *s.since)) s.since.reset();
}

// Whether the rank, and no other, spends more on the reason since a step. Operators of a host
// become slower by whatever else runs there: that is variation.
bool ChangedAlone(const Facts& facts, const StepBlame& steps, const Suspect& s) {
  const bool may_vary = facts.OnHost() && s.reason == LateReason::kCompute;
  if (!s.since || may_vary || WasLateBefore(facts, steps, s, *s.since)) return false;
  const StepChange* own = RiseOf(s.reason, facts, facts.collectives.ranks[s.rank]);
  if (own == nullptr) return true;
  return std::ranges::none_of(StepChangesOf(facts).parts, [&](const StepChange& c) {
    return c.quantity == own->quantity && c.rank != own->rank && c.Difference() > 0 &&
           StepChangesOf(facts).AreNear(c.since, *s.since);
  });
}

// Variation does not give a rank more work, nor does it change at a step for certain: all of its
// time, that is. One of its many operators may.
bool HasOtherEvidence(const StepBlame& steps, const Suspect& s, bool changed) {
  if (s.late.size() < kFewestLate || MostInOneStep(steps, s)) return false;
  return changed || (s.excess && KindOf(*s.excess) != ExcessKind::kTime);
}

// Inputs are larger or not, however much a step varies.
bool HasLargerInputs(const Suspect& s) {
  return s.reason == LateReason::kLargerInputs && s.work == nullptr && s.excess &&
         KindOf(*s.excess) == ExcessKind::kSize && !s.excess->since && s.late.size() > 1;
}

// Stages of a pipeline have unequal work by design: of accelerators each rank is compared with
// those of its stage, where several were recorded.
void CompareInStages(const Facts& facts, const std::vector<RankEffort>& own,
                     std::vector<RankEffort>& beyond) {
  if (facts.OnHost()) return;
  const std::vector<RankCollectives>& all = facts.collectives.ranks;
  for (const ModelStage& stage : PipelineOf(facts).stages) {
    std::vector<size_t> members;
    std::vector<RankEffort> efforts;
    for (size_t r = 0; r < all.size(); ++r) {
      if (!std::ranges::binary_search(stage.ranks, all[r].rank)) continue;
      members.push_back(r);
      efforts.push_back(own[r]);
    }
    if (efforts.size() < 2) continue;
    const std::vector<RankEffort> in_stage = BeyondOthers(efforts);
    for (size_t i = 0; i < members.size(); ++i) beyond[members[i]] = in_stage[i];
  }
}

Efforts InStages(const Facts& facts, Efforts efforts) {
  if (!efforts.beyond.empty()) CompareInStages(facts, efforts.own, efforts.beyond);
  return efforts;
}

// In these steps.
Efforts EffortsIn(const Facts& facts, const std::set<int64_t>& steps) {
  Efforts efforts{.own = MeasureEfforts(facts, &steps), .beyond = {}};
  efforts.beyond = BeyondOthers(efforts.own);
  return InStages(facts, std::move(efforts));
}

// Chance makes a rank the last in some steps, but not in every nth and in no other. Its own time
// may tell nothing: of steps that begin with a program, it is late in the one before.
bool IsRegularlyLate(const Facts& facts, const StepBlame& steps, const Suspect& s) {
  constexpr size_t kFewest = 4;
  const auto regular = RegularlyIn(facts, steps, s);
  return regular && regular->size() >= kFewest;
}

// How many of these steps the rank's trace has.
int64_t CountRecorded(const Facts& facts, int64_t rank, const std::set<int64_t>& numbers) {
  std::set<int64_t> recorded;
  for (const RankActivity& own : facts.ranks) {
    if (own.rank != rank) continue;
    for (const Step& step : own.steps) {
      if (numbers.contains(step.number)) recorded.insert(step.number);
    }
  }
  return std::ssize(recorded);
}

// The steps in which a suspect is compared with the others: those in which it is late. Of a rank
// whose trace lacks some of them, as of a file that ends early, those since it is late.
std::set<int64_t> StepsToCompare(const Facts& facts, const StepBlame& steps, Suspect& s) {
  std::set<int64_t> late = RegularlyIn(facts, steps, s).value_or(s.late);
  const int64_t rank = facts.collectives.ranks[s.rank].rank;
  const int64_t has = CountRecorded(facts, rank, late);
  if (has == 0 || has == std::ssize(late)) return late;
  const auto median = static_cast<double>(StepChangesOf(facts).median);
  const auto since = WaitedForSince(steps, s.rank, kLeastStepChange * median);
  if (since) std::erase_if(late, [&](int64_t step) { return step < *since; });
  s.has_of_late = CountRecorded(facts, rank, late);
  s.late_since = std::ssize(late);
  return late;
}

// Of a rank whose trace ends too early to show how its steps vary: whether it is late in each step
// since the others began to wait for it, to the last one.
bool IsLateToTheEnd(const StepBlame& steps, const Suspect& s) {
  if (s.has_of_late == 0 || !s.since || s.late_since < static_cast<int64_t>(kFewestLate))
    return false;
  const auto since =
      std::ranges::count_if(steps, [&](const auto& step) { return step.first >= *s.since; });
  return since == s.late_since;
}

// The suspect, who must explain what others lose: of a rank whose trace lacks some of the steps in
// which it is late, of as many as it has.
LateRank InRecordedSteps(const Suspect& s) {
  LateRank in_these = s;
  if (s.has_of_late == 0) return in_these;
  const double share = static_cast<double>(s.has_of_late) / static_cast<double>(s.late_since);
  in_these.lost = ToInt64(share * static_cast<double>(s.lost));
  return in_these;
}

// What a rank does after the last collective of a step makes it late in the next one, which then
// tells nothing, or no function: it is compared with the others in the steps before.
void ExplainByStepsBefore(const Facts& facts, const StepBlame& steps, Suspect& s) {
  const bool no_function = s.reason == LateReason::kHost && s.work == nullptr && !s.function;
  if (s.reason != LateReason::kUnknown && !no_function) return;
  if (!facts.OnHost() || s.has_of_late > 0) return;
  const auto regular = RegularlyIn(facts, steps, s);
  const std::set<int64_t> before = StepsBefore(steps, regular.value_or(s.late));
  if (before.empty() || 2 * before.size() > steps.size()) return;
  LateRank then = s;
  if (s.reason == LateReason::kUnknown) {
    const Efforts efforts = EffortsIn(facts, before);
    then.beyond = efforts.beyond[s.rank];
    then.reason = FindLateReason(facts, then, efforts.own[s.rank].kernels,
                                 s.blame / (std::ssize(efforts.own) - 1));
  }
  if (then.reason != LateReason::kHost && then.reason != LateReason::kInput) return;
  AddFunction(facts, then, &before);
  // Without a function it may be chance.
  if (!then.function && (!regular || s.reason != LateReason::kUnknown)) return;
  then.in_step_before = true;
  static_cast<LateRank&>(s) = then;
}

// Whether the operator takes longer, in so many steps, by less than half of what all do: it is no
// place to look at.
bool IsOneOfMany(const Suspect& s, size_t steps) {
  return s.excess && KindOf(*s.excess) == ExcessKind::kTime &&
         2 * s.excess->time * static_cast<double>(steps) < static_cast<double>(s.beyond.compute);
}

// Whether a few calls of the operator were interrupted, as by other processes of a busy machine,
// and most were not: it is no place to look at, either. An operator that takes longer since a step
// tells nothing of a rank that was late before.
bool IsNowAndThen(const Facts& facts, const Suspect& s, const std::set<int64_t>* steps,
                  std::optional<int64_t> since) {
  const RankCollectives& who = facts.collectives.ranks[s.rank];
  return s.work == nullptr && s.excess && KindOf(*s.excess) == ExcessKind::kTime &&
         who.device < 0 && !IsUsual(facts, who.rank, *s.excess, steps, since);
}

// A rank that is late in some steps only is compared with the others in these: in others another
// rank may be late.
void ExplainOne(const Facts& facts, const StepBlame& steps, const Efforts& all, bool closely,
                Suspect& s) {
  const int64_t others = std::ssize(all.own) - 1;
  const std::set<int64_t> late = closely ? StepsToCompare(facts, steps, s) : std::set<int64_t>();
  const bool some = !late.empty() && late.size() < steps.size();
  const Efforts in_some = some ? EffortsIn(facts, late) : Efforts();
  const Efforts& efforts = some ? in_some : all;
  s.beyond = efforts.beyond[s.rank];
  const LateRank late_rank = InRecordedSteps(s);
  s.reason = FindLateReason(facts, late_rank, efforts.own[s.rank].kernels,
                            s.has_of_late > 0 ? late_rank.lost : s.blame / others);
  FindSince(facts, steps, s);
  const bool changed = ChangedAlone(facts, steps, s);
  TakeWork(facts, s);
  if (closely) AddExcess(facts, s, some ? &late : nullptr);
  // In few steps, chance has one operator more of it than others, which is no place to look at.
  const bool by_chance = s.has_of_late > 0 && IsOneOfMany(s, static_cast<size_t>(s.has_of_late));
  const bool of_many = s.work == nullptr && IsOneOfMany(s, some ? late.size() : steps.size());
  const auto since_late = [&] {
    const bool before = s.work == nullptr && s.since && WasLateBefore(facts, steps, s, *s.since);
    return before ? std::nullopt : s.since;
  };
  if (by_chance || of_many || IsNowAndThen(facts, s, some ? &late : nullptr, since_late()))
    s.excess.reset();
  if (closely) AddFunction(facts, s, some ? &late : nullptr);
  if (closely) AddEvaluation(facts, s);
  if (closely && some) ExplainByStepsBefore(facts, steps, s);
  AddLateStart(facts, s);
  const bool by_size = HasLargerInputs(s);
  s.since = by_size ? std::nullopt : since_late();
  if (closely) AddThread(facts, s);
  const bool by_work = s.work != nullptr && !MostInOneStep(steps, s);
  const bool other = s.evidence == LateEvidence::kNone && HasOtherEvidence(steps, s, changed);
  const bool between = s.reason == LateReason::kEvaluation;  // which no step holds
  if (by_work || by_size || other || between) s.evidence = LateEvidence::kClear;
}

}  // namespace

void ExplainSuspects(const Facts& facts, Blames& blames) {
  std::ranges::stable_sort(blames.suspects, std::greater(), &Suspect::blame);
  const Efforts efforts = InStages(facts, EffortsOf(facts));
  const OwnTimes own(facts);
  for (size_t i = 0; i < blames.suspects.size(); ++i) {
    Suspect& s = blames.suspects[i];
    if (s.blame == 0) break;
    const bool closely = i < kMostSuspects;
    s.late = LateSteps(blames.steps, s.rank);
    if (closely) s.evidence = own.Weigh(blames.steps, s.rank);
    ExplainOne(facts, blames.steps, efforts, closely, s);
    // On hosts, operators and the time between them take longer by whatever else runs there, and
    // the rank that this hits most in a step is late in it.
    const bool by_load = facts.OnHost() && s.work == nullptr && !s.in_step_before &&
                         (s.reason == LateReason::kCompute || s.reason == LateReason::kHost);
    // So do collectives there; of few steps, who is late without a reason may be that rank.
    const bool may_be = facts.OnHost() && s.work == nullptr &&
                        (s.reason == LateReason::kLink || s.reason == LateReason::kUnknown);
    const RankCollectives& rank = facts.collectives.ranks[s.rank];
    if ((by_load || may_be) && s.evidence == LateEvidence::kFewSteps &&
        !IsNoChance(s.times_last, rank.split, facts.collectives.ranks.size()))
      s.evidence = LateEvidence::kNone;
    const auto is_slow = [&] {
      return own.IsAlwaysSlow(s.rank, s.since) &&
             (!s.since || own.TakesLongerSince(s.rank, *s.since));
    };
    if (by_load && !is_slow() && !PeriodOf(facts, blames.steps, s))
      s.evidence = LateEvidence::kNone;
    const bool is_regular = closely && IsRegularlyLate(facts, blames.steps, s);
    if (is_regular || IsLateToTheEnd(blames.steps, s)) s.evidence = LateEvidence::kClear;
  }
}

}  // namespace stragglers
}  // namespace stepscope
