// Reports time by activity type, and statistics of every kernel.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/kept_names.h"
#include "base/saturate.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace kernel_breakdown {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Which types of activities run, alone and concurrently, and which kernels take the most time?

**Definition:** `kinds` divides the busy time of each rank by what ran at once: compute, communication, memory
(memcpy and memset), or combinations. A rank's rows sum to its busy time, and those of rank "all" to the sum over
ranks. `kernels` has count, sum, mean, min, max and sample standard deviation of every kernel of every rank. `top` has
the same over all ranks. Sums are sums of durations, not unions: concurrent kernels both count in full.

**Limitations:** How long a kernel should take is unknown, and so is the wait time within communication kernels.

**Interpretation:** The first rows of `top` are where faster kernels help most. A kernel with a large standard
deviation has varying shapes, or waits. For many calls with a mean of a few microseconds, fuse kernels or use CUDA
graphs.
)md";

std::string CombinationName(unsigned combination) {
  std::string name;
  const auto add = [&](unsigned bit, std::string_view kind) {
    if ((combination & bit) == 0) return;
    if (!name.empty()) name += " + ";
    name += kind;
  };
  add(kComputeBit, "compute");
  add(kCommunicationBit, "communication");
  add(kMemoryBit, "memory");
  return name;
}

ColumnKind KindOf(unsigned combination) {
  if (combination == kComputeBit) return ColumnKind::kCompute;
  if (combination == kCommunicationBit) return ColumnKind::kCommunication;
  return combination == kMemoryBit ? ColumnKind::kMemory : ColumnKind::kOverlap;
}

std::vector<Column> StatisticsColumns() {
  return {KeyColumn("kind", "kind"), KeyColumn("name", "name"),      CountColumn("count", "count"),
          TimeColumn("sum", "sum"),  TimeColumn("mean", "mean"),     TimeColumn("min", "min"),
          TimeColumn("max", "max"),  TimeColumn("stddev", "std dev")};
}

// Appends a row per kernel, largest sum first.
void AddKernels(Table& table, const Facts& facts, const std::vector<KernelStatistics>& kernels,
                KeptNames<StringId>& kept, const std::vector<Cell>& prefix) {
  std::vector<const KernelStatistics*> rows;
  for (const KernelStatistics& k : kernels) {
    if (kept.Keep(k.name, k.sum)) rows.push_back(&k);
  }
  const auto name = [&](const KernelStatistics& k) { return (*facts.names)[k.name]; };
  std::ranges::sort(rows, [&](const KernelStatistics* a, const KernelStatistics* b) {
    if (a->sum != b->sum) return a->sum > b->sum;
    return std::pair(name(*a), a->kind) < std::pair(name(*b), b->kind);
  });
  for (const KernelStatistics* kernel : rows) {
    const KernelStatistics& k = *kernel;
    auto row = prefix;
    row.insert(row.end(),
               {std::string(KernelKindName(k.kind)), std::string(name(k)), k.count, k.sum,
                std::llround(k.Mean()), k.min, k.max, std::llround(k.Deviation())});
    table.rows.push_back(std::move(row));
  }
}

using Combinations = std::array<int64_t, kCombinations>;

void AddCombinations(Table& table, const Cell& rank, const Combinations& time) {
  int64_t busy = 0;
  for (unsigned c = 1; c < kCombinations; ++c) busy += time[c];
  std::vector<unsigned> order;
  for (unsigned c = 1; c < kCombinations; ++c) {
    if (time[c] > 0) order.push_back(c);
  }
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](unsigned c) { return time[c]; });
  for (const unsigned c : order) {
    table.rows.push_back(
        {rank, CombinationName(c), time[c], Ratio(time[c], busy), KindCell(KindOf(c))});
  }
}

