// Implements the findings about work.
#include "analyses/work_finding.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analyses/build.h"
#include "analyses/changes.h"
#include "analyses/late_rank.h"
#include "analyses/saves.h"
#include "analyses/work_rise.h"
#include "base/saturate.h"
#include "facts/derived/lateness/work_rises.h"
#include "report/humanize.h"

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
  where.rank = rank;
  where.steps.assign(rise.steps.begin(), rise.steps.end());
  return where;
}

Finding FindingOf(const Facts& facts, const WorkRise& rise) {
  const LateReason reason = ReasonOf(facts, rise);
  std::optional<int64_t> rank;
  if (rise.ranks.size() == 1) rank = rise.rank;
  return {
      .message = SayWorkRise(facts, rise),
      .because = SayWorkEvidence(facts, rise) + SaySavesBehind(facts, rise.rank, rise.Difference()),
      .hint = LateHint(rise, facts),
      .impact = TotalOf(facts, rise),
      .table = rise.in_turn ? "in_turn" : "steps",
      .cause = {CauseOf(reason), rank},
      .nearness = Nearness::kCause,
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

}  // namespace

Phrase SayWorkRise(const Facts& facts, const WorkRise& rise) {
  return Say("{more}{when}: {work}.", Capitalized(SayMore(facts, rise)), SayWhen(facts, rise),
             SayWork(facts, rise));
}

void AddWorkRises(Report& report, const Facts& facts, const WorkRise* told) {
  bool in_turn = false;  // there is one table, of those with the most time
  for (const WorkRise& rise : WorkRisesOf(facts).rises) {
    if (&rise == told || IsBySlowHost(facts, rise)) continue;
    report.findings.push_back(FindingOf(facts, rise));
    if (!rise.in_turn) continue;
    if (!std::exchange(in_turn, true))
      report.tables.push_back(TurnTable(rise));
    else
      report.findings.back().table = "steps";
  }
}

}  // namespace stepscope
