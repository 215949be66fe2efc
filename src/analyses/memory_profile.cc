// Reports peak memory per device, its contents, leaks and the headroom for a larger batch.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/memory_profile_findings.h"
#include "facts/derived/memory/memory_peaks.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace memory_profile {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** How close is a device to running out of memory, what fills it, does it leak, and how much larger could
the batch be?

**Definition:** The events are those of PyTorch's allocator (record with profile_memory=True) and of the BFC allocators of
TensorFlow and JAX, each allocator separately. `peak` is the most memory in use at once, the last time on a tie.
`capacity` is the memory of the device (PyTorch), what the allocator has in use and free at the peak (TensorFlow, JAX),
or the parameter. `used` is above 1 where that is lower than the peak. Metrics are those of the fullest device.

`at_peak` has the blocks alive at the peak by operator, type, shape and region. The operator is the one that asked for
the block; for aten::empty and similar, the operator around it. `bytes` are of all `occurrences` together. Type and shape
are the block's where the allocator has them. For PyTorch they are the operator's inputs, recorded with
record_shapes=True. `(stack)` is memory that an allocator reserves for temporaries. With `(stack)` and `(allocated before
the trace)`, the rows of an allocator with totals sum to its peak. `fragmentation` is the allocator's own for its free
memory; for PyTorch it is the share of reserved memory not in use at the peak.

`persistent` is the lowest level within the step of the peak. The rest of the peak is freed in each step and grows with
the batch. `batch_factor` is how much larger the batch may be until 90% of capacity is in use. `kept` is what a step
allocated and did not free until the end of the trace; `never_freed` has the operators. `operators` has the
allocations of the innermost operators, and how much more that is than they free.

**Limitations:** Memory outside the allocator does not count: the context, NCCL's buffers, CUDA graph pools of other
processes. If the trace has no totals (2021), levels are sums of events from 0: earlier memory is missing, and headroom
is unknown. Gradients and buckets are freed in each step without growing with the batch, so `batch_factor` may be too
low. Fragmentation and workspaces may make it too high. Without steps, leaks and batch size are not analyzed.

**Interpretation:** Above 90% of capacity, a longer batch may fail: checkpoint activations, shard, or use a smaller
batch. In inference, weights and a KV cache reserved before the trace are not a warning: such memory does not grow. A larger batch helps if the device idles for at least 10% of span. If the level at the end of steps grows in
at least three consecutive steps, there is a leak or a cache: look for losses or outputs kept with their graph
(`.item()`, `.detach()`). State kept by the first step only is not a leak.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"capacity", Parameter::Type::kInteger, "0", Unit::kBytes,
     "memory of each device; 0: from the trace"},
    {"leak_bytes", Parameter::Type::kInteger, "1000000", Unit::kBytes,
     "growth per step below this is not a leak"},
});

std::vector<Column> Keys() {
  auto columns = DeviceKeys();
  columns.push_back(KeyColumn("allocator", "allocator"));
  return columns;
}

std::vector<Cell> KeyCells(const Facts& facts, const MemoryPeak& p) {
  const bool named = p.memory.allocator != kNoString;
  return {p.rank->rank, p.rank->window, MemoryDeviceCell(p.memory.device),
          named ? Cell(std::string((*facts.names)[p.memory.allocator])) : Cell()};
}

Cell BytesOr(int64_t bytes) { return When(bytes >= 0, bytes); }

Cell HeadroomCell(const MemoryPeak& p) {
  const auto headroom = p.Headroom();
  return headroom ? Cell(*headroom) : Cell();
}

Cell FragmentationOf(const MemoryPeak& p) {
  const MemoryEvent& peak = p.rank->host->memory[p.memory.AtPeak().event];
  if (const MemoryDetail* d = p.rank->host->DetailOf(peak)) {
    return When(d->fragmentation >= 0 && d->fragmentation <= 1, d->fragmentation);
  }
  if (!p.memory.has_totals || peak.reserved < p.peak) return {};
  return Ratio(peak.reserved - p.peak, peak.reserved);
}

// The most that the allocator ever had in use, as it reports itself.
int64_t LifetimePeak(const MemoryPeak& p) {
  const MemoryEvent& last = p.rank->host->memory[p.memory.moments.back().event];
  const MemoryDetail* detail = p.rank->host->DetailOf(last);
  return detail == nullptr ? -1 : detail->lifetime_peak;
}

