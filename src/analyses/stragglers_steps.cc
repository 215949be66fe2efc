// Finds and words the steps of what makes a rank late.
#include "analyses/stragglers_steps.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "analyses/build.h"
#include "analyses/changes.h"
#include "analyses/growth.h"
#include "analyses/late_words.h"
#include "base/distribution.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/derived/replay/origins.h"
#include "facts/derived/steps/step_changes.h"
#include "report/humanize.h"
#include "report/period_of_steps.h"

namespace stepscope::stragglers {
namespace {

constexpr double kEven = 1.0 / 3;  // of a step's usual wait time, in each that counts as late

// Whether the rank is late in every step, and in none much less than usual: what grew in between
// began later, even where no change point is certain.
bool IsAlwaysLate(const StepBlame& steps, const Suspect& s) {
  if (steps.size() < 2 || s.late.size() < steps.size() || MostInOneStep(steps, s)) return false;
  std::vector<int64_t> caused = CausedBySteps(steps, s.members);
  const Distribution d = Describe(caused);
  return static_cast<double>(d.min) >= kEven * static_cast<double>(d.p50);
}

std::optional<PeriodOfSteps> OwnPeriod(const Facts& facts, const StepBlame& steps,
                                       const Suspect& s) {
  auto period = PeriodOf(facts, steps, s);
  if (!period || !s.in_step_before) return period;
  const std::set<int64_t> before = StepsBefore(steps, period->numbers);
  if (!before.empty()) period->numbers = before;
  return period;
}

}  // namespace

bool IsOfSeveral(const Suspect& s) {
  return s.in_turn || (s.work != nullptr && s.work->ranks.size() > 1);
}

Phrase SaySuspect(const Facts& facts, const Suspect& s) {
  const RankCollectives& participant = facts.collectives.ranks[s.rank];
  return s.all_devices ? SayRanks({&participant.rank, 1}) : SayParticipant(facts, participant);
}

std::vector<int64_t> RanksOf(const Facts& facts, const Suspect& s) {
  if (!s.in_turn) return s.work->ranks;
  std::set<int64_t> ranks;
  for (const uint32_t member : s.members) ranks.insert(facts.collectives.ranks[member].rank);
  return {ranks.begin(), ranks.end()};
}

std::vector<int64_t> StretchOf(const Facts& facts, const Suspect& s) {
  if (s.work != nullptr) {
    if (!s.work->ended) return {};
    return {s.work->steps.begin(), s.work->steps.end()};
  }
  const StepChange* change = RiseOf(s.reason, facts, facts.collectives.ranks[s.rank]);
  if (change == nullptr || s.since != change->since) return {};
  return StepChangesOf(facts).StretchOf(*change);
}

int64_t OwnStep(const StepBlame& steps, const Suspect& s, int64_t number) {
  const auto at = steps.find(number);
  const bool before = s.in_step_before && at != steps.end() && at != steps.begin();
  return before ? std::prev(at)->first : number;
}

Phrase SaySince(const Facts& facts, const StepBlame& steps, const Suspect& s) {
  if (const auto each = GrowthPerStep(facts, facts.collectives.ranks[s.rank].rank))
    return Say(", later {growth}", SayGrowth(*each));
  if (const auto stretch = StretchOf(facts, s); !stretch.empty())
    return Say(" in steps {first} to {last}", stretch.front(), stretch.back());
  if (const auto period = OwnPeriod(facts, steps, s)) return Say(" in {period}", period->Say());
  if (s.since) return Say(" since step {first}", OwnStep(steps, s, *s.since));
  const auto one = MostInOneStep(steps, s);
  if (one && steps.size() > 1) return Say(" in step {only}", OwnStep(steps, s, *one));
  if (!IsAlwaysLate(steps, s)) return {};
  return Say(" {always}", InEveryStep(facts, steps.begin()->first, steps.rbegin()->first));
}

namespace {

// The steps that the message names, where they are some of all, and hold the reason; else empty.
std::vector<int64_t> StepsNamed(const Facts& facts, const StepBlame& steps, const Suspect& s) {
  if (s.reason == LateReason::kEvaluation) return {};
  if (GrowthPerStep(facts, facts.collectives.ranks[s.rank].rank)) return {};
  if (auto stretch = StretchOf(facts, s); !stretch.empty()) return stretch;
  if (const auto period = OwnPeriod(facts, steps, s))
    return {period->numbers.begin(), period->numbers.end()};
  const auto one = s.since ? std::nullopt : MostInOneStep(steps, s);
  return one && steps.size() > 1 ? std::vector{OwnStep(steps, s, *one)} : std::vector<int64_t>();
}

// Since when other findings say that the rank is slow, or the job.
std::optional<int64_t> SinceElsewhere(const Facts& facts, const Suspect& s) {
  const int64_t rank = facts.collectives.ranks[s.rank].rank;
  const Origin* origin = OriginsOf(facts).Of(JobGraphOf(facts), rank);
  if (origin != nullptr && origin->since) return origin->since;
  return SinceRise(facts);
}

// " (91.0% of it since step 5)" where others tell of that step, too, and that is most of it.
Phrase SayShareSince(const StepBlame& steps, const Suspect& s, int64_t since) {
  constexpr double kMost = 0.5;
  const std::vector<int64_t> caused = CausedBySteps(steps, s.members);
  double all = 0, then = 0;
  size_t i = 0;
  for (const auto& [step, blame] : steps) {
    const auto time = static_cast<double>(caused[i++]);
    all += time;
    if (step >= since) then += time;
  }
  if (all <= 0 || then < kMost * all) return {};
  return Say(" ({share} of it since step {step})", HumanRatio(then / all), since);
}

}  // namespace

Where WhereOf(const Facts& facts, const StepBlame& steps, const Suspect& s) {
  const RankCollectives& worst = facts.collectives.ranks[s.rank];
  Where where{.steps = StepsNamed(facts, steps, s), .event = EventOf(s, facts)};
  if (IsOfSeveral(s))
    where.ranks = RanksOf(facts, s);
  else if (!where.steps.empty() || worst.device >= 0)
    where.ranks = {worst.rank};
  if (!IsOfSeveral(s) && !s.all_devices && worst.device >= 0) where.device = worst.device;
  return where;
}

Phrase SayLateSteps(const Facts& facts, const StepBlame& steps, const Suspect& s) {
  if (s.since || s.late.empty() || s.late.size() == steps.size()) return {};
  if (const auto since = SinceElsewhere(facts, s)) return SayShareSince(steps, s, *since);
  return Say(" (most of it in {late} of {steps})", s.late.size(), Plural(steps.size(), "step"));
}

}  // namespace stepscope::stragglers
