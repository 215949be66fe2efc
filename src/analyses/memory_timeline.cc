// The framework's memory over time, and who holds it at the peak.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "base/step_curve.h"
#include "facts/derived/memory_blocks.h"
#include "facts/derived/memory_use.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr std::string_view kDoc = R"md(
**Answers:** how much memory is allocated and reserved on each device over time, which operators hold
most of it at the peak, and what is it used for: parameters, gradients, activations, ...?

**Counts:** the memory events of the framework's allocator (record with profile_memory=True). `allocated` is what
tensors use, `reserved` what the allocator took from the device. The peak is the moment of the highest
`allocated`, of equals the last; `holders` are the allocations alive then, by the innermost operator that made them.
Memory allocated before the recording began shows as its own row. Where the trace gives no totals
(2021), the curve is the sum of the events, from 0. Allocators that have names are kept apart.
What memory is used for comes from a memory timeline exported beside the trace
(`prof.export_memory_timeline("rank0.raw.json.gz", device="cuda:0")`), in a folder with it or alone: `uses`
has the bytes of each use at the peak of their sum, the most that it came to, and what it held when recording
began and in the end. What happens at one time counts as one moment. Where steps are selected, only moments
within them count.

**Cannot see:** memory outside of the allocator (NCCL buffers, cuBLAS workspaces, the context), and which
tensor a block belongs to. A memory timeline tells neither its device nor reserved memory, and knows the use of
what was there before only once something used it: the rest is `unknown`.

**Read it so:** reserved far above allocated is fragmentation or a cache
(PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True). Large holders in forward are activations: checkpoint
them; in backward, gradients; in the optimizer, its state. Optimizer state and gradients that hold most can be
sharded over the ranks (FSDP, ZeRO); temporaries come and go within operators.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"points", Parameter::Type::kInteger, "200", Unit::kCount,
     "at most so many points of each curve"},
});

constexpr size_t kHolders = 25;  // rows for each allocator
constexpr double kFragmented = 0.3;

using Curve = std::vector<StepCurve::Point>;

struct Curves {
  Curve allocated, reserved;  // at the moments that count
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

struct Holder {
  int64_t bytes = 0, blocks = 0;
};

// What is alive at the peak, by the name of the operator; kNoString: outside of any.
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

Column Bytes(std::string key, std::string title) {
  return {std::move(key), std::move(title), Unit::kBytes};
}

Cell DeviceCell(int64_t device) { return device < 0 ? Cell("host") : Cell(device); }

std::vector<Cell> Keys(const Facts& facts, const RankActivity& rank,
                       const AllocatorMemory& memory) {
  const bool named = memory.allocator != kNoString;
  return {rank.rank, rank.window, DeviceCell(memory.device),
          named ? Cell(std::string((*facts.names)[memory.allocator])) : Cell()};
}

class Writer {
 public:
  Writer(const Facts& facts, Report& report, int64_t points)
      : facts_(facts), report_(report), points_(points) {
    AddColumns(devices_,
               {KeyColumn("allocator", "allocator"), Bytes("peak_allocated", "peak allocated"),
                TimeColumn("peak_time", "at"), Bytes("peak_reserved", "peak reserved"),
                Bytes("first_allocated", "at first"), Bytes("last_allocated", "at last"),
                CountColumn("events", "events")});
    AddColumns(holders_, {KeyColumn("allocator", "allocator"), KeyColumn("operator", "operator"),
                          Bytes("bytes", "bytes"), CountColumn("blocks", "blocks"),
                          RatioColumn("share", "of peak")});
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
    highest_where_ = fmt::format("rank {} device {}", rank.rank, memory.device);
  }

