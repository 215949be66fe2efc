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
#include "facts/derived/lateness/stages.h"
#include "facts/derived/lateness/work_rises.h"
#include "facts/derived/layout/pipeline_stages.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/derived/replay/origins.h"
#include "facts/derived/replay/replay_error.h"
#include "facts/derived/replay/wait_origins.h"
#include "facts/derived/steps/step_changes.h"

namespace stepscope {
namespace stragglers {
namespace {

constexpr double kMostInOne = 0.5;  // of what a rank caused, in one step
constexpr double kHardly = 0.25;    // of what is waited for it in steps in which it is late

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

}  // namespace

// The steps in which it is late, where they are regular and it is hardly late in others.
std::optional<std::set<int64_t>> RegularlyIn(const Facts& facts, const StepBlame& steps,
                                             const Suspect& s) {
  const auto period = PeriodOf(facts, steps, s);
  if (!period || period->usual > kHardly * period->high) return std::nullopt;
  return period->numbers;
}

std::optional<PeriodOfSteps> PeriodOf(const Facts& facts, const StepBlame& steps,
                                      const Suspect& s) {
  // Three of six are every second one by chance once in ten times; who is waited for varies.
  constexpr size_t kEnoughSteps = 8;
  if (steps.size() < kEnoughSteps) return std::nullopt;
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
  const std::vector<int64_t> caused = CausedWaitsOf(facts);
  for (uint32_t r = 0; r < c.ranks.size(); ++r) {
    Suspect& suspect = blames.suspects.emplace_back();
    suspect.rank = r;
    suspect.members = {r};
    suspect.blame = caused[r];
  }
  std::vector<std::vector<PartWait>> waited_for(c.ranks.size());
  for (const WaitCause& wait : WaitOriginsOf(facts)) {
    if (wait.rank == kNobody) {
      blames.for_absent = AddSaturated(blames.for_absent, wait.duration());
      continue;
    }
    waited_for[wait.rank].push_back({&c.parts[wait.part], wait.time});
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

// Whether a replay finds the origin of lateness on other ranks alone; or on none, where ranks wait
// for messages: the first stage of a pipeline ends its backward passes last, and all wait for it.
bool BeganElsewhere(const Facts& facts, const Suspect& s) {
  const Origins& origins = OriginsOf(facts);
  const int64_t rank = facts.collectives.ranks[s.rank].rank;
  if (origins.Of(JobGraphOf(facts), rank) != nullptr) return false;
  const bool pipeline = PipelineOf(facts).depth > 1 || TiedByMessages(facts);
  return !origins.found.empty() || (pipeline && ReplayErrorOf(facts).IsSmall());
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

}  // namespace stragglers
}  // namespace stepscope
