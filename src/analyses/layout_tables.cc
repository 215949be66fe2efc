// Turns the facts about process groups into rows.
#include "analyses/layout_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analyses/build.h"
#include "base/saturate.h"
#include "facts/derived/layout/expert_exchanges.h"
#include "facts/derived/layout/kind_times.h"
#include "facts/derived/layout/parallel_layout.h"
#include "facts/derived/layout/pipeline_stages.h"
#include "facts/derived/replay/wait_origins.h"
#include "report/kinds.h"

namespace stepscope {
namespace {

// "dp_or_tp" of "dp or tp".
std::string KeyOfLabel(std::string_view label) {
  std::string key;
  for (const char c : label) {
    const bool keeps = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (keeps) {
      key += c;
    } else if (!key.empty() && key.back() != '_') {
      key += '_';
    }
  }
  while (key.ends_with('_')) key.pop_back();
  return key;
}

// Groups of these members were seen, whatever they were called.
int64_t CountDistinctGroups(const GroupClass& c, const ProcessGroups& groups) {
  std::vector<const std::vector<int64_t>*> members;
  int64_t unknown = 0;
  for (const uint32_t g : c.groups) {
    if (groups.groups[g].complete) {
      members.push_back(&groups.groups[g].members);
    } else {
      ++unknown;
    }
  }
  const auto less = [](const auto* a, const auto* b) { return *a < *b; };
  std::ranges::sort(members, less);
  const auto [rest, end] =
      std::ranges::unique(members, [](const auto* a, const auto* b) { return *a == *b; });
  return std::distance(members.begin(), rest) + unknown;
}

std::vector<Cell> CellsOfKind(const KindTime& time, const KindTimes& times) {
  const auto steps = static_cast<int64_t>(times.steps);
  return {time.calls,
          time.exposed,
          When(steps > 0, steps > 0 ? time.exposed / steps : 0),
          Ratio(time.exposed, times.span),
          Maybe(time.wait),
          Maybe(time.transfer),
          time.communication};
}

// The classes that give ranks a place: all but those of every rank.
std::vector<uint32_t> PlacingClasses(const ParallelLayout& layout) {
  std::vector<uint32_t> placing;
  for (uint32_t c = 0; c < layout.classes.size(); ++c) {
    const GroupClass& of = layout.classes[c];
    const bool places = of.kind != ParallelKind::kAllRanks && of.kind != ParallelKind::kEmbedding &&
                        of.kind != ParallelKind::kCombined;
    const bool is_axis = std::ranges::find(layout.axes, c) != layout.axes.end();
    if (is_axis || (places && of.divides && of.label != "unknown")) placing.push_back(c);
  }
  return placing;
}

const RankCollectives* ParticipantAt(const Facts& facts, bool devices, int64_t seat) {
  const CollectiveFacts& c = facts.collectives;
  if (devices) return &c.ranks[static_cast<size_t>(seat)];
  const auto of_rank = c.OfRank(seat);
  return of_rank.empty() ? nullptr : &of_rank.front();
}

int64_t ExposedOf(const Facts& facts, const RankCollectives& of) {
  int64_t exposed = 0;
  for (const DeviceFacts& device : facts.devices) {
    const bool own = device.rank->rank == of.rank && (of.device < 0 || of.device == device.device);
    if (own) exposed = AddSaturated(exposed, device.total.Exposed());
  }
  return exposed;
}

}  // namespace

Table LayoutGroups(const Facts& facts) {
  const ParallelLayout& layout = ParallelLayoutOf(facts);
  const KindTimes& times = KindTimesOf(facts);
  Table table{.key = "groups",
              .title = "Process groups by kind",
              .columns = {Words(KeyColumn("group_kind", "kind")), CountColumn("size", "size"),
                          CountColumn("groups", "groups"), CountColumn("calls", "calls"),
                          Detail(TimeColumn("exposed", "exposed")),
                          TimeColumn("exposed_per_step", "exposed per step"),
                          RatioColumn("exposed_ratio", "% of span"), TimeColumn("wait", "wait"),
                          TimeColumn("transfer", "transfer"),
                          Detail(TimeColumn("communication", "communication")),
                          Detail(Words(ValueColumn("known", "known"))),
                          Words(ValueColumn("known_by", "known by"))}};
  SetKinds(table, {{"exposed", ColumnKind::kCommunication}, {"wait", ColumnKind::kWait}});
  for (size_t i = 0; i < layout.classes.size(); ++i) {
    const GroupClass& c = layout.classes[i];
    std::vector<Cell> row = {c.label, When(c.size >= 0, c.size),
                             CountDistinctGroups(c, ProcessGroupsOf(facts))};
    for (Cell& cell : CellsOfKind(times.classes[i], times)) row.push_back(std::move(cell));
    row.insert(row.end(), {c.described                        ? "described"
                           : c.kind == ParallelKind::kUnknown ? "ambiguous"
                                                              : "inferred",
                           c.known_by});
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table LayoutRanks(const Facts& facts) {
  const ParallelLayout& layout = ParallelLayoutOf(facts);
  const bool devices = ProcessGroupsOf(facts).devices;
  const std::vector<uint32_t> placing = PlacingClasses(layout);
  Table table{
      .key = "ranks", .title = "Places of ranks", .columns = ParticipantKeys(), .text_rows = 16};
  for (const uint32_t c : placing)
    AddColumns(table, {ValueColumn(KeyOfLabel(layout.classes[c].label), layout.classes[c].label)});
  AddColumns(table, {ValueColumn("host", "host"), Words(ValueColumn("recorded", "recorded")),
                     TimeColumn("exposed", "exposed"), TimeColumn("wait", "wait"),
                     TimeColumn("blame", "caused wait")});
  const std::vector<int64_t> caused = CausedWaitsOf(facts);
  const auto caused_by = [&](const RankCollectives* own) {
    return Cell(caused[static_cast<size_t>(own - facts.collectives.ranks.data())]);
  };
  for (const auto& [seat, coordinates] : layout.seats) {
    const RankCollectives* own = ParticipantAt(facts, devices, seat);
    std::vector<Cell> row =
        own != nullptr ? ParticipantCells(*own) : std::vector<Cell>{seat, Cell()};
    for (const uint32_t c : placing) row.push_back(When(coordinates[c] >= 0, coordinates[c]));
    const bool split = own != nullptr && own->split > 0;
    row.insert(row.end(),
               {own != nullptr ? TextCell(own->machine) : Cell(), own != nullptr ? "yes" : "no",
                own != nullptr ? Cell(ExposedOf(facts, *own)) : Cell(),
                split ? Cell(own->wait) : Cell(), split ? caused_by(own) : Cell()});
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table LayoutStages(const Facts& facts) {
  const ModelPipeline& pipeline = PipelineOf(facts);
  Table table{.key = "stages",
              .title = "Stages of the pipeline",
              .columns = {KeyColumn("stage", "stage"), ValueColumn("ranks", "ranks"),
                          TimeColumn("step", "step"), TimeColumn("busy", "busy per step"),
                          RatioColumn("bubble_ratio", "bubble, % of step"),
                          RatioColumn("ideal_ratio", "ideal bubble, % of step"),
                          CountColumn("microbatches", "microbatches")},
              .text_rows = 16};
  SetKinds(table, {{"busy", ColumnKind::kCompute}, {"bubble_ratio", ColumnKind::kIdle}});
  for (const ModelStage& stage : pipeline.stages) {
    table.rows.push_back({stage.stage, fmt::format("{}", fmt::join(stage.ranks, ", ")), stage.step,
                          stage.busy, stage.Bubble(), Maybe(pipeline.ideal),
                          Maybe(pipeline.microbatches)});
  }
  return table;
}

Table LayoutExperts(const Facts& facts) {
  const ParallelLayout& layout = ParallelLayoutOf(facts);
  Table table{
      .key = "experts",
      .title = "All-to-alls in order",
      .columns = {Words(KeyColumn("group_kind", "kind")), KeyColumn("place", "place in step"),
                  CountColumn("count", "count"), CountColumn("ranks", "ranks"),
                  TimeColumn("wait", "mean wait"), TimeColumn("transfer", "mean transfer"),
                  TimeColumn("compute", "mean compute until next"),
                  TimeColumn("compute_max", "largest of ranks"),
                  RatioColumn("imbalance_ratio", "largest beyond mean"),
                  TimeColumn("loss", "loss")},
      .text_rows = 8};
  SetKinds(table, {{"wait", ColumnKind::kWait}, {"compute", ColumnKind::kCompute}});
  for (const ExpertExchange& e : ExpertExchangesOf(facts)) {
    const bool known = e.most && e.compute && *e.compute > 0;
    table.rows.push_back(
        {layout.classes[e.of].label, When(e.place >= 0, e.place), e.count, e.ranks, Maybe(e.wait),
         Maybe(e.transfer), Maybe(e.compute), Maybe(e.most),
         known ? Ratio(SubtractSaturated(*e.most, *e.compute), *e.compute) : Cell(),
         known ? Cell(SubtractSaturated(*e.most, *e.compute)) : Cell()});
  }
  return table;
}

}  // namespace stepscope
