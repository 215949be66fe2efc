// Implements the findings about work.
#include "analyses/work_finding.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/build.h"
#include "analyses/changes.h"
#include "analyses/growth.h"
#include "analyses/late_words.h"
#include "analyses/saves.h"
#include "analyses/work_rise.h"
#include "base/saturate.h"
#include "facts/derived/lateness/work_rises.h"
#include "facts/derived/steps/step_changes.h"
#include "facts/derived/steps/step_parts.h"
#include "report/humanize.h"
#include "trace/frame_name.h"

namespace stepscope {
namespace {

// " since step 9", " in steps 5 to 9", " in turn", " in 11 of 12 steps", " in every recorded step
// (3 to 18)".
Phrase SayWhen(const Facts& facts, const WorkRise& rise) {
  if (rise.since) return Say(" since step {first}", *rise.since);
  if (rise.ended)
    return Say(" in steps {first} to {last}", *rise.steps.begin(), *rise.steps.rbegin());
  if (rise.in_turn) return " in turn";
  if (std::ssize(rise.steps) < rise.all_steps)
    return Say(" in {count} of {all} steps", rise.steps.size(), rise.all_steps);
  return Say(" {always}", InEveryStep(facts, *rise.steps.begin(), *rise.steps.rbegin()));
}

Where WhereOf(const Facts& facts, const WorkRise& rise, std::optional<int64_t> rank) {
  Where where{.event = EventOf(facts, rise)};
  if (!rise.ended) return where;
  if (rank) where.ranks = {*rank};
  where.steps.assign(rise.steps.begin(), rise.steps.end());
  return where;
}

// Whether ranks that are not all have it, and not in turn.
bool IsOfSeveral(const Facts& facts, const WorkRise& rise) {
  return !rise.in_turn && rise.ranks.size() > 1 && !WorkRisesOf(facts).IsOfAll(rise);
}

std::string TableOf(const Facts& facts, const WorkRise& rise) {
  return rise.in_turn ? "in_turn" : IsOfSeveral(facts, rise) ? "rank_steps" : "steps";
}

// ns of all steps; of larger inputs of one process what its steps take longer, as all operators do.
int64_t CostOf(const Facts& facts, const WorkRise& rise, LateReason reason) {
  const int64_t of_one = TotalOf(facts, rise);
  if (reason != LateReason::kLargerInputs || !rise.since || !HasOneRank(facts)) return of_one;
  return std::max(of_one, ToInt64(LongerSince(TypicalStepsOf(facts), *rise.since) *
                                  static_cast<double>(rise.steps.size())));
}

Finding FindingOf(const Facts& facts, const WorkRise& rise) {
  const LateReason reason = ReasonOf(facts, rise);
  std::optional<int64_t> rank;
  if (rise.ranks.size() == 1) rank = rise.rank;
  const auto of_thread = KindOfThread(facts, rank, rise.since);
  // Of larger inputs all operators take more, not this one alone.
  const bool is_part = of_thread || (reason == LateReason::kLargerInputs && !HasOneRank(facts));
  return {
      .message = SayWorkRise(facts, rise),
      .because = SayWorkEvidence(facts, rise) + SaySavesBehind(facts, rise.rank, rise.Difference()),
      .hint = LateHint(rise, facts),
      .impact = CostOf(facts, rise, reason),
      .table = TableOf(facts, rise),
      .cause = {of_thread.value_or(CauseOf(reason)), rank},
      .nearness = is_part ? Nearness::kPart : Nearness::kCause,
      .extent = ExtentOfSteps(facts),
      .since = rise.since,
      .where = WhereOf(facts, rise, rank)};
}

// The steps of ranks in turn, each of its own.
Table TurnTable(const WorkRise& rise) {
  Table table{.key = "in_turn",
              .title = "Steps in turn",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("step", "step"),
                          TimeColumn("time", "time between operators")},
              .text_rows = 0};
  for (const WorkRise::Turn& turn : rise.turns)
    table.rows.push_back({turn.rank, turn.step, turn.time});
  return table;
}

// ns of what the rank has more of, by step; empty: it has none.
std::vector<int64_t> TimesOf(const StepParts& parts, const WorkRise& rise) {
  if (rise.kind == WorkKind::kBetween) {
    const auto at = parts.between.find({rise.previous, rise.name});
    return at == parts.between.end() ? std::vector<int64_t>() : at->second;
  }
  const auto at = parts.operators.find(rise.name);
  return at == parts.operators.end() ? std::vector<int64_t>() : at->second.time;
}

// The steps of several ranks that have it in the same ones.
Table RankStepTable(const Facts& facts, const WorkRise& rise) {
  Table table{
      .key = "rank_steps",
      .title = "Steps of slower ranks",
      .columns = {KeyColumn("rank", "rank"), KeyColumn("step", "step"),
                  rise.kind == WorkKind::kBetween ? TimeColumn("time", "time between operators")
                                                  : TimeColumn("time", "time")},
      .text_rows = 0};
  for (const StepParts& parts : StepPartsOf(facts)) {
    if (!rise.Has(parts.rank)) continue;
    const std::vector<int64_t> times = TimesOf(parts, rise);
    for (size_t s = 0; s < times.size(); ++s) {
      if (rise.steps.contains(parts.steps[s]))
        table.rows.push_back({parts.rank, parts.steps[s], times[s]});
    }
  }
  return table;
}

bool HasTable(const Report& report, std::string_view key) {
  return std::ranges::find(report.tables, key, &Table::key) != report.tables.end();
}

}  // namespace

Phrase SayWorkRise(const Facts& facts, const WorkRise& rise) {
  return Say("{more}{when}: {work}.", Capitalized(SayMore(facts, rise)), SayWhen(facts, rise),
             SayWork(facts, rise));
}

namespace {

// Of one process: whether its steps take half of that longer, too. Else it does as much less of
// something else, as of waiting for another thread.
bool MakesStepsLonger(const Facts& facts, const WorkRise& rise) {
  if (!rise.since || rise.ended || !HasOneRank(facts)) return true;
  return 2 * LongerSince(TypicalStepsOf(facts), *rise.since) >=
         static_cast<double>(rise.Difference());
}

// Whether it is of a function that takes longer and longer, which says more.
bool IsOfGrowth(const Facts& facts, const WorkRise& rise) {
  const std::optional<FunctionGrowth>& growth = GrowingFunctionOf(facts);
  return growth && EventOf(facts, rise).str() == LabelOf(growth->function.name) &&
         std::ranges::includes(growth->ranks, rise.ranks);
}

}  // namespace

void AddWorkRises(Report& report, const Facts& facts, const WorkRise* told) {
  for (const WorkRise& rise : WorkRisesOf(facts).rises) {
    if (&rise == told || IsBySlowHost(facts, rise) || !MakesStepsLonger(facts, rise)) continue;
    if (IsOfGrowth(facts, rise)) continue;
    Finding& finding = report.findings.emplace_back(FindingOf(facts, rise));
    if (finding.table == "steps") continue;
    // There is one table of a kind, of those with the most time.
    if (HasTable(report, finding.table))
      finding.table = "steps";
    else
      report.tables.push_back(rise.in_turn ? TurnTable(rise) : RankStepTable(facts, rise));
  }
}

}  // namespace stepscope
