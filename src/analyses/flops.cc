// Computes FLOP/s, MFU and HFU over the steps, and the roofline of each operator.
#include <algorithm>
#include <array>
#include <tuple>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "base/time_units.h"
#include "facts/derived/operators/recording_flops.h"
#include "report/humanize.h"

namespace stepscope {
namespace flops {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** What FLOP/s and MFU does the job reach, and which operators are compute-bound or memory-bound?

**Definition:** A multiplication and an addition count as two FLOPs. FLOPs come from input shapes for matrix products,
convolutions and attention, forward and backward. If such operators call one another, the innermost counts. Otherwise
they are the compiler's own counts, where the trace has them. An operator's time is that of the activities launched
inside it. `bytes` are the compiler's, or the minimum: inputs read once, outputs written once. `utilization` is FLOP/s
over the dense peak of the device for the operand type. For fp32, the peak is that of TF32 if the device has it and
kernels ran on Tensor Cores. `peak_source` names the types of the peaks in use. `roofline` is the share of the FLOP/s attainable at this intensity (FLOP per byte), and `bound` is the lower
limit of the two: compute or memory. `mfu` is the model's FLOPs over peak and time, from the start of the first step
to the start of the last. `hfu` includes recomputation: checkpointed activations, and scores in attention's backward.
Without two steps, the span replaces this time.

**Limitations:** Not counted are operators without shapes (record with record_shapes=True), fused kernels of
compilers, packed sequences and sparsity. `covered` is the share of compute kernel time that was counted. What was not
counted is missing in MFU and HFU: below 80% they are lower bounds, and no finding is about them.
Recomputation of products without bias is recognized only in linear layers and reentrant checkpoints.

**Interpretation:** Large models train at an MFU of 0.35–0.55. For a memory-bound operator, fuse it or use larger
batches. If a compute-bound operator is below 40% of its roofline, change its shapes or type.
)md";

constexpr auto kParams = std::to_array<Parameter>({kPeakTflops});

constexpr double kLowMfu = 0.25;
constexpr double kEnoughCovered = 0.8;  // of kernel time; below, MFU is a lower bound
constexpr double kMatters = 0.1;        // of kernel time, to report an operator
constexpr double kFarFromRoof = 0.4;

Cell RatioOf(double part, double whole) { return When(whole > 0, part / whole); }

// FLOPs and time over which MFU and HFU are computed.
Cell Utilization(double peak_time, const RecordingFlops& r) {
  return When(r.has_peak && r.time > 0,
              peak_time / (static_cast<double>(r.time) * static_cast<double>(r.devices)));
}

std::vector<Column> OperatorColumns() {
  Column rate{"flop_rate", "FLOP/s", Unit::kFlopPerSecond};
  Column bytes{"bytes", "bytes", Unit::kBytes};
  Column byte_rate{"byte_rate", "bytes/s", Unit::kBytesPerSecond};
  Column count = CountColumn("occurrences", "count");
  Column flops{"flops", "FLOP", Unit::kFlop};
  Column intensity{"intensity", "FLOP/byte", Unit::kCount};
  bytes.detail = byte_rate.detail = count.detail = flops.detail = true;
  return {KeyColumn("operator", "operator"),
          KeyColumn("dtype", "type"),
          count,
          TimeColumn("device_time", "time"),
          RatioColumn("share", "% of kernel time"),
          flops,
          rate,
          bytes,
          byte_rate,
          intensity,
          RatioColumn("utilization", "FLOP/s, % of peak"),
          RatioColumn("roofline", "% of roofline"),
          Words({"bound", "bound by"})};
}

std::string_view TypeName(const FlopsKey& key, const FlopsSum& sum) {
  return sum.tf32 ? "tf32" : NumberTypeName(key.type);
}

std::string_view Bound(const FlopsSum& s) {
  if (s.at_peak <= 0 || s.at_memory <= 0) return "";
  return s.MemoryBound() ? "memory" : "compute";
}

void AddRows(Table& table, const Facts& facts, const FlopsSums& sums, int64_t kernel_time,
             const std::vector<Cell>& prefix) {
  std::vector<std::pair<FlopsKey, FlopsSum>> rows(sums.begin(), sums.end());
  std::ranges::sort(rows, [&](const auto& a, const auto& b) {
    const auto key = [&](const auto& row) {
      return std::tuple(-row.second.time, (*facts.names)[row.first.op], row.first.type);
    };
    return key(a) < key(b);
  });
  for (const auto& [key, s] : rows) {
    const auto time = static_cast<double>(s.time);
    const bool timed = s.time > 0;
    const std::string_view type = TypeName(key, s), bound = Bound(s);
    auto row = prefix;
    row.insert(
        row.end(),
        {std::string((*facts.names)[key.op]), When(!type.empty(), std::string(type)), s.occurrences,
         s.time, Ratio(s.time, kernel_time), s.flops, When(timed, PerSecond(s.flops, time)),
         When(s.bytes > 0, s.bytes), When(timed && s.bytes > 0, PerSecond(s.bytes, time)),
         RatioOf(s.flops, s.bytes), When(timed && s.at_peak > 0, s.Utilization()),
         When(timed && !bound.empty(), s.Roofline()), When(!bound.empty(), std::string(bound))});
    table.rows.push_back(std::move(row));
  }
}

Table RankTable(const std::vector<RecordingFlops>& recordings) {
  Table table{.key = "ranks",
              .title = "FLOP/s per rank",
              .columns = {KeyColumn("rank", "rank"),
                          KeyColumn("window", "window"),
                          {"chip", "chip"},
                          TimeColumn("time", "time"),
                          {"flops", "FLOP", Unit::kFlop},
                          {"flop_rate", "FLOP/s per device", Unit::kFlopPerSecond},
                          RatioColumn("mfu", "MFU"),
                          RatioColumn("hfu", "HFU"),
                          RatioColumn("covered", "counted, % of kernel time"),
                          {"peak_source", "peak source"}},
              .text_rows = 4};
  table.columns.back().detail = true;
  for (const RecordingFlops& r : recordings) {
    const double time = static_cast<double>(r.time) * static_cast<double>(r.devices);
    table.rows.push_back({r.rank, r.window, When(!r.chip.empty(), r.chip), r.time, r.flops,
                          When(time > 0, PerSecond(r.flops, time)),
                          Utilization(r.model_peak_time, r), Utilization(r.peak_time, r),
                          Ratio(r.covered, r.kernel_time), When(!r.source.empty(), r.source)});
  }
  return table;
}

struct Totals {
  FlopsSums operators;
  int64_t kernel_time = 0, covered = 0;
  double flops = 0, time = 0;  // time: ns, summed over devices
  double peak_time = 0, model_peak_time = 0;
  bool has_peak = true, by_steps = true;
  size_t devices = 0;

