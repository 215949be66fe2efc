// Fills the tables from what was found about each rank.
#include "analyses/stragglers_tables.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analyses/build.h"
#include "analyses/late_words.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope::stragglers {

Table RankTable(const Facts& facts, const Blames& blames) {
  const CollectiveFacts& c = facts.collectives;
  const std::string noun(ParticipantNoun(facts));
  Table table{.key = "ranks",
              .title = Say("{noun}s by caused wait", Capitalized(noun)),
              .columns = ParticipantKeys(),
              .text_rows = 4};
  AddColumns(
      table,
      {RatioColumn("score", "% of all wait"), ValueColumn("since_step", "since step"),
       TimeColumn("lost", Say("cost per {noun}", noun)),
       Words(ValueColumn("reason", "likely cause")), TimeColumn("blame", "caused wait"),
       TimeColumn("as_last", "waits as last"), CountColumn("times_last", "times last"),
       CountColumn("late_steps", "late steps"), TimeColumn("clock_error", "clock uncertainty")});
  SetKinds(table, {{"blame", ColumnKind::kWait}, {"as_last", ColumnKind::kWait}});
  for (const Suspect& s : blames.suspects) {
    const RankCollectives& r = c.ranks[s.rank];
    if (r.split == 0) continue;
    const bool blamed = s.blame > 0;
    std::vector<Cell> row = ParticipantCells(r);
    row.insert(
        row.end(),
        {blames.total > 0 ? Cell(s.score) : Cell(), s.since ? Cell(*s.since) : Cell(), s.lost,
         blamed ? Cell(std::string(LateReasonName(s.reason, facts))) : Cell(), s.blame, r.blame,
         r.times_last, When(!blames.steps.empty(), std::ssize(s.late)), r.clock.error});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The evidence for the causes.
Table ReasonTable(const CollectiveFacts& c, const Blames& blames) {
  Table table{.key = "reasons",
              .title = "Excess time of stragglers",
              .columns = ParticipantKeys(),
              .text_rows = 0};
  AddColumns(table, {TimeColumn("compute", "compute"), TimeColumn("late_launches", "late launches"),
                     TimeColumn("input", "input wait"), TimeColumn("copies", "copies"),
                     TimeColumn("transfer", "transfer")});
  SetKinds(table, {{"compute", ColumnKind::kCompute},
                   {"late_launches", ColumnKind::kLaunch},
                   {"input", ColumnKind::kInput},
                   {"copies", ColumnKind::kMemory},
                   {"transfer", ColumnKind::kCommunication}});
  for (const Suspect& s : blames.suspects) {
    if (s.blame == 0) continue;
    std::vector<Cell> row = ParticipantCells(c.ranks[s.rank]);
    row.insert(row.end(), {s.beyond.compute, s.beyond.host_late, s.beyond.input, s.beyond.copies,
                           s.beyond.transfer});
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table StepTable(const CollectiveFacts& c, const StepBlame& steps) {
  Table table{.key = "steps",
              .title = "Straggler of each step",
              .columns = {KeyColumn("step", "step"), ValueColumn("rank", "rank"),
                          ValueColumn("device", "device"), TimeColumn("blame", "caused wait"),
                          RatioColumn("share", "% of wait")},
              .text_rows = 0};
  for (const auto& [step, blame] : steps) {
    const auto& most =
        *std::ranges::max_element(blame.by_rank, {}, [](const auto& b) { return b.second; });
    std::vector<Cell> row = ParticipantCells(c.ranks[most.first]);
    row.insert(row.begin(), step);
    row.insert(row.end(), {most.second, Ratio(most.second, blame.all)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace stepscope::stragglers
