// Writes tables, and says in words whom the cost is due to.
#include "analyses/straggler_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/saturate.h"
#include "facts/derived/operations/straggler_blame.h"
#include "report/columns.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr double kLeastSlowdown = 1.03;  // below it StragglerAnalysis asks no further either
constexpr double kMostOfIt = 0.5;        // from this share on, the slowdown is theirs
constexpr size_t kNamedTypes = 3, kNamedWorkers = 3;

Cell NumberCell(int64_t number) { return When(number >= 0, Cell(number)); }
Cell StepCell(double step) { return RoundToInt64(step); }
Cell ShareCell(const std::optional<double>& share) { return Maybe(share); }

// S for scripts, and S - 1 for people: "+97.3%".
std::vector<Column> SlowdownColumns() {
  return {ValueColumn("slowdown", "slowdown", Unit::kNone, true),
          ValueColumn("longer", "longer", Unit::kRelativeChange)};
}

// How long steps take if only this takes what it took.
void AddCostColumns(Table& table) {
  AddColumns(table, SlowdownColumns());
  AddColumns(table, {TimeColumn("lost", "lost per step")});
}
void AddCostCells(std::vector<Cell>& row, const StragglerCost& cost, double step) {
  row.emplace_back(cost.SlowdownOf(step));
  row.emplace_back(cost.SlowdownOf(step) - 1);
  row.emplace_back(RoundToInt64(step - cost.ideal));
}

Table WholeTable(const StragglerCost& cost) {
  Table table{.key = "straggler", .title = "Steps without stragglers", .columns = {}};
  AddColumns(table, {TimeColumn("t", "recorded"), TimeColumn("t_nodelay", "without delays"),
                     TimeColumn("t_ideal", "ideal")});
  AddColumns(table, SlowdownColumns());
  AddColumns(table, {RatioColumn("m_w", "gone without slowest workers"),
                     RatioColumn("m_s", "gone without last stage"),
                     RatioColumn("uneven_stages", "due to uneven stages")});
  table.rows.push_back({StepCell(cost.recorded), StepCell(cost.no_delay), StepCell(cost.ideal),
                        cost.Slowdown(), cost.Slowdown() - 1,
                        ShareCell(cost.ShareGone(cost.without_workers)),
                        ShareCell(cost.ShareGone(cost.without_last_stage)),
                        ShareCell(cost.ShareLeft(cost.even_within_stages))});
  return table;
}

