// Reports allocated and reserved memory over time, and its holders at the peak.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "facts/derived/memory/memory_blocks.h"
#include "facts/derived/memory/memory_use.h"
#include "facts/devices/step_curve.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace memory_timeline {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** How much memory is allocated and reserved on each device over time, which operators hold the most at the
peak, and what is it used for (parameters, gradients, activations, ...)?

**Definition:** Memory events are those of the framework's allocator (record with profile_memory=True). `allocated` is
used by tensors, `reserved` was taken from the device. The peak is the time of the highest `allocated`, the last one on
a tie. `holders` are the allocations alive then, by the innermost operator that made them. Memory allocated before
the trace is a row of its own. If the trace has no totals (2021), the level is the sum of events, from 0. Named
allocators are separate.

Uses come from a memory timeline exported next to the trace
(`prof.export_memory_timeline("rank0.raw.json.gz", device="cuda:0")`), in the same directory or alone. `uses` has the
bytes of each use at the peak of their sum, its own maximum, and its values at the first and last moment. Events at
one time count as one moment. With selected steps, only moments within them count.

**Limitations:** Memory outside the allocator does not count: NCCL buffers, cuBLAS workspaces, the context. The tensor of
a block is unknown. A memory timeline has neither its device nor reserved memory. It learns the use of earlier
memory when that is first used; until then it is `unknown`.

**Interpretation:** Reserved far above allocated is fragmentation or a cache
(PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True). Large holders in forward are activations: use checkpointing. In
backward they are gradients, in the optimizer its state. Shard optimizer state and gradients over ranks (FSDP,
ZeRO). Temporaries are freed within operators.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"points", Parameter::Type::kInteger, "200", Unit::kCount, "maximum points per chart"},
});

constexpr size_t kHolders = 25;  // rows per allocator
constexpr double kFragmented = 0.3;

using Curve = std::vector<StepCurve::Point>;

struct Curves {
  Curve allocated, reserved;  // at the selected moments
};

Curves CurvesOf(const RankActivity& rank, const AllocatorMemory& memory) {
  Curves curves;
  for (const MemoryMoment& moment : memory.moments) {
    if (!moment.counts) continue;
    const MemoryEvent& event = rank.host->memory[moment.event];
    curves.allocated.push_back({event.time, moment.level});
    if (event.reserved >= 0) curves.reserved.push_back({event.time, event.reserved});
  }
  return curves;
}

constexpr Advice kUseReserved{
    "reduce fragmentation (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True), or use the memory "
    "for "
    "a larger batch",
    "reduce fragmentation (TF_GPU_ALLOCATOR=cuda_malloc_async), or use the memory for a larger "
    "batch",
    "use the memory for a larger batch, or reserve less (XLA_PYTHON_CLIENT_MEM_FRACTION)"};

struct Holder {
  int64_t bytes = 0, blocks = 0;
};

// Memory alive at the peak, by operator name; kNoString: outside operators.
std::map<StringId, Holder> FindHolders(const RankActivity& rank, const MemoryOwners& owners,
                                       const AllocatorMemory& memory) {
  std::map<StringId, Holder> holders;
  for (const MemoryBlock& block : memory.blocks) {
    if (!block.AliveAt(memory.AtPeak().event)) continue;
    const MemoryEvent& event = rank.host->memory[block.taken];
    const int32_t at = owners.Innermost(event);
    Holder& holder =
        holders[at == kNoRange ? kNoString : rank.host->ranges[static_cast<size_t>(at)].name];
    holder.bytes = AddSaturated(holder.bytes, event.bytes);
    ++holder.blocks;
  }
  return holders;
}

std::vector<Cell> Keys(const Facts& facts, const RankActivity& rank,
                       const AllocatorMemory& memory) {
  const bool named = memory.allocator != kNoString;
  return {rank.rank, rank.window, MemoryDeviceCell(memory.device),
          named ? Cell(std::string((*facts.names)[memory.allocator])) : Cell()};
}

