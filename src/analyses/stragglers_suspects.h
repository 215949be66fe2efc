// Finds the ranks that others wait for, and what they cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "analyses/late_rank.h"
#include "facts/derived/lateness/late_evidence.h"
#include "facts/derived/lateness/step_blame.h"
#include "facts/facts.h"
#include "report/period_of_steps.h"

namespace stepscope::stragglers {

constexpr size_t kMostSuspects = 3;  // that are looked at closely

struct Suspect : LateRank {
  double score = 0;
  int64_t blame = 0;
  int64_t waits = 0;              // how many times a rank waited for it
  int64_t times_last = 0;         // in collectives
  std::set<int64_t> late;         // the steps in which it caused most of the wait time
  std::vector<uint32_t> members;  // it, and those that are one with it; indexes
  bool in_turn = false;           // they are late in different steps (JoinInTurn)
  bool all_devices = false;       // they are all devices of its rank (stragglers_devices.h)
  LateEvidence evidence = LateEvidence::kFewSteps;
  // Where its trace lacks some of the steps in which it is late: how many of those since it is late
  // the trace has, and how many there are; else 0.
  int64_t has_of_late = 0, late_since = 0;
};

struct Blames {
  std::vector<Suspect> suspects;  // by rank; once explained by blame, the most first
  const StepBlame& steps;
  int64_t total = 0;       // ns of wait time for recorded ranks
  int64_t for_absent = 0;  // ns of wait time for ranks without a trace
};

Blames FindBlames(const Facts& facts);

// The step in which the suspect caused more than half of all that it caused, if there is one.
std::optional<int64_t> MostInOneStep(const StepBlame& steps, const Suspect& s);

// The steps in which it is late, where they are regular.
std::optional<PeriodOfSteps> PeriodOf(const Facts& facts, const StepBlame& steps, const Suspect& s);

// Those, where it is hardly late in others.
std::optional<std::set<int64_t>> RegularlyIn(const Facts& facts, const StepBlame& steps,
                                             const Suspect& s);

// ns that each other participant would save if it were in time: what they wait for it, in the steps
// in which it is late where these are regular or begin at one; and at most what the rank spends
// more on the reason, where that is known: chance makes it the last in other steps, too.
int64_t CostOf(const Facts& facts, const StepBlame& steps, const Suspect& s);

// Suspects that have more of the same work, as one: what they cause, all together.
Suspect Together(const Blames& blames, const WorkRise& work);

// Those that have more or larger operators in steps of their own, as by uneven data, as one: none
// of them is to blame. Were all alike, each would save what it waits in the mean.
std::vector<Suspect> JoinInTurn(const Blames& blames, std::vector<Suspect> stand_out);

// Whether what explains another straggler makes this one doubtful: nothing in its trace explains
// why it is late, or only that its operators take longer, where another rank has more work. Or a
// replay finds that lateness began on another rank, which this one only passed on; or clocks or
// matches must be wrong.
bool IsDoubtful(const Facts& facts, const Suspect& s, std::span<const Suspect> all);

}  // namespace stepscope::stragglers