  void Finish() {
    if (highest_ >= 0) {
      report_.headline = fmt::format("At its peak {} has {} allocated", highest_where_,
                                     HumanBytes(static_cast<double>(highest_)));
      if (highest_reserved_ >= 0) {
        report_.headline += fmt::format(", of {} reserved at most",
                                        HumanBytes(static_cast<double>(highest_reserved_)));
      }
      report_.headline += ".";
    } else {
      report_.headline = "Only memory of the host was recorded.";
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
      rows.emplace_back("(allocated before the recording)", Holder{peak - known, 0});
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
    std::string where = memory.device < 0 ? "host" : fmt::format("device{}", memory.device);
    if (memory.allocator != kNoString)
      where += fmt::format(".{}", (*facts_.names)[memory.allocator]);
    report_.series.push_back(
        {.key = fmt::format("{}.rank{}.window{}.{}", what, rank.rank, rank.window, where),
         .title = fmt::format("Memory {} by rank {}, {}", what, rank.rank, where),
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
             fmt::format("{} of the memory that the allocator reserved is never used at once.",
                         HumanRatio(unused)),
         .because = fmt::format("{} reserves {} and has {} allocated at its peak", highest_where_,
                                HumanBytes(static_cast<double>(highest_reserved_)),
                                HumanBytes(static_cast<double>(highest_))),
         .hint =
             "set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True against fragmentation, or use "
             "the room for a larger batch",
         .impact = 0,
         .table = "devices"});
  }

  const Facts& facts_;
  Report& report_;
  int64_t points_;
  int64_t highest_ = -1, highest_reserved_ = -1;
  std::string highest_where_;
  Table devices_{
      .key = "devices", .title = "Memory of each device", .columns = DeviceKeys(), .text_rows = 12};
  Table holders_{.key = "holders",
                 .title = "Who holds memory at the peak",
                 .columns = DeviceKeys(),
                 .text_rows = 10};
};

// What memory is used for, by the timelines exported beside the traces.
class UseWriter {
 public:
  UseWriter(const Facts& facts, Report& report, int64_t points)
      : facts_(facts), report_(report), points_(points) {
    AddColumns(timelines_, {Bytes("peak", "peak"), TimeColumn("peak_time", "at"),
                            Bytes("before", "before the recording"), Bytes("last", "at last"),
                            CountColumn("moments", "moments")});
    AddColumns(uses_, {KeyColumn("use", "use"), Bytes("at_peak", "at the peak"),
                       RatioColumn("share", "of peak"), Bytes("highest", "highest"),
                       Bytes("before", "before the recording"), Bytes("last", "at last")});
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

  // Whether there is anything to say.
  bool Finish() {
    if (outside_ > 0) {
      report_.notes.push_back({"memory_outside_steps", outside_,
                               "memory timelines have no moment within the selected steps: they "
                               "were recorded at another time, or on another clock",
                               ""});
    }
    if (timelines_.rows.empty()) return false;
    report_.headline += (report_.headline.empty() ? "" : " ") + headline_;
    report_.tables.push_back(std::move(uses_));
    report_.tables.push_back(std::move(timelines_));
    return true;
  }

 private:
  static std::string NameOf(size_t use) {
    return std::string(MemoryUseName(static_cast<MemoryUse>(use)));
  }

  // The uses that ever hold anything, what holds most at the peak first.
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
                              .title = fmt::format("Memory of rank {} by use: {}", rank.rank, use),
                              .x_unit = Unit::kNanoseconds,
                              .y_unit = Unit::kBytes,
                              .points = Thin(points, points_)});
  }

  void Describe(const RankActivity& rank, const MemoryUseOverTime& over_time, int64_t peak) {
    headline_ = fmt::format("By its use, rank {} holds {} at most", rank.rank,
                            HumanBytes(static_cast<double>(peak)));
    const auto order = Order(over_time);
    if (order.empty() || peak <= 0 || over_time.at_peak[order[0]] > peak) {
      headline_ += ".";
      return;
    }
    headline_ += fmt::format(
        ", {} of it {}.",
        HumanRatio(static_cast<double>(over_time.at_peak[order[0]]) / static_cast<double>(peak)),
        NameOf(order[0]));
  }

  const Facts& facts_;
  Report& report_;
  int64_t points_;
  int64_t highest_ = std::numeric_limits<int64_t>::min(), outside_ = 0;
  std::string headline_;
  Table timelines_{.key = "timelines",
                   .title = "Exported memory timelines",
                   .columns = {KeyColumn("rank", "rank"), KeyColumn("timeline", "timeline")},
                   .text_rows = 0};
  Table uses_{.key = "uses",
              .title = "What memory is used for",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("timeline", "timeline")},
              .text_rows = 8};
};

// Whether there is anything to say.
bool AddUses(const Facts& facts, Report& report, int64_t points) {
  UseWriter writer(facts, report, points);
  std::map<int64_t, int64_t> numbers;  // of the timelines of each rank
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
    MakeUnavailable(report,
                    "there are no memory events in what was selected: record with "
                    "profile_memory=True, or in TensorFlow and JAX with the BFC allocator");
  }
  return report;
}

}  // namespace

const Analysis kMemoryTimeline = {
    .name = "memory_timeline",
    .title = "Memory timeline",
    .summary = "Allocated and reserved memory",
    .doc = kDoc,
    .needs = kRankActivityNeeds | KindSet{Kind::kOperator, Kind::kInstant},
    .params = kParams,
    .run = &Run,
};

}  // namespace stepscope