class Writer {
 public:
  Writer(const Facts& facts, Report& report, int64_t points)
      : facts_(facts), report_(report), points_(points) {
    AddColumns(
        devices_,
        {KeyColumn("allocator", "allocator"), BytesColumn("peak_allocated", "peak allocated"),
         TimeColumn("peak_time", "peak time"), BytesColumn("peak_reserved", "peak reserved"),
         BytesColumn("first_allocated", "first allocated"),
         BytesColumn("last_allocated", "last allocated"), CountColumn("events", "events")});
    AddColumns(holders_, {KeyColumn("allocator", "allocator"), KeyColumn("operator", "operator"),
                          BytesColumn("bytes", "bytes"), CountColumn("blocks", "blocks"),
                          RatioColumn("share", "% of peak")});
    SetKinds(devices_, {{"peak_allocated", ColumnKind::kMemory}});
    SetKinds(holders_, {{"bytes", ColumnKind::kMemory}});
  }

  void Add(const RankActivity& rank, const MemoryOwners& owners, const AllocatorMemory& memory) {
    const Curves curves = CurvesOf(rank, memory);
    const Curve& allocated = curves.allocated;
    const int64_t peak = memory.AtPeak().level;
    const int64_t peak_time = rank.host->memory[memory.AtPeak().event].time;
    int64_t reserved = -1;
    for (const StepCurve::Point& p : curves.reserved) reserved = std::max(reserved, p.level);
    auto row = Keys(facts_, rank, memory);
    row.insert(row.end(), {peak, peak_time - allocated.front().time, When(reserved >= 0, reserved),
                           allocated.front().level, allocated.back().level,
                           static_cast<int64_t>(allocated.size())});
    devices_.rows.push_back(std::move(row));
    if (!memory.blocks.empty()) AddHolders(rank, owners, memory, peak);
    AddSeries(rank, memory, "allocated", allocated);
    AddSeries(rank, memory, "reserved", curves.reserved);
    if (memory.device < 0 || peak <= highest_) return;
    highest_ = peak;
    highest_reserved_ = reserved;
    highest_where_ = Say("rank {rank} device {device}", rank.rank, memory.device);
  }

  void Finish() {
    if (highest_ >= 0) {
      const std::string bytes = HumanBytes(static_cast<double>(highest_));
      report_.headline =
          highest_reserved_ < 0
              ? Say("Peak memory of {where} is {bytes} allocated.", highest_where_, bytes)
              : Say("Peak memory of {where} is {bytes} allocated, {reserved} reserved.",
                    highest_where_, bytes, HumanBytes(static_cast<double>(highest_reserved_)));
    } else {
      report_.headline = "Only host memory was recorded.";
    }
    AddFinding();
    report_.tables.push_back(std::move(devices_));
    if (!holders_.rows.empty()) report_.tables.push_back(std::move(holders_));
  }

 private:
  void AddHolders(const RankActivity& rank, const MemoryOwners& owners,
                  const AllocatorMemory& memory, int64_t peak) {
    std::vector<std::pair<std::string, Holder>> rows;
    int64_t known = 0;
    for (const auto& [name, holder] : FindHolders(rank, owners, memory)) {
      rows.emplace_back(name == kNoString ? "(no operator)" : (*facts_.names)[name], holder);
      known = AddSaturated(known, holder.bytes);
    }
    if (memory.has_totals && peak > known) {
      rows.emplace_back("(allocated before the trace)", Holder{peak - known, 0});
    }
    std::ranges::stable_sort(rows, std::ranges::greater{},
                             [](const auto& r) { return r.second.bytes; });
    rows.resize(std::min(rows.size(), kHolders));
    for (const auto& [name, holder] : rows) {
      auto row = Keys(facts_, rank, memory);
      row.insert(row.end(), {name, holder.bytes, When(holder.blocks > 0, holder.blocks),
                             Ratio(holder.bytes, peak)});
      holders_.rows.push_back(std::move(row));
    }
  }

  void AddSeries(const RankActivity& rank, const AllocatorMemory& memory, std::string_view what,
                 const Curve& points) {
    if (points.empty()) return;
    const bool host = memory.device < 0;
    const std::string_view allocator =
        memory.allocator == kNoString ? std::string_view() : (*facts_.names)[memory.allocator];
    const std::string_view dot = allocator.empty() ? "" : ".";
    const std::string key = host ? "host" : fmt::format("device{}", memory.device);
    const Phrase name = host ? Phrase("host") : Say("device {device}", memory.device);
    const Phrase title = allocator.empty()
                             ? Say("Memory {what} by rank {rank}, {device}", what, rank.rank, name)
                             : Say("Memory {what} by rank {rank}, {device} {allocator}", what,
                                   rank.rank, name, Phrase::Name(std::string(allocator)));
    report_.series.push_back({.key = fmt::format("{}.rank{}.window{}.{}{}{}", what, rank.rank,
                                                 rank.window, key, dot, allocator),
                              .title = title,
                              .x_unit = Unit::kNanoseconds,
                              .y_unit = Unit::kBytes,
                              .points = Thin(points, points_)});
  }

