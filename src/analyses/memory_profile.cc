// How full a device's memory is at its peak, with what, and whether it keeps filling up.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "facts/derived/memory_peaks.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr std::string_view kDoc = R"md(
**Answers:** how close does a device come to running out of memory, what fills it then, does it leak, and how much
larger could the batch be?

**Counts:** the allocator's events, PyTorch's (record with profile_memory=True) and those of TensorFlow's and JAX's
BFC allocators alike, each allocator by itself. `peak` is the most that was in use at once, of equals the last time;
`capacity` is the memory of the device (PyTorch), what the allocator has in use and free at the peak (TensorFlow,
JAX), or the parameter; `used` is above 1 where that is lower than the peak. The metrics are those of the fullest
device. `at_peak` has the blocks alive then by the operator that asked for them (of aten::empty and its like the
operator around it), type, shape and region; `bytes` are of all `occurrences` together. Type and shape are the block's
where the allocator says them; PyTorch's does not: there they are the inputs of the operator, recorded with
record_shapes=True. `(stack)` is what an allocator sets aside for temporaries. With these two and `(allocated before
the recording)` the rows of an allocator with totals add up to its peak. `fragmentation` is what the allocator says of
its free memory; for PyTorch the part of the reserved memory that is not in use at the peak. `persistent` is the
lowest level within the step of the peak; what the peak has beyond that comes and goes with each step, and grows with
the batch. `batch_factor` is how much larger the batch may be until 90 % of the capacity are in use. `kept` of a step
are the bytes it allocated that are not given back to the end of the recording; `never_freed` says by whom.
`operators` has what the innermost operators allocate themselves, and how much more that is than they give back.

**Cannot see:** memory outside of the allocator: the context, NCCL's buffers, CUDA graphs' pools of other processes.
Where the trace gives no totals (2021), levels are sums of events from 0: what was there before is missing, and
nothing is said about headroom. Gradients and buckets come and go without growing with the batch, so `batch_factor`
errs on the low side; fragmentation and workspaces err on the other. Without steps marked nothing is said about
leaks and the batch.

**Read it so:** above 90 % of the capacity the next longer batch may fail: checkpoint activations, shard, or take a
smaller batch. Room for a larger one helps where the device idles, for 10 % of its time and more. A level at the ends
of steps that grows in each of three steps and more is a leak, or a cache: look for losses or outputs that are kept
with their graph (`.item()`, `.detach()`). What only the first step keeps is state made on first use and no leak.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"capacity", Parameter::Type::kInteger, "0", Unit::kBytes,
     "the memory of each device; 0: what the trace says"},
    {"leak_bytes", Parameter::Type::kInteger, "1000000", Unit::kBytes,
     "memory that grows by less in a step is no leak"},
});

constexpr double kNearlyFull = 0.9;    // of the capacity: where PyTorch's plugin warns too
constexpr int64_t kStepsThatGrow = 3;  // in a row
constexpr double kWorthALarger = 1.5;  // batch
constexpr double kHasTime = 0.1;       // a device that idles for less gains little by more work

std::string Where(const MemoryPeak& p) {
  return p.memory.device < 0 ? fmt::format("the host of rank {}", p.rank->rank)
                             : fmt::format("rank {} device {}", p.rank->rank, p.memory.device);
}

Column Bytes(std::string key, std::string title) {
  return {std::move(key), std::move(title), Unit::kBytes};
}

std::vector<Column> Keys() {
  auto columns = DeviceKeys();
  columns.push_back(KeyColumn("allocator", "allocator"));
  return columns;
}

