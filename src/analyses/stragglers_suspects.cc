// Sums what each rank is waited for, and compares the ranks that are waited for most.
#include "analyses/stragglers_suspects.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

#include "analyses/changes.h"
#include "analyses/excess.h"
#include "analyses/growth.h"
#include "base/distribution.h"
#include "base/saturate.h"
#include "facts/derived/collectives/exposed_waits.h"
#include "facts/derived/lateness/lateness.h"
#include "facts/derived/lateness/work_rises.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/derived/replay/origins.h"
#include "facts/derived/replay/replay_error.h"
#include "facts/derived/replay/wait_origins.h"
#include "facts/derived/steps/step_changes.h"

namespace stepscope {
namespace stragglers {
namespace {

constexpr size_t kFewestLate = 3;     // steps
constexpr double kMostInOne = 0.5;    // of what a rank caused, in one step
constexpr double kAsLate = 2.0 / 3;   // of what the others wait since
constexpr double kHardly = 0.25;      // of what is waited for it in steps in which it is late
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

struct Efforts {
  explicit Efforts(std::vector<RankEffort> efforts)
      : own(std::move(efforts)), beyond(own.empty() ? own : BeyondOthers(own)) {}

  std::vector<RankEffort> own, beyond;
};

// The steps in which it is late, where they are regular and it is hardly late in others.
std::optional<std::set<int64_t>> RegularlyIn(const Facts& facts, const StepBlame& steps,
                                             const Suspect& s) {
  const auto period = PeriodOf(facts, steps, s);
  if (!period || period->usual > kHardly * period->high) return std::nullopt;
  return period->numbers;
}

// Chance makes a rank the last in some steps, but not in every nth and in no other. Its own time
// may tell nothing: of steps that begin with a program, it is late in the one before.
bool IsRegularlyLate(const Facts& facts, const StepBlame& steps, const Suspect& s) {
  constexpr size_t kFewest = 4;
  const auto regular = RegularlyIn(facts, steps, s);
  return regular && regular->size() >= kFewest;
}

int64_t SpentMore(const Suspect& s) {
  const RankEffort& more = s.beyond;
  // All operators have larger inputs where one has.
  if (s.work != nullptr)
    return s.reason == LateReason::kLargerInputs ? std::max(s.work->Total(), more.compute)
                                                 : s.work->Total();
  switch (s.reason) {
    case LateReason::kCompute:
    case LateReason::kLargerInputs:
      return more.compute;
    case LateReason::kMoreCompute:
      return AddSaturated(more.compute, std::max<int64_t>(more.host_late, 0));
    case LateReason::kHost:
      return more.host_late;
    case LateReason::kInput:
      return std::max(more.input, more.host_late);
    case LateReason::kCopies:
      return more.copies;
    case LateReason::kLink:
      return more.transfer;
    case LateReason::kEvaluation:
      return s.evaluates;
    case LateReason::kBefore:
    case LateReason::kUnknown:
      break;
  }
  return std::numeric_limits<int64_t>::max();
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
    const Efforts efforts(MeasureEfforts(facts, &before));
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
  const Efforts in_some = some ? Efforts(MeasureEfforts(facts, &late)) : Efforts({});
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
  const bool before = s.work == nullptr && s.since && WasLateBefore(facts, steps, s, *s.since);
  const auto since = before ? std::nullopt : s.since;
  if (by_chance || of_many || IsNowAndThen(facts, s, some ? &late : nullptr, since))
    s.excess.reset();
  if (closely) AddFunction(facts, s, some ? &late : nullptr);
  if (closely) AddEvaluation(facts, s);
  if (closely && some) ExplainByStepsBefore(facts, steps, s);
  AddLateStart(facts, s);
  if (s.work == nullptr && s.since && WasLateBefore(facts, steps, s, *s.since)) s.since.reset();
  if (closely) AddThread(facts, s);
  const bool by_work = s.work != nullptr && !MostInOneStep(steps, s);
  const bool other = s.evidence == LateEvidence::kNone && HasOtherEvidence(steps, s, changed);
  const bool between = s.reason == LateReason::kEvaluation;  // which no step holds
  if (by_work || other || between) s.evidence = LateEvidence::kClear;
}

}  // namespace

std::optional<PeriodOfSteps> PeriodOf(const Facts& facts, const StepBlame& steps,
                                      const Suspect& s) {
  std::vector<int64_t> numbers;
  for (const auto& [step, blame] : steps) numbers.push_back(step);
  const auto median = static_cast<double>(StepChangesOf(facts).median);
  return FindPeriodOfSteps(numbers, CausedBySteps(steps, s.members), kLeastStepChange * median);
}

namespace {

// What a replay without the rank's excess saves, of the steps in which it is late; 0: it tells
// nothing. Waits that nobody measured are in it, as those for messages.
int64_t SavedWithout(const Facts& facts, const Suspect& s) {
  if (s.members.size() != 1) return 0;
  const Origin* origin =
      OriginsOf(facts).Of(JobGraphOf(facts), facts.collectives.ranks[s.rank].rank);
  if (origin == nullptr || !origin->with.empty() || origin->late.of_one_name) return 0;
  if (facts.OnHost() && origin->late.as_before) return 0;  // load may be in it
  if (!ReplayErrorOf(facts).IsSmall()) return 0;
  int64_t saved = 0;
  for (size_t i = 0; i < origin->saved.size(); ++i) {
    if (!s.since || JobGraphOf(facts).steps[i] >= *s.since)
      saved = AddSaturated(saved, origin->saved[i]);
  }
  return saved;
}

}  // namespace

int64_t CostOf(const Facts& facts, const StepBlame& steps, const Suspect& s) {
  const auto regular = RegularlyIn(facts, steps, s);
  const auto is_late = [&](int64_t step) {
    return regular ? regular->contains(step) : !s.since || step >= *s.since;
  };
  double all = 0, late = 0;
  const std::vector<int64_t> caused = CausedBySteps(steps, s.members);
  size_t i = 0;
  for (const auto& [step, blame] : steps) {
    const auto own = static_cast<double>(caused[i++]);
    all += own;
    if (is_late(step)) late += own;
  }
  const double in_these = all > 0 ? late / all : 1;
  const int64_t lost = ToInt64(static_cast<double>(s.lost) * in_these);
  if (s.has_of_late > 0) return lost;
  const int64_t more = SpentMore(s);
  // Devices of a process wait under compute, too, and no replay tells them apart.
  const bool at_most = facts.collectives.HasDevices() && s.reason == LateReason::kCompute;
  const int64_t cost = std::max(at_most ? more : std::min(lost, more), SavedWithout(facts, s));
  const bool to_balance =
      s.reason == LateReason::kLargerInputs && !s.since && s.members.size() == 1;
  const double share = to_balance ? ShareOfBalancing(facts.collectives.ranks.size()) : 1;
  return ToInt64(static_cast<double>(cost) * share);
}

std::optional<int64_t> MostInOneStep(const StepBlame& steps, const Suspect& s) {
  const std::vector<int64_t> caused = CausedBySteps(steps, s.members);
  const auto most = std::ranges::max_element(caused);
  if (most == caused.end()) return std::nullopt;
  if (static_cast<double>(*most) <= kMostInOne * static_cast<double>(s.blame)) return std::nullopt;
  return std::next(steps.begin(), most - caused.begin())->first;
}

Blames FindBlames(const Facts& facts) {
  const CollectiveFacts& c = facts.collectives;
  Blames blames{.steps = BlameOfSteps(facts)};
  for (uint32_t r = 0; r < c.ranks.size(); ++r) {
    Suspect& suspect = blames.suspects.emplace_back();
    suspect.rank = r;
    suspect.members = {r};
  }
  std::vector<std::vector<PartWait>> waited_for(c.ranks.size());
  for (const WaitCause& wait : WaitOriginsOf(facts)) {
    if (wait.rank == kNobody) {
      blames.for_absent = AddSaturated(blames.for_absent, wait.duration());
      continue;
    }
    waited_for[wait.rank].push_back({&c.parts[wait.part], wait.time});
    int64_t& blame = blames.suspects[wait.rank].blame;
    blame = AddSaturated(blame, wait.duration());
    blames.total = AddSaturated(blames.total, wait.duration());
  }
  ExposedWaits exposed(facts);
  for (Suspect& s : blames.suspects) {
    s.times_last = c.ranks[s.rank].times_last;
    s.waits = std::ssize(waited_for[s.rank]);
    s.lost = exposed.Of(waited_for[s.rank]);
    s.lost /= std::max<int64_t>(1, std::ssize(c.ranks) - 1);
    if (blames.total > 0)
      s.score = static_cast<double>(s.blame) / static_cast<double>(blames.total);
  }
  return blames;
}

namespace {

// What they cause, both together.
void AddTo(Suspect& all, const Suspect& s) {
  all.lost = AddSaturated(all.lost, s.lost);
  all.blame = AddSaturated(all.blame, s.blame);
  all.score += s.score;
  all.waits += s.waits;
  all.times_last += s.times_last;
  all.late.insert(s.late.begin(), s.late.end());
  all.members.push_back(s.rank);
}

}  // namespace

Suspect Together(const Blames& blames, const WorkRise& work) {
  Suspect all;
  for (const Suspect& s : blames.suspects) {
    if (s.work != &work) continue;
    if (all.work == nullptr) {
      all = s;
      continue;
    }
    AddTo(all, s);
    if (s.evidence == LateEvidence::kClear) all.evidence = s.evidence;
  }
  return all;
}

namespace {

// Whether it computes longer in steps of its own, by more or larger operators or by chance.
bool IsUneven(const Suspect& s, LateReason reason, size_t steps) {
  const bool computes = s.reason == reason || s.reason == LateReason::kCompute;
  return computes && s.work == nullptr && !s.start && s.has_of_late == 0 && !s.late.empty() &&
         s.late.size() < steps;
}

}  // namespace

std::vector<Suspect> JoinInTurn(const Blames& blames, std::vector<Suspect> stand_out) {
  constexpr double kCounts = 0.1;  // of all wait time
  if (stand_out.size() < 2) return stand_out;
  const LateReason reason = stand_out.front().reason;
  if (reason != LateReason::kLargerInputs && reason != LateReason::kMoreCompute) return stand_out;
  const size_t steps = blames.steps.size();
  const auto joins = [&](const Suspect& s) { return IsUneven(s, reason, steps) && !s.since; };
  if (!joins(stand_out.front()) || std::ranges::count_if(stand_out, joins) < 2) return stand_out;
  Suspect all = stand_out.front();
  std::erase_if(stand_out, joins);
  all.in_turn = true;
  for (const Suspect& s : blames.suspects) {
    const bool alone = std::ranges::find(stand_out, s.rank, &Suspect::rank) != stand_out.end();
    if (s.rank == all.rank || alone || !IsUneven(s, reason, steps) || s.score < kCounts) continue;
    AddTo(all, s);
    all.beyond.compute = AddSaturated(all.beyond.compute, s.beyond.compute);
  }
  all.lost = all.blame / std::ssize(blames.suspects);
  stand_out.insert(stand_out.begin(), std::move(all));
  return stand_out;
}

namespace {

// Whether a replay finds the origin of lateness on other ranks alone.
bool BeganElsewhere(const Facts& facts, const Suspect& s) {
  const Origins& origins = OriginsOf(facts);
  const int64_t rank = facts.collectives.ranks[s.rank].rank;
  return !origins.found.empty() && origins.Of(JobGraphOf(facts), rank) == nullptr;
}

}  // namespace

bool IsDoubtful(const Facts& facts, const Suspect& s, std::span<const Suspect> all) {
  const bool by_clock = s.reason == LateReason::kUnknown || s.reason == LateReason::kLink;
  if (by_clock && JobGraphOf(facts).Contradicts()) return true;
  if (s.reason == LateReason::kUnknown && MayWaitForAbsent(facts, s.rank)) return true;
  if (s.reason == LateReason::kUnknown && BeganElsewhere(facts, s)) return true;
  const bool by_load = facts.OnHost() && s.reason == LateReason::kCompute;
  return std::ranges::any_of(all, [&](const Suspect& other) {
    if (other.rank == s.rank) return false;
    if (s.reason == LateReason::kUnknown)
      return other.reason != LateReason::kUnknown && other.blame >= s.blame;
    return by_load && s.work == nullptr && other.work != nullptr;
  });
}

void ExplainSuspects(const Facts& facts, Blames& blames) {
  std::ranges::stable_sort(blames.suspects, std::greater(), &Suspect::blame);
  const Efforts efforts(MeasureEfforts(facts));
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