Table TypesTable(const StragglerCost& cost) {
  Table table{
      .key = "straggler_types", .title = "Cost by type", .columns = {KeyColumn("type", "type")}};
  AddCostColumns(table);
  for (const StragglerPart& part : cost.types) {
    std::vector<Cell> row = {part.name};
    AddCostCells(row, cost, part.step);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table PartsTable(const StragglerCost& cost, const std::vector<StragglerPart>& parts,
                 std::string key, std::string column, std::string_view what) {
  Table table{.key = std::move(key),
              .title = Say("Cost by {what}", what),
              .columns = {KeyColumn(std::move(column), std::string(what))},
              .text_rows = 8};
  AddCostColumns(table);
  for (const StragglerPart& part : parts) {
    std::vector<Cell> row = {part.number};
    AddCostCells(row, cost, part.step);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table WorkersTable(const StragglerCost& cost) {
  Table table{
      .key = "straggler_workers",
      .title = "Cost by worker",
      .columns = {KeyColumn("dp", "dp"), KeyColumn("stage", "stage"), KeyColumn("rank", "rank")},
      .text_rows = 8};
  AddCostColumns(table);
  AddColumns(table, {Words(ValueColumn("slowest", "slowest 3%"))});
  for (const StragglerWorker& worker : cost.workers) {
    std::vector<Cell> row = {NumberCell(worker.dp), NumberCell(worker.stage),
                             NumberCell(worker.rank)};
    AddCostCells(row, cost, worker.step);
    row.emplace_back(worker.slowest ? "yes" : "no");
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table StepsTable(const StragglerCost& cost) {
  Table table{.key = "straggler_steps",
              .title = "Each step",
              .columns = {KeyColumn("step", "step")},
              .text_rows = 0};
  AddColumns(table, {TimeColumn("t", "recorded"), TimeColumn("t_nodelay", "without delays"),
                     TimeColumn("t_ideal", "ideal")});
  AddColumns(table, SlowdownColumns());
  for (const StragglerStep& step : cost.steps) {
    const double slowdown =
        step.ideal > 0 ? static_cast<double>(step.no_delay) / static_cast<double>(step.ideal) : 1;
    table.rows.push_back({step.step, step.recorded, step.no_delay, step.ideal,
                          When(step.ideal > 0, Cell(slowdown)),
                          When(step.ideal > 0, Cell(slowdown - 1))});
  }
  return table;
}

Phrase SayWorker(const StragglerWorker& worker) {
  if (worker.dp < 0) return Say("rank {rank}", worker.rank);
  const Phrase place = Say("dp {dp}, stage {stage}", worker.dp, worker.stage);
  return worker.rank < 0 ? place : Say("rank {rank} ({place})", worker.rank, place);
}

Phrase SaySlowest(const StragglerCost& cost) {
  Phrase names;
  size_t count = 0;
  for (const StragglerWorker& worker : cost.workers) {
    if (!worker.slowest || count++ >= kNamedWorkers) continue;
    const Phrase name = SayWorker(worker);
    names = names.empty() ? name : Say("{workers}; {worker}", names, name);
  }
  if (count > kNamedWorkers) names += Say(" and {count} more", count - kNamedWorkers);
  return names;
}

// "backward-compute (+58.1%), forward-compute (+36.9%)": those that alone make steps 1% longer.
Phrase SayTypes(const StragglerCost& cost) {
  std::string names;
  size_t count = 0;
  for (const StragglerPart& part : cost.types) {
    const double excess = cost.SlowdownOf(part.step) - 1;
    if (excess < 0.01 || count++ == kNamedTypes) break;
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", part.name, HumanChange(excess));
  }
  return names.empty() ? Phrase("no single type makes steps 1% longer")
                       : Say("by type alone: {types}", names);
}

// "all of it is", "68.8% of it is".
Phrase SayShare(double share) {
  return share >= 0.995 ? Phrase("all of it is") : Say("{share} of it is", HumanRatio(share));
}

// What M_S says, where it is most of it.
Phrase SayLastStage(const StragglerCost& cost) {
  const double gone = cost.ShareGone(cost.without_last_stage).value_or(0);
  if (gone < kMostOfIt) return {};
  return Say("; {share} gone if the last stage takes what it should", SayShare(gone));
}

// A stage of one worker.
Phrase SayOneReplica(const StragglerCost& cost) {
  if (cost.stages.size() < 2 || cost.replicas.size() != 1) return {};
  return "; a slow worker and a large stage look the same with one replica";
}

Phrase SayBlame(const StragglerCost& cost) {
  const double stages = cost.ShareLeft(cost.even_within_stages).value_or(0);
  switch (BlameFor(cost)) {
    case StragglerBlame::kWorkers:
      return Say("{share} gone if the slowest workers take what they should: {workers}{alike}",
                 SayShare(cost.ShareGone(cost.without_workers).value_or(0)), SaySlowest(cost),
                 SayOneReplica(cost));
    case StragglerBlame::kStages:
      return Say("{share} there if computing always takes the mean of its stage{last}{alike}",
                 SayShare(stages), SayLastStage(cost), SayOneReplica(cost));
    case StragglerBlame::kVariation:
      return Say(
          "only {share} there if computing always takes the mean of its stage, so most of it "
          "varies within stages{last}",
          SayShare(stages), SayLastStage(cost));
    case StragglerBlame::kNobody:
      break;
  }
  return "no worker costs far more than others in most steps";
}

std::string_view StragglerHint(const StragglerCost& cost, bool communicates) {
  if (!SayOneReplica(cost).empty())
    return "compare what the stages have to do first; then clocks, temperature and power";
  switch (BlameFor(cost)) {
    case StragglerBlame::kWorkers:
      return "check clocks, temperature, power and other load of these workers; see table "
             "straggler_workers";
    case StragglerBlame::kStages:
      return "divide the model into stages that take alike: loss and vocabulary layers count; see "
             "table straggler_stages";
    case StragglerBlame::kVariation:
    case StragglerBlame::kNobody:
      break;
  }
  if (!cost.types.empty() && cost.types.front().name == "host")
    return "see what the host does in the longest steps; see table straggler_steps";
  return communicates ? "look at the network; see table straggler_types"
                      : "see what differs between microbatches, replicas and steps, such as "
                        "sequence lengths; see table straggler_steps";
}

Finding FindingOf(const StragglerCost& cost, const StragglerWords& words) {
  const bool communicates = !cost.types.empty() && cost.types.front().communicates;
  const auto steps = static_cast<double>(cost.steps.size());
  const std::string longer = HumanRatio(cost.Slowdown() - 1);
  Finding finding{
      .message = BlameFor(cost) == StragglerBlame::kWorkers
                     ? Say("Stragglers make steps {share} longer.", longer)
                     : Say("Uneven work makes steps {share} longer.", longer),
      .because = Say(
          "{time} per step without {delays} vs {least} if every operation took {ideal}; {types}; "
          "{blame}",
          HumanTime(cost.no_delay), words.no_delay, HumanTime(cost.ideal), words.ideal,
          SayTypes(cost), SayBlame(cost)),
      .hint = std::string(StragglerHint(cost, communicates)),
      .impact = RoundToInt64((cost.no_delay - cost.ideal) * steps),
      .table = "straggler",
      .cause = {communicates ? CauseKind::kCommunication : CauseKind::kCompute},
      .nearness = Nearness::kCause,
      .extent = {.time = RoundToInt64(cost.no_delay * steps), .steps = steps}};
  if (BlameFor(cost) == StragglerBlame::kWorkers && SlowestWorkers(cost.workers.size()) == 1 &&
      cost.workers.front().rank >= 0) {
    finding.cause.rank = cost.workers.front().rank;
  }
  return finding;
}

}  // namespace

Report StragglerReport(const StragglerCost& cost, const StragglerWords& words) {
  Report report{.analysis = "whatif", .title = "What stragglers cost"};
  const bool slow = cost.Slowdown() >= kLeastSlowdown;
  report.headline =
      slow ? Say("A step without {delays} takes {time}, and {least} with even work.",
                 words.no_delay, HumanTime(cost.no_delay), HumanTime(cost.ideal))
           : Say("Stragglers cost little: a step takes {time}, and {least} without them.",
                 HumanTime(cost.no_delay), HumanTime(cost.ideal));
  report.metrics = {
      {"slowdown", "slowdown (S)", cost.Slowdown(), Unit::kNone, true},
      {"longer", "steps longer by stragglers", cost.Slowdown() - 1, Unit::kRelativeChange},
      {"m_w", "gone without slowest workers (M_W)", ShareCell(cost.ShareGone(cost.without_workers)),
       Unit::kRatio},
      {"m_s", "gone without last stage (M_S)", ShareCell(cost.ShareGone(cost.without_last_stage)),
       Unit::kRatio},
      {"uneven_stages", "due to uneven stages", ShareCell(cost.ShareLeft(cost.even_within_stages)),
       Unit::kRatio},
      {"steps", "steps compared", static_cast<int64_t>(cost.steps.size()), Unit::kCount}};
  report.tables = {WholeTable(cost), TypesTable(cost), WorkersTable(cost)};
  if (!cost.stages.empty())
    report.tables.push_back(PartsTable(cost, cost.stages, "straggler_stages", "stage", "stage"));
  if (!cost.replicas.empty())
    report.tables.push_back(PartsTable(cost, cost.replicas, "straggler_replicas", "dp", "replica"));
  report.tables.push_back(StepsTable(cost));
  if (slow) report.findings.push_back(FindingOf(cost, words));
  if (cost.dropped_steps > 0) {
    report.notes.push_back({"incomplete_steps", cost.dropped_steps,
                            "steps were left out: operations are missing or recorded twice", ""});
  }
  return report;
}

}  // namespace stepscope
