// Fills the tables from replays.
#include "analyses/whatif_tables.h"

#include <algorithm>
#include <string>
#include <utility>

#include "analyses/build.h"
#include "base/saturate.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/derived/replay/lateness_chain.h"
#include "facts/derived/replay/replay_error.h"
#include "report/kinds.h"

namespace stepscope::whatif {
namespace {

std::vector<Cell> ChangeCells(const Facts& facts, const AskedChange& change) {
  const JobGraph& graph = JobGraphOf(facts);
  const int64_t recorded = RecordedStep(facts, change.since);
  const int64_t error =
      ToInt64(ReplayErrorOf(facts).OfPrice(change.since) * static_cast<double>(recorded));
  const auto shorter = ShorterThanBefore(facts, change.lengths, change.since);
  const int64_t saved = change.Saved(facts);
  const bool known = !change.path.ranks.empty();
  return {change.text,
          SubtractSaturated(recorded, saved),
          recorded,
          saved,
          Ratio(saved, recorded),
          shorter ? std::max(error, shorter->Difference()) : error,
          change.since ? Cell(*change.since) : Cell(),
          known ? Cell(graph.ranks[change.path.Rank()].rank->rank) : Cell(),
          known ? Cell(std::string(BoundName(change.path.MostBound()))) : Cell(),
          KindCell(change.kind)};
}

Table TableOf(const Facts& facts, std::span<const AskedChange> changes, bool upper_bounds) {
  Table table;
  Column recorded = TimeColumn("recorded", "recorded");
  recorded.detail = true;
  AddColumns(table, {KeyColumn("change", "change"), TimeColumn("step_time", "step time"), recorded,
                     TimeColumn("saved", "saved"), RatioColumn("saved_ratio", "saved, %"),
                     TimeColumn("error", "± error"), ValueColumn("since_step", "since step"),
                     ValueColumn("critical_rank", "then critical"),
                     Words(ValueColumn("bound_by", "bound by"))});
  AddKindColumn(table);
  for (const AskedChange& change : changes) {
    if (change.upper_bound == upper_bounds) table.rows.push_back(ChangeCells(facts, change));
  }
  return table;
}

}  // namespace

Table ChangesTable(const Facts& facts, std::span<const AskedChange> changes) {
  Table table = TableOf(facts, changes, false);
  table.key = "changes";
  table.title = "Step with a change";
  return table;
}

Table BoundsTable(const Facts& facts, std::span<const AskedChange> changes) {
  Table table = TableOf(facts, changes, true);
  table.key = "upper_bounds";
  table.title = "Upper bounds";
  return table;
}

Table ChainTable(const Facts& facts) {
  Table table{.key = "chain", .title = "Chain of lateness"};
  AddColumns(table, {KeyColumn("origin", "origin"), KeyColumn("link", "link"),
                     ValueColumn("rank", "rank"), ValueColumn("step", "step"),
                     ValueColumn("event", "event"), TimeColumn("waited", "waited"),
                     Detail(ValueColumn("time", "begins, ns of the rank's own clock"))});
  const JobGraph& graph = JobGraphOf(facts);
  for (const Origin& origin : OriginsOf(facts).found) {
    int64_t number = 0;
    for (const ChainLink& link : ChainFrom(facts, origin)) {
      const std::string event =
          link.event == kNoString ? std::string() : std::string((*facts.names)[link.event]);
      table.rows.push_back({graph.ranks[origin.late.rank].rank->rank, number++, link.rank,
                            link.has_step ? Cell(link.step) : Cell(), event, link.waited,
                            link.time});
    }
  }
  return table;
}

Table HarmlessTable(const Facts& facts) {
  Table table{.key = "harmless", .title = "Excess that costs little", .text_rows = 0};
  AddColumns(table, {KeyColumn("rank", "rank"), ValueColumn("since_step", "since step"),
                     TimeColumn("excess", "excess per step"), TimeColumn("saved", "saved")});
  const JobGraph& graph = JobGraphOf(facts);
  for (const Origin& origin : OriginsOf(facts).harmless) {
    if (origin.late.excess <= 0) continue;  // of steps since the change; before, it took longer
    table.rows.push_back({graph.ranks[origin.late.rank].rank->rank,
                          origin.since ? Cell(*origin.since) : Cell(), origin.late.excess,
                          MeanStep(facts, origin.saved, origin.since)});
  }
  return table;
}

Table ReplayTable(std::span<const ReplayedStep> rows) {
  Table table{.key = "replay",
              .title = "Replay without changes",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("step", "step")},
              .text_rows = 0};
  AddColumns(table, {TimeColumn("measured", "recorded"), TimeColumn("replayed", "replayed"),
                     RatioColumn("error_ratio", "error")});
  for (const ReplayedStep& row : rows)
    table.rows.push_back({row.rank, row.step, row.measured, row.replayed, row.Error()});
  return table;
}

}  // namespace stepscope::whatif