  void AddFinding() {
    if (highest_ <= 0 || highest_reserved_ <= 0) return;
    const double unused =
        1 - static_cast<double>(highest_) / static_cast<double>(highest_reserved_);
    constexpr int64_t kWorthIt = 1'000'000'000;  // bytes
    if (unused < kFragmented || highest_reserved_ - highest_ < kWorthIt) return;
    report_.findings.push_back(
        {.severity = Severity::kLow,
         .message =
             Say("Unallocated memory is {share} of peak reserved memory.", HumanRatio(unused)),
         .because = Say("{where} reserves {reserved} vs {bytes} allocated at its peak",
                        highest_where_, HumanBytes(static_cast<double>(highest_reserved_)),
                        HumanBytes(static_cast<double>(highest_))),
         .hint = Say(kUseReserved, facts_),
         .impact = 0,
         .table = "devices"});
  }

  const Facts& facts_;
  Report& report_;
  int64_t points_;
  int64_t highest_ = -1, highest_reserved_ = -1;
  Phrase highest_where_;
  Table devices_{
      .key = "devices", .title = "Memory per device", .columns = DeviceKeys(), .text_rows = 12};
  Table holders_{.key = "holders",
                 .title = "Memory holders at peak",
                 .columns = DeviceKeys(),
                 .text_rows = 10};
};

// Memory by use, from timelines exported with the traces.
class UseWriter {
 public:
  UseWriter(const Facts& facts, Report& report, int64_t points)
      : facts_(facts), report_(report), points_(points) {
    AddColumns(timelines_, {BytesColumn("peak", "peak"), TimeColumn("peak_time", "peak time"),
                            BytesColumn("before", "before trace"), BytesColumn("last", "last"),
                            CountColumn("moments", "moments")});
    AddColumns(uses_, {Words(KeyColumn("use", "use")), BytesColumn("at_peak", "at peak"),
                       RatioColumn("share", "% of peak"), BytesColumn("highest", "max"),
                       BytesColumn("before", "before trace"), BytesColumn("last", "last")});
    SetKinds(uses_, {{"at_peak", ColumnKind::kMemory}});
  }

  void Add(const RankActivity& rank, int64_t number, const MemoryTimeline& timeline) {
    const MemoryUseOverTime over_time = FollowMemoryUse(facts_, rank, timeline);
    if (over_time.moments == 0) {
      ++outside_;
      return;
    }
    const int64_t peak = SumOf(over_time.at_peak);
    timelines_.rows.push_back({rank.rank, number, peak, over_time.peak_time - over_time.first_time,
                               SumOf(over_time.before), SumOf(over_time.last), over_time.moments});
    AddUses(rank, number, over_time, peak);
    AddCurve(rank, number, "all", over_time.total);
    if (peak <= highest_) return;
    highest_ = peak;
    Describe(rank, over_time, peak);
  }

  // Whether there is anything to report.
  bool Finish() {
    if (outside_ > 0) {
      report_.notes.push_back({"memory_outside_steps", outside_,
                               "memory timelines have no moment in the selected steps: another "
                               "time or clock",
                               ""});
    }
    if (timelines_.rows.empty()) return false;
    if (!report_.headline.empty()) report_.headline += " ";
    report_.headline += headline_;
    report_.tables.push_back(std::move(uses_));
    report_.tables.push_back(std::move(timelines_));
    return true;
  }

 private:
  static std::string NameOf(size_t use) {
    return std::string(MemoryUseName(static_cast<MemoryUse>(use)));
  }