Table DeviceTable(const Facts& facts, const std::vector<MemoryPeak>& peaks) {
  Table table{
      .key = "devices", .title = "Peak memory per device", .columns = Keys(), .text_rows = 8};
  AddColumns(
      table,
      {BytesColumn("peak", "peak"), BytesColumn("capacity", "capacity"),
       RatioColumn("used", "used, % of capacity"), BytesColumn("headroom", "headroom"),
       BytesColumn("persistent", "persistent"), CountColumn("batch_factor", "batch factor"),
       ValueColumn("peak_step", "peak step"), BytesColumn("reserved", "reserved"),
       RatioColumn("fragmentation", "fragmentation"), BytesColumn("lifetime_peak", "lifetime peak"),
       CountColumn("allocations", "allocations"), CountColumn("releases", "releases")});
  for (Column& column : table.columns) {
    column.detail = column.key == "allocations" || column.key == "releases" ||
                    column.key == "reserved" || column.key == "lifetime_peak";
  }
  for (const MemoryPeak& p : peaks) {
    const MemoryEvent& peak = p.rank->host->memory[p.memory.AtPeak().event];
    const auto factor = p.BatchFactor(kNearlyFull);
    int64_t allocations = 0, releases = 0;
    for (const MemoryMoment& moment : p.memory.moments) {
      if (moment.counts) ++(p.rank->host->memory[moment.event].bytes < 0 ? releases : allocations);
    }
    auto row = KeyCells(facts, p);
    row.insert(
        row.end(),
        {p.peak, BytesOr(p.capacity), When(p.KnowsHeadroom(), p.Used()), HeadroomCell(p),
         BytesOr(p.persistent), factor ? Cell(*factor) : Cell(),
         p.step == kNoStep ? Cell() : Cell(p.rank->steps[static_cast<size_t>(p.step)].number),
         BytesOr(peak.reserved), FragmentationOf(p), BytesOr(LifetimePeak(p)), allocations,
         releases});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Columns of the type, shape and region of blocks.
Table HoldingTable(std::string key, Phrase title, size_t text_rows) {
  Table table{.key = std::move(key),
              .title = std::move(title),
              .columns = {KeyColumn("operator", "operator"), BytesColumn("bytes", "bytes"),
                          CountColumn("occurrences", "occurrences")},
              .text_rows = text_rows};
  AddColumns(table, {RatioColumn("share", "% of peak"), CountColumn("steps", "steps")});
  AddColumns(table, Keys());
  AddColumns(table, {KeyColumn("type", "type"), KeyColumn("shape", "shape"),
                     KeyColumn("region", "region"), BytesColumn("requested", "requested")});
  SetKinds(table, {{"bytes", ColumnKind::kMemory}});
  return table;
}

void AddHoldings(Table& table, const Facts& facts, const MemoryPeak& p,
                 const MemoryHoldings& holdings) {
  std::vector<const MemoryHoldings::value_type*> order;
  for (const auto& holding : holdings) order.push_back(&holding);
  std::ranges::stable_sort(order, std::ranges::greater{}, [](const auto* h) {
    return std::pair(h->second.bytes, h->second.blocks);
  });
  for (const auto* h : order) {
    const auto& [purpose, holding] = *h;
    std::vector<Cell> row = {purpose.operation, holding.bytes,
                             When(holding.blocks > 0, holding.blocks),
                             When(holding.bytes <= p.peak, Ratio(holding.bytes, p.peak)),
                             When(holding.steps > 0, holding.steps)};
    for (Cell& key : KeyCells(facts, p)) row.push_back(std::move(key));
    row.insert(row.end(), {TextCell(purpose.type), TextCell(purpose.shape),
                           TextCell(purpose.region), BytesOr(holding.requested)});
    table.rows.push_back(std::move(row));
  }
}

Table StepTable(const Facts& facts, const std::vector<MemoryPeak>& peaks) {
  Table table{.key = "steps", .title = "Memory per step", .columns = Keys(), .text_rows = 0};
  AddColumns(table, {KeyColumn("step", "step"), BytesColumn("peak", "peak"),
                     BytesColumn("lowest", "lowest"), BytesColumn("end", "end"),
                     BytesColumn("allocated", "allocated"), BytesColumn("released", "released"),
                     BytesColumn("kept", "kept")});
  for (const MemoryPeak& p : peaks) {
    for (const MemoryStep& step : p.steps) {
      auto row = KeyCells(facts, p);
      row.insert(row.end(),
                 {p.rank->steps[static_cast<size_t>(step.step)].number, step.highest, step.lowest,
                  step.end, step.taken, step.released, When(!p.memory.blocks.empty(), step.kept)});
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table OperatorTable(const Facts& facts, const std::vector<MemoryPeak>& peaks) {
  Table table{
      .key = "operators", .title = "Allocations by operator", .columns = Keys(), .text_rows = 0};
  AddColumns(table, {KeyColumn("operator", "operator"), CountColumn("allocations", "allocations"),
                     BytesColumn("allocated", "allocated"), BytesColumn("increase", "increase")});
  for (const MemoryPeak& p : peaks) {
    std::vector<const OperatorAllocations::value_type*> order;
    for (const auto& sum : p.operators) order.push_back(&sum);
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [](const auto* sum) { return sum->second.bytes; });
    for (const auto* sum : order) {
      auto row = KeyCells(facts, p);
      row.insert(row.end(),
                 {sum->first, sum->second.count, sum->second.bytes, sum->second.increase});
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

void AddMetrics(Report& report, const MemoryPeak& p) {
  const auto factor = p.BatchFactor(kNearlyFull);
  report.metrics = {
      {"peak", "peak memory", p.peak, Unit::kBytes},
      {"capacity", "capacity", BytesOr(p.capacity), Unit::kBytes},
      {"headroom", "headroom", HeadroomCell(p), Unit::kBytes},
      {"used", "used, % of capacity", When(p.KnowsHeadroom(), p.Used()), Unit::kRatio},
      {"persistent", "persistent", BytesOr(p.persistent), Unit::kBytes, true},
      {"batch_factor", "batch factor", factor ? Cell(*factor) : Cell(), Unit::kCount},
      {"growth", "growth per step", When(p.growth.steps >= kStepsThatGrow, p.growth.each),
       Unit::kBytes, true}};
}

Phrase Headline(const MemoryPeak& p) {
  Phrase of_capacity;
  if (p.KnowsHeadroom())
    of_capacity = Say(", {share} of capacity {capacity}", HumanRatio(p.Used()), Human(p.capacity));
  return Say("Peak memory of {where} is {bytes}{of_capacity}{mostly}.", Where(p), Human(p.peak),
             of_capacity, MostlyFor(p.at_peak, p.peak));
}

Report Run(const Facts& facts, const Params& params) {
  Report report{.analysis = std::string(kMemoryProfile.name),
                .title = std::string(kMemoryProfile.title)};
  const auto peaks = FindMemoryPeaks(facts, params.Integer("capacity"));
  if (peaks.empty()) {
    MakeUnavailable(report, Say("there are no memory events in the selection: {how}",
                                Say(kRecordMemory, facts)));
    return report;
  }
  report.headline = Headline(peaks.front());
  AddMetrics(report, peaks.front());
  report.tables.push_back(DeviceTable(facts, peaks));
  Table at_peak = HoldingTable("at_peak", "Memory at the peak", 8);
  Table never_freed = HoldingTable("never_freed", "Memory never freed", 0);
  int64_t without_totals = 0;
  for (const MemoryPeak& p : peaks) {
    AddHoldings(at_peak, facts, p, p.at_peak);
    AddHoldings(never_freed, facts, p, p.never_freed);
    if (!p.memory.has_totals) ++without_totals;
  }
  AddFullFinding(report, facts, peaks);
  if (AddLeakFinding(report, facts, peaks, params.Integer("leak_bytes"))) never_freed.text_rows = 5;
  AddBatchFinding(report, facts, peaks);
  const bool blocks_tell = std::ranges::any_of(
      peaks, [](const MemoryPeak& p) { return p.memory.allocator != kNoString; });
  for (Table* table : {&at_peak, &never_freed}) {
    // For blocks without own types, those of an operator's inputs add little to the shapes.
    std::ranges::find(table->columns, "type", &Column::key)->detail = !blocks_tell;
    if (!table->rows.empty()) report.tables.push_back(std::move(*table));
  }
  for (Table& table : std::array{OperatorTable(facts, peaks), StepTable(facts, peaks)}) {
    if (!table.rows.empty()) report.tables.push_back(std::move(table));
  }
  if (without_totals > 0) {
    report.notes.push_back({"no_totals", without_totals,
                            "allocators report no totals: levels are sums of events (headroom is "
                            "unknown)",
                            ""});
  }
  return report;
}

}  // namespace
}  // namespace memory_profile

const Analysis kMemoryProfile = {
    .name = "memory_profile",
    .title = "Peak memory",
    .label = "Peak",
    .group = AnalysisGroup::kMemory,
    .summary = "Peak contents, leaks, batch headroom",
    .doc = memory_profile::kDoc,
    .needs = {kRankActivityNeeds | KindSet{Kind::kOperator, Kind::kInstant}, true},
    .params = memory_profile::kParams,
    .run = &memory_profile::Run,
};

}  // namespace stepscope