  double Covered() const {
    return kernel_time > 0 ? static_cast<double>(covered) / static_cast<double>(kernel_time) : 0;
  }
  bool HasMfu() const { return has_peak && time > 0; }
  double Mfu() const { return model_peak_time / time; }
};

Totals AddUp(const std::vector<RecordingFlops>& recordings) {
  Totals t;
  for (const RecordingFlops& r : recordings) {
    for (const auto& [key, sum] : r.operators) t.operators[key].Add(sum);
    t.kernel_time = AddSaturated(t.kernel_time, r.kernel_time);
    t.covered = AddSaturated(t.covered, r.covered);
    t.flops += r.flops;
    t.time += static_cast<double>(r.time) * static_cast<double>(r.devices);
    t.peak_time += r.peak_time;
    t.model_peak_time += r.model_peak_time;
    t.has_peak &= r.has_peak || r.flops == 0;
    t.by_steps &= r.by_steps;
    t.devices += static_cast<size_t>(r.devices);
  }
  t.has_peak &= t.peak_time > 0;
  return t;
}

constexpr Advice kSuitDevice{
    "use sizes that are multiples of 64, a narrower type (torch.autocast), and channels_last for "
    "convolutions",
    "use sizes that are multiples of 64, a narrower type (mixed precision), and NHWC for "
    "convolutions",
    "use sizes that are multiples of 64 (128 on TPUs), and a narrower type (jnp.bfloat16)"};

void AddMfuFinding(Report& report, const Totals& t) {
  if (!t.HasMfu() || !t.by_steps || t.Covered() < kEnoughCovered || t.Mfu() >= kLowMfu) return;
  const double busy = static_cast<double>(t.kernel_time) / t.time;
  const double roof =
      static_cast<double>(t.covered) > 0 ? t.peak_time / static_cast<double>(t.covered) : 0;
  report.findings.push_back(
      {.severity = t.Mfu() < kLowMfu / 2 ? Severity::kMedium : Severity::kLow,
       .message = Say("MFU over the steps is {mfu}, with {share} of kernel time counted.",
                      HumanRatio(t.Mfu()), HumanRatio(t.Covered())),
       .because = Say("kernels take {share} of step time, and what is counted runs at {rate} of "
                      "peak",
                      HumanRatio(std::min(busy, 1.0)), HumanRatio(std::min(roof, 1.0))),
       .hint = busy < 0.6 ? "reduce idle time first; see idle_time"
                          : "speed up the matrix work; its roofline is in table top",
       // Other findings have the impact; this one sums them up.
       .impact = 0,
       .table = "ranks"});
}

// The operator with the most time, if it is far from its roofline.
void AddRooflineFinding(Report& report, const Facts& facts, const Totals& t) {
  const auto longest = std::ranges::max_element(
      t.operators, {}, [](const auto& entry) { return entry.second.time; });
  if (longest == t.operators.end()) return;
  const auto& [key, s] = *longest;
  const double share =
      static_cast<double>(s.time) / static_cast<double>(std::max<int64_t>(t.kernel_time, 1));
  if (Bound(s).empty() || share < kMatters) return;
  const bool far = s.Roofline() < kFarFromRoof;
  if (!far && !s.MemoryBound()) return;
  const Phrase name =
      Phrase::Name(std::string((*facts.names)[key.op])) + OperatorInModule(facts, key.op);
  const double left = std::max(1 - s.Roofline(), 0.0);
  const double each =
      static_cast<double>(s.time) / static_cast<double>(std::max<size_t>(t.devices, 1));
  report.findings.push_back(
      {.message = s.MemoryBound()
                      ? Say("{operator}, the costliest operator, is memory-bound.", name)
                      : Say("{operator}, the costliest operator, reaches {share} of its roofline.",
                            name, HumanRatio(s.Roofline())),
       .because = Say("{share} of kernel time, {intensity} FLOP/byte, {roofline} of roofline",
                      HumanRatio(share), HumanCount(s.flops / s.bytes), HumanRatio(s.Roofline())),
       .hint = s.MemoryBound() ? "use more rows per product: a larger batch, longer sequences, or "
                                 "several products merged into one"
                               : Say(kSuitDevice, facts),
       .impact = ToInt64(each * left),
       .table = "top"});
}

void Summarize(Report& report, const Totals& t) {
  report.metrics = {
      {"covered", "counted, % of kernel time", Ratio(t.covered, t.kernel_time), Unit::kRatio},
      {"flop_rate", "FLOP/s per device", When(t.time > 0, PerSecond(t.flops, t.time)),
       Unit::kFlopPerSecond}};
  const bool enough = t.Covered() >= kEnoughCovered;
  if (t.HasMfu()) {
    const Phrase title = t.by_steps ? "MFU over the steps" : "MFU over the span";
    report.metrics.push_back({"mfu", title + (enough ? "" : ", at least"), t.Mfu(), Unit::kRatio});
    report.metrics.push_back(
        {"hfu", "HFU, with recomputation", t.peak_time / t.time, Unit::kRatio});
  }
  report.headline =
      Say("{flop}/s per device", HumanFlop(t.time > 0 ? PerSecond(t.flops, t.time) : 0));
  if (t.HasMfu())
    report.headline += enough ? Say(", MFU {mfu}", HumanRatio(t.Mfu()))
                              : Say(", MFU at least {mfu}", HumanRatio(t.Mfu()));
  report.headline += "; " + Say("{share} of kernel time is counted.", HumanRatio(t.Covered()));
}

void AddNotes(Report& report, const std::vector<RecordingFlops>& recordings, const Totals& t) {
  const auto unknown = std::ranges::count_if(
      recordings, [](const RecordingFlops& r) { return r.flops > 0 && !r.has_peak; });
  if (unknown > 0) {
    report.notes.push_back({"unknown_peak", unknown,
                            "devices have an unknown peak: there is no MFU; set "
                            "flops.peak_tflops",
                            ""});
  }
  int64_t without = 0;
  for (const RecordingFlops& r : recordings) without += r.has_peak ? r.without_peak : 0;
  if (without > 0) {
    report.notes.push_back({"no_peak_for_type", without,
                            "operators were left out of utilization: the device's peak for their "
                            "type is unknown",
                            ""});
  }
  if (t.HasMfu() && t.Covered() < kEnoughCovered) {
    report.notes.push_back({"mfu_of_few_kernels", 1,
                            "less than 80% of kernel time is counted: MFU and HFU are lower bounds",
                            ""});
  }
  if (!t.by_steps) {
    report.notes.push_back({"no_step_time", 1,
                            "no two consecutive steps are complete: utilization is over the span",
                            ""});
  }
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kFlops, facts);
  if (report.status == Status::kUnavailable) return report;
  const double given_peak = params.Number("peak_tflops") * 1e12;
  std::vector<RecordingFlops> recordings;
  for (const RankActivity& rank : facts.ranks) {
    if (rank.activities.empty()) continue;
    recordings.push_back(given_peak > 0 ? MeasureFlops(facts, rank, given_peak)
                                        : FlopsOf(facts, rank));
  }
  const Totals totals = AddUp(recordings);
  if (totals.operators.empty()) {
    MakeUnavailable(report, WhyNoFlops(facts));
    return report;
  }
  Table top{.key = "top", .title = "Counted operators, all ranks", .text_rows = 6};
  Table operators{.key = "operators",
                  .title = "Operators per rank",
                  .columns = {KeyColumn("rank", "rank"), KeyColumn("window", "window")},
                  .text_rows = 0};
  AddColumns(top, OperatorColumns());
  AddColumns(operators, OperatorColumns());
  AddRows(top, facts, totals.operators, totals.kernel_time, {});
  for (const RecordingFlops& r : recordings) {
    AddRows(operators, facts, r.operators, r.kernel_time, {r.rank, r.window});
  }
  Summarize(report, totals);
  AddNotes(report, recordings, totals);
  report.tables.push_back(RankTable(recordings));
  report.tables.push_back(std::move(top));
  report.tables.push_back(std::move(operators));
  AddMfuFinding(report, totals);
  AddRooflineFinding(report, facts, totals);
  return report;
}

}  // namespace
}  // namespace flops

const Analysis kFlops = {
    .name = "flops",
    .title = "FLOPs and MFU",
    .label = "FLOPs",
    .group = AnalysisGroup::kDevice,
    .summary = "FLOP/s, MFU, HFU and roofline",
    .doc = flops::kDoc,
    .needs = Wanted(kRankActivityNeeds | KindSet{Kind::kOperator}, true, true),
    .params = flops::kParams,
    .run = &flops::Run,
};

}  // namespace stepscope