  // The uses that ever hold anything, largest at the peak first.
  static std::vector<size_t> Order(const MemoryUseOverTime& over_time) {
    std::vector<size_t> order;
    for (size_t use = 0; use < kMemoryUses; ++use) {
      if (over_time.highest[use] != 0 || over_time.at_peak[use] != 0) order.push_back(use);
    }
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](size_t use) { return over_time.at_peak[use]; });
    return order;
  }

  void AddUses(const RankActivity& rank, int64_t number, const MemoryUseOverTime& o, int64_t peak) {
    for (const size_t use : Order(o)) {
      uses_.rows.push_back(
          {rank.rank, number, NameOf(use), o.at_peak[use],
           When(o.at_peak[use] >= 0 && o.at_peak[use] <= peak, Ratio(o.at_peak[use], peak)),
           o.highest[use], o.before[use], o.last[use]});
      AddCurve(rank, number, NameOf(use), o.curves[use]);
    }
  }

  void AddCurve(const RankActivity& rank, int64_t number, std::string_view use,
                const std::vector<StepCurve::Point>& points) {
    std::string key(use);
    std::ranges::replace(key, ' ', '_');
    report_.series.push_back({.key = fmt::format("{}.rank{}.timeline{}", key, rank.rank, number),
                              .title = Say("Memory by use, rank {rank}: {use}", rank.rank, use),
                              .x_unit = Unit::kNanoseconds,
                              .y_unit = Unit::kBytes,
                              .points = Thin(points, points_)});
  }

  void Describe(const RankActivity& rank, const MemoryUseOverTime& over_time, int64_t peak) {
    const std::string bytes = HumanBytes(static_cast<double>(peak));
    const auto order = Order(over_time);
    if (order.empty() || peak <= 0 || over_time.at_peak[order[0]] > peak) {
      headline_ = Say("Peak memory of rank {rank} by use is {bytes}.", rank.rank, bytes);
      return;
    }
    headline_ = Say(
        "Peak memory of rank {rank} by use is {bytes}, {share} {use}.", rank.rank, bytes,
        HumanRatio(static_cast<double>(over_time.at_peak[order[0]]) / static_cast<double>(peak)),
        NameOf(order[0]));
  }

  const Facts& facts_;
  Report& report_;
  int64_t points_;
  int64_t highest_ = std::numeric_limits<int64_t>::min(), outside_ = 0;
  Phrase headline_;
  Table timelines_{.key = "timelines",
                   .title = "Exported memory timelines",
                   .columns = {KeyColumn("rank", "rank"), KeyColumn("timeline", "timeline")},
                   .text_rows = 0};
  Table uses_{.key = "uses",
              .title = "Memory by use",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("timeline", "timeline")},
              .text_rows = 8};
};

// Whether there is anything to report.
bool AddUses(const Facts& facts, Report& report, int64_t points) {
  UseWriter writer(facts, report, points);
  std::map<int64_t, int64_t> numbers;  // timelines per rank
  for (const RankActivity& rank : facts.ranks) {
    for (const MemoryTimeline& timeline : rank.host->memory_timelines) {
      writer.Add(rank, numbers[rank.rank]++, timeline);
    }
  }
  return writer.Finish();
}

Report Run(const Facts& facts, const Params& params) {
  Report report{.analysis = std::string(kMemoryTimeline.name),
                .title = std::string(kMemoryTimeline.title)};
  const int64_t points = params.Integer("points");
  Writer writer(facts, report, points);
  bool any = false;
  for (const RankActivity& rank : facts.ranks) {
    const MemoryOwners owners(*facts.names, *rank.host);
    for (const AllocatorMemory& memory : FollowAllocators(facts, rank)) {
      writer.Add(rank, owners, memory);
      any = true;
    }
  }
  if (any) writer.Finish();
  if (!AddUses(facts, report, points) && !any) {
    MakeUnavailable(report, Say("there are no memory events in the selection: {how}",
                                Say(kRecordMemory, facts)));
  }
  return report;
}

}  // namespace
}  // namespace memory_timeline

const Analysis kMemoryTimeline = {
    .name = "memory_timeline",
    .title = "Memory timeline",
    .label = "Use over time",
    .group = AnalysisGroup::kMemory,
    .summary = "Allocated and reserved memory",
    .doc = memory_timeline::kDoc,
    .needs = kRankActivityNeeds | KindSet{Kind::kOperator, Kind::kInstant},
    .params = memory_timeline::kParams,
    .run = &memory_timeline::Run,
};

}  // namespace stepscope