Table KindTable(const Facts& facts) {
  Table table{
      .key = "kinds",
      .title = "Concurrent activity types",
      .columns = {Words(KeyColumn("rank", "rank")), Words(KeyColumn("kinds", "activity types")),
                  TimeColumn("time", "time"), RatioColumn("ratio", "% of busy")}};
  AddKindColumn(table);
  Combinations all{};
  std::map<int64_t, Combinations> ranks;
  for (const DeviceFacts& device : facts.devices) {
    Combinations& rank = ranks[device.rank->rank];
    for (unsigned c = 1; c < kCombinations; ++c) {
      rank[c] += device.total.time[c];
      all[c] += device.total.time[c];
    }
  }
  AddCombinations(table, "all", all);
  table.text_rows = table.rows.size();
  for (const auto& [rank, time] : ranks) AddCombinations(table, rank, time);
  return table;
}

void AddFinding(Report& report, const Facts& facts, const std::vector<KernelStatistics>& all) {
  if (facts.MostKernelsMissing()) return;  // when devices were idle is unknown
  int64_t memory_alone = 0;
  int64_t span = 0;
  for (const DeviceFacts& device : facts.devices) {
    memory_alone += device.total.time[kMemoryBit];
    span += device.total.Span();
  }
  const double share =
      span == 0 ? 0 : static_cast<double>(memory_alone) / static_cast<double>(span);
  if (share < 0.05) return;
  std::vector<std::pair<StringId, int64_t>> copies;
  for (const KernelStatistics& k : all) {
    if (IsMemory(k.kind)) copies.emplace_back(k.name, k.sum);
  }
  report.findings.push_back(
      {.message = Say("Exposed memcpy and memset are {share} of span.", HumanRatio(share)),
       .because = Say(
           "{time} per device with no other activity; most time, exposed or not: {kernels}",
           HumanTime(static_cast<double>(memory_alone) / static_cast<double>(facts.devices.size())),
           SayMost(facts, std::move(copies))),
       .hint = Say(kCopyAhead, facts),
       .impact = memory_alone / static_cast<int64_t>(facts.devices.size()),
       .table = "kinds",
       .cause = {CauseKind::kCopies}});
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kKernelBreakdown, facts);
  if (report.status == Status::kUnavailable) return report;
  const auto all = MergeKernels(facts.kernels, facts.names->size());
  Table top{.key = "top",
            .title = "Kernels over all ranks",
            .columns = StatisticsColumns(),
            .text_rows = 12};
  top.kind_column = "kind";
  std::vector<std::pair<StringId, int64_t>> sums;
  for (const KernelStatistics& kernel : all) sums.emplace_back(kernel.name, kernel.sum);
  KeptNames<StringId> kept(params, std::move(sums),
                           [&](StringId name) { return (*facts.names)[name]; });
  AddKernels(top, facts, all, kept, {});
  kept.AddNote(top.key, report);
  Table kernels{.key = "kernels",
                .title = "Kernels per rank",
                .columns = {KeyColumn("rank", "rank")},
                .text_rows = 0};
  AddColumns(kernels, StatisticsColumns());
  kernels.kind_column = "kind";
  for (const RankKernels& rank : facts.kernels) {
    AddKernels(kernels, facts, rank.kernels, kept, {rank.rank});
  }
  kept.AddNote(kernels.key, report);

  const auto& first = top.rows.front();
  int64_t sum = 0;
  for (const KernelStatistics& kernel : all) sum = AddSaturated(sum, kernel.sum);
  const auto share = static_cast<double>(ColumnOf(top, "sum").Int(first)) /
                     static_cast<double>(std::max<int64_t>(sum, 1));
  report.headline = Say("{kernels} ran; the costliest is {share} of kernel time.",
                        Plural(all.size(), "different kernel"), HumanRatio(share));
  report.tables.push_back(KindTable(facts));
  report.tables.push_back(std::move(top));
  report.tables.push_back(std::move(kernels));
  AddFinding(report, facts, all);
  return report;
}

}  // namespace
}  // namespace kernel_breakdown

const Analysis kKernelBreakdown = {
    .name = "kernel_breakdown",
    .title = "Kernel breakdown",
    .label = "Kernels",
    .group = AnalysisGroup::kDevice,
    .summary = "Time by activity type and kernel",
    .doc = kernel_breakdown::kDoc,
    .needs = kRankActivityNeeds,
    .of_partials = OfPartials::kAllSteps,
    .params = {},
    .run = &kernel_breakdown::Run,
};

}  // namespace stepscope