std::vector<Cell> KeyCells(const Facts& facts, const MemoryPeak& p) {
  const bool named = p.memory.allocator != kNoString;
  return {p.rank->rank, p.rank->window, p.memory.device < 0 ? Cell("host") : Cell(p.memory.device),
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

// The most that the allocator ever had in use, by its own account.
int64_t LifetimePeak(const MemoryPeak& p) {
  const MemoryEvent& last = p.rank->host->memory[p.memory.moments.back().event];
  const MemoryDetail* detail = p.rank->host->DetailOf(last);
  return detail == nullptr ? -1 : detail->lifetime_peak;
}

Table DeviceTable(const Facts& facts, const std::vector<MemoryPeak>& peaks) {
  Table table{.key = "devices",
              .title = "Memory of each device at its peak",
              .columns = Keys(),
              .text_rows = 8};
  AddColumns(table,
             {Bytes("peak", "peak"), Bytes("capacity", "capacity"), RatioColumn("used", "used"),
              Bytes("headroom", "headroom"), Bytes("persistent", "persistent"),
              CountColumn("batch_factor", "batch could be x"), Column{"peak_step", "in step"},
              Bytes("reserved", "reserved"), RatioColumn("fragmentation", "fragmentation"),
              Bytes("lifetime_peak", "lifetime peak"), CountColumn("allocations", "allocations"),
              CountColumn("releases", "releases")});
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

Cell TextOr(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

// The columns that tell what blocks are for, and in whose memory they lie.
Table HoldingTable(std::string key, std::string title, size_t text_rows) {
  Table table{.key = std::move(key),
              .title = std::move(title),
              .columns = {KeyColumn("operator", "operator"), Bytes("bytes", "bytes"),
                          CountColumn("occurrences", "occurrences")},
              .text_rows = text_rows};
  AddColumns(table, {RatioColumn("share", "of peak"), CountColumn("steps", "in steps")});
  AddColumns(table, Keys());
  AddColumns(table, {KeyColumn("type", "type"), KeyColumn("shape", "shape"),
                     KeyColumn("region", "region"), Bytes("requested", "requested")});
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
    row.insert(row.end(), {TextOr(purpose.type), TextOr(purpose.shape), TextOr(purpose.region),
                           BytesOr(holding.requested)});
    table.rows.push_back(std::move(row));
  }
}

Table StepTable(const Facts& facts, const std::vector<MemoryPeak>& peaks) {
  Table table{.key = "steps", .title = "Memory of each step", .columns = Keys(), .text_rows = 0};
  AddColumns(table, {KeyColumn("step", "step"), Bytes("peak", "peak"), Bytes("lowest", "lowest"),
                     Bytes("end", "at its end"), Bytes("allocated", "allocated"),
                     Bytes("released", "released"), Bytes("kept", "kept")});
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
  Table table{.key = "operators",
              .title = "What operators allocate themselves",
              .columns = Keys(),
              .text_rows = 0};
  AddColumns(table, {KeyColumn("operator", "operator"), CountColumn("allocations", "allocations"),
                     Bytes("allocated", "allocated"), Bytes("increase", "increase")});
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

std::string Human(int64_t bytes) { return HumanBytes(static_cast<double>(bytes)); }

// What most of it is for: ", 80.0 % of it aten::mm".
std::string MostlyFor(const MemoryHoldings& holdings, int64_t whole) {
  const auto most = std::ranges::max_element(
      holdings, {}, [](const auto& holding) { return holding.second.bytes; });
  if (most == holdings.end() || whole <= 0) return "";
  const std::string& operation = most->first.operation;
  const double share = static_cast<double>(most->second.bytes) / static_cast<double>(whole);
  return fmt::format(", {} of it {}", HumanRatio(share),
                     operation == kMemoryFromBefore ? "allocated before the recording" : operation);
}

// ", as are 3 others"; nothing where there are none.
std::string Others(int64_t count) {
  if (count <= 1) return "";
  return count == 2 ? ", as is one other" : fmt::format(", as are {} others", count - 1);
}

constexpr Advice kHoldLess{
    "checkpoint activations, shard parameters and optimizer state over the ranks (FSDP, ZeRO), "
    "compute in 16 bit, or take a smaller batch and accumulate gradients",
    "recompute activations (tf.recompute_grad), compute in 16 bit (mixed_precision), or take a "
    "smaller batch and accumulate gradients",
    "recompute activations (jax.checkpoint), shard parameters and optimizer state over devices, "
    "compute in bfloat16, or take a smaller batch and accumulate gradients"};
constexpr Advice kKeepLess{
    "look in the table never_freed for operators whose blocks pile up; keep losses and metrics as "
    "numbers (.item(), .detach()), not as tensors with their graph",
    "look in the table never_freed for operators whose blocks pile up; keep losses and metrics as "
    "numbers (.numpy()), not as tensors",
    "look in the table never_freed for operators whose blocks pile up; keep losses and metrics as "
    "numbers (float()), not as arrays, and donate what a step replaces (donate_argnums)"};

void AddFullFinding(Report& report, const Facts& facts, const std::vector<MemoryPeak>& peaks) {
  const MemoryPeak& p = peaks.front();  // the fullest
  if (p.Used() <= kNearlyFull) return;
  const auto full =
      std::ranges::count_if(peaks, [](const auto& peak) { return peak.Used() > kNearlyFull; });
  report.findings.push_back(
      {.severity = Severity::kHigh,
       .message = fmt::format("Memory of {} is nearly full{}: {} of its capacity at the peak.",
                              Where(p), Others(full), HumanRatio(p.Used())),
       .because = fmt::format("{} of {} are in use then{}", Human(p.peak), Human(p.capacity),
                              MostlyFor(p.at_peak, p.peak)),
       .hint = Say(kHoldLess, facts),
       .table = "devices"});
}

bool Leaks(const MemoryPeak& p, int64_t leak_bytes) {
  return p.growth.steps >= kStepsThatGrow && p.growth.each >= leak_bytes;
}

// Whether there is one.
bool AddLeakFinding(Report& report, const Facts& facts, const std::vector<MemoryPeak>& peaks,
                    int64_t leak_bytes) {
  const auto leaks = [&](const MemoryPeak& p) { return Leaks(p, leak_bytes); };
  const auto first = std::ranges::find_if(peaks, leaks);
  if (first == peaks.end()) return false;
  const MemoryPeak& p = *first;
  const int64_t each = p.growth.each;
  std::string because =
      fmt::format("at least {} more are in use at the end of each of the last {} steps",
                  Human(each), p.growth.steps);
  if (const auto headroom = p.Headroom(); headroom && each > 0) {
    because += fmt::format("; at this rate memory lasts for {} more",
                           Plural(static_cast<size_t>(*headroom / each), "step"));
  }
  int64_t kept = 0;
  for (const auto& [purpose, holding] : p.never_freed) kept = AddSaturated(kept, holding.bytes);
  if (kept > 0)
    because += "; steps never gave back " + Human(kept) + MostlyFor(p.never_freed, kept);
  report.findings.push_back(
      {.severity = Severity::kHigh,
       .message =
           fmt::format("Memory of {} grows step by step{}: a leak, or a cache without a limit.",
                       Where(p), Others(std::ranges::count_if(peaks, leaks))),
       .because = std::move(because),
       .hint = Say(kKeepLess, facts),
       .table = "steps"});
  return true;
}

// The part of its time for which a device idles; 0 where it did no work.
double IdleRatio(const Facts& facts, const MemoryPeak& p) {
  const auto device = std::ranges::find_if(facts.devices, [&](const DeviceFacts& d) {
    return d.rank == p.rank && d.device == p.memory.device;
  });
  if (device == facts.devices.end() || device->total.Span() <= 0) return 0;
  return static_cast<double>(device->total.Idle()) / static_cast<double>(device->total.Span());
}

// The device with the least room decides for all. A larger batch is worth trying where devices wait
// between pieces of work.
void AddBatchFinding(Report& report, const Facts& facts, const std::vector<MemoryPeak>& peaks) {
  const MemoryPeak* tightest = nullptr;
  double least = 0;
  for (const MemoryPeak& p : peaks) {
    if (p.memory.device < 0) continue;
    if (!p.KnowsHeadroom() || p.growth.steps >= kStepsThatGrow) return;
    const auto factor = p.BatchFactor(kNearlyFull);
    if (!factor) continue;  // nothing of it comes and goes
    if (tightest != nullptr && *factor >= least) continue;
    tightest = &p;
    least = *factor;
  }
  if (tightest == nullptr || least < kWorthALarger) return;
  const MemoryPeak& p = *tightest;
  const double idle = IdleRatio(facts, p);
  if (idle < kHasTime) return;
  report.findings.push_back(
      {.severity = Severity::kLow,
       .message = fmt::format("There is memory for a batch {} times as large.",
                              least > 10 ? "more than 10" : fmt::format("about {:.1f}", least)),
       .because =
           fmt::format("the tightest, {}, has {} of {} in use at its peak; {} of that come and go "
                       "with each step; it idles for {} of its time",
                       Where(p), Human(p.peak), Human(p.capacity), Human(p.peak - p.persistent),
                       HumanRatio(idle)),
       .hint =
           "raise the batch size, and the learning rate with it, until about 90 % are in use, or "
           "drop activation checkpointing",
       .table = "devices"});
}

void AddMetrics(Report& report, const MemoryPeak& p) {
  const auto factor = p.BatchFactor(kNearlyFull);
  report.metrics = {
      {"peak", "peak of the fullest", p.peak, Unit::kBytes},
      {"capacity", "its capacity", BytesOr(p.capacity), Unit::kBytes},
      {"headroom", "headroom", HeadroomCell(p), Unit::kBytes},
      {"used", "used at the peak", When(p.KnowsHeadroom(), p.Used()), Unit::kRatio},
      {"persistent", "of the peak, persistent", BytesOr(p.persistent), Unit::kBytes, true},
      {"batch_factor", "batch could be larger x", factor ? Cell(*factor) : Cell(), Unit::kCount},
      {"growth", "grown per step at last", When(p.growth.steps >= kStepsThatGrow, p.growth.each),
       Unit::kBytes, true}};
}

std::string Headline(const MemoryPeak& p) {
  std::string text = fmt::format("At its peak {} has {} in use", Where(p), Human(p.peak));
  if (p.KnowsHeadroom()) {
    text += fmt::format(", {} of its {}", HumanRatio(p.Used()), Human(p.capacity));
  }
  return text + MostlyFor(p.at_peak, p.peak) + ".";
}

Report Run(const Facts& facts, const Params& params) {
  Report report{.analysis = std::string(kMemoryProfile.name),
                .title = std::string(kMemoryProfile.title)};
  const auto peaks = FindMemoryPeaks(facts, params.Integer("capacity"));
  if (peaks.empty()) {
    MakeUnavailable(report,
                    "there are no memory events in what was selected: record with "
                    "profile_memory=True, or in TensorFlow and JAX with the BFC allocator");
    return report;
  }
  report.headline = Headline(peaks.front());
  AddMetrics(report, peaks.front());
  report.tables.push_back(DeviceTable(facts, peaks));
  Table at_peak = HoldingTable("at_peak", "What is in memory at the peak", 8);
  Table never_freed = HoldingTable("never_freed", "What steps took and never gave back", 0);
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
    // Types of an operator's inputs say little beside its shapes.
    std::ranges::find(table->columns, "type", &Column::key)->detail = !blocks_tell;
    if (!table->rows.empty()) report.tables.push_back(std::move(*table));
  }
  for (Table& table : std::array{OperatorTable(facts, peaks), StepTable(facts, peaks)}) {
    if (!table.rows.empty()) report.tables.push_back(std::move(table));
  }
  if (without_totals > 0) {
    report.notes.push_back({"no_totals", without_totals,
                            "allocators do not say what they have in use: levels are sums of the "
                            "events recorded, and nothing is said about headroom",
                            ""});
  }
  return report;
}

}  // namespace

const Analysis kMemoryProfile = {
    .name = "memory_profile",
    .title = "Peak memory",
    .summary = "Peak contents, leaks, batch headroom",
    .doc = kDoc,
    .needs = {kRankActivityNeeds | KindSet{Kind::kOperator, Kind::kInstant}, true},
    .params = kParams,
    .run = &Run,
};

}  // namespace stepscope
