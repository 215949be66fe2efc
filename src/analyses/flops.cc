// How much the devices compute, beside what they could: by operator, and over the steps.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "facts/derived/on_demand.h"
#include "facts/derived/recording_flops.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr std::string_view kDoc = R"md(
**Answers:** how many operations does a step compute, what share of what the devices could (MFU), and which
operators are bound by computing, which by memory?

**Counts:** a multiplication and an addition as two. From the shapes of inputs: matrix products, convolutions and
attention, forward and backward; of operators that call one another the innermost. Or the compiler's own counts,
where the trace has them. An operator's time is that of the work launched inside of it. `bytes` are the compiler's,
or the least there can be: inputs read once, outputs written once. `utilisation` sets FLOP/s against the device's peak
for the type of the operands, dense: fp32 against TF32 where kernels ran on Tensor Cores, else against ordinary
cores. `roofline` is the share of what peak and memory bandwidth allow at that intensity (FLOP per byte), `bound`
the one of the two that allows less. `mfu` is what the model needs over time from the start of the first step
to that of the last, times the peak; `hfu` also has what was computed a second time: activations that checkpoints
dropped, scores in attention's backward. Without two steps the span of the device's work stands for them.

**Cannot see:** operators without shapes (record with record_shapes=True), fused kernels of compilers, packed
sequences, sparsity. `covered` says how much of the compute kernels' time was counted. Recomputation of products without
bias is seen only in linear layers and reentrant checkpoints.

**Read it so:** large models train at an mfu of 0.35 to 0.55. Bound by memory, an operator is faster fused or
with larger batches; bound by computing and below 40 % of its roofline, its shapes or its type are wrong.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"peak_tflops", Parameter::Type::kNumber, "0", Unit::kNone,
     "a device's peak in TFLOP/s, for every type; 0: that of the chip the trace names"},
});

constexpr double kLowMfu = 0.25;
constexpr double kEnoughCovered = 0.3;  // of kernel time, to speak of MFU
constexpr double kMatters = 0.1;        // of kernel time: an operator worth a word
constexpr double kFarFromRoof = 0.4;

Cell RatioOf(double part, double whole) { return When(whole > 0, part / whole); }

// The share of the peak that was used, of a time on some devices.
Cell Utilisation(double peak_time, const RecordingFlops& r) {
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
          RatioColumn("share", "of kernel time"),
          flops,
          rate,
          bytes,
          byte_rate,
          intensity,
          RatioColumn("utilisation", "of peak"),
          RatioColumn("roofline", "of roofline"),
          {"bound", "bound by"}};
}

std::string_view TypeName(const FlopsKey& key, const FlopsSum& sum) {
  return key.type == NumberType::kFp32 && sum.tensor_cores ? "tf32" : NumberTypeName(key.type);
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
         s.time, Ratio(s.time, kernel_time), s.flops, When(timed, s.flops / time * 1e9),
         When(s.bytes > 0, s.bytes), When(timed && s.bytes > 0, s.bytes / time * 1e9),
         RatioOf(s.flops, s.bytes), When(timed && s.at_peak > 0, s.Utilisation()),
         When(timed && !bound.empty(), s.Roofline()), When(!bound.empty(), std::string(bound))});
    table.rows.push_back(std::move(row));
  }
}

Table RankTable(const std::vector<RecordingFlops>& recordings) {
  Table table{.key = "ranks",
              .title = "What each rank computes",
              .columns = {KeyColumn("rank", "rank"),
                          KeyColumn("window", "window"),
                          {"chip", "chip"},
                          TimeColumn("time", "time"),
                          {"flops", "FLOP", Unit::kFlop},
                          {"flop_rate", "FLOP/s of a device", Unit::kFlopPerSecond},
                          RatioColumn("mfu", "MFU"),
                          RatioColumn("hfu", "HFU"),
                          RatioColumn("covered", "kernel time counted"),
                          {"peak_source", "peak from"}},
              .text_rows = 4};
  table.columns.back().detail = true;
  for (const RecordingFlops& r : recordings) {
    const double time = static_cast<double>(r.time) * static_cast<double>(r.devices);
    table.rows.push_back({r.rank, r.window, When(!r.chip.empty(), r.chip), r.time, r.flops,
                          When(time > 0, r.flops / time * 1e9), Utilisation(r.model_peak_time, r),
                          Utilisation(r.peak_time, r), Ratio(r.covered, r.kernel_time),
                          When(!r.source.empty(), r.source)});
  }
  return table;
}

struct Totals {
  FlopsSums operators;
  int64_t kernel_time = 0, covered = 0;
  double flops = 0, time = 0;  // ns of devices
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

constexpr Advice kFuseRest{
    "most kernel time is no matrix work: fuse the rest with torch.compile",
    "most kernel time is no matrix work: fuse the rest with tf.function(jit_compile=True)",
    "most kernel time is no matrix work: see in hlo_operators what XLA did not fuse"};
constexpr Advice kSuitDevice{
    "sizes that are multiples of 64, a narrower type (autocast), and for convolutions "
    "channels_last",
    "sizes that are multiples of 64, a narrower type (mixed precision), and for convolutions NHWC",
    "sizes that are multiples of 64 (128 on TPUs), and a narrower type (jnp.bfloat16)"};

void AddMfuFinding(Report& report, const Facts& facts, const Totals& t) {
  if (!t.HasMfu() || !t.by_steps || t.Covered() < kEnoughCovered || t.Mfu() >= kLowMfu) return;
  const double busy = static_cast<double>(t.kernel_time) / t.time;
  const double roof =
      static_cast<double>(t.covered) > 0 ? t.peak_time / static_cast<double>(t.covered) : 0;
  report.findings.push_back(
      {.severity = t.Mfu() < kLowMfu / 2 ? Severity::kMedium : Severity::kLow,
       .message =
           fmt::format("The steps use {} of what the devices could compute.", HumanRatio(t.Mfu())),
       .because = fmt::format("kernels take {} of the time, {} of that counts as matrix work, and "
                              "this runs at {} of its peak",
                              HumanRatio(std::min(busy, 1.0)), HumanRatio(t.Covered()),
                              HumanRatio(std::min(roof, 1.0))),
       .hint = busy < 0.6 ? "feed the devices first: idle_time says what they wait for"
               : t.Covered() < 0.5
                   ? Say(kFuseRest, facts)
                   : "the matrix work itself is slow: see its roofline in the table",
       // Other findings have the time that this one only sums up.
       .impact = 0,
       .table = "ranks"});
}

// The operator with most time, if it is far from what its device allows.
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
  const std::string name((*facts.names)[key.op]);
  const double left = std::max(1 - s.Roofline(), 0.0);
  const double each =
      static_cast<double>(s.time) / static_cast<double>(std::max<size_t>(t.devices, 1));
  report.findings.push_back(
      {.severity = far ? Severity::kMedium : Severity::kLow,
       .message =
           s.MemoryBound()
               ? fmt::format("{}, the operator with most time, is bound by memory.", name)
               : fmt::format("{}, the operator with most time, reaches {} of what the device "
                             "could compute.",
                             name, HumanRatio(s.Roofline())),
       .because =
           fmt::format("{} of the kernel time, {} FLOP per byte, {} of its roofline",
                       HumanRatio(share), HumanCount(s.flops / s.bytes), HumanRatio(s.Roofline())),
       .hint = s.MemoryBound() ? "more rows for each product: a larger batch or longer sequences, "
                                 "or several products merged into one"
                               : Say(kSuitDevice, facts),
       .impact = static_cast<int64_t>(std::min(each * left, 9e18)),
       .table = "top"});
}

void Summarize(Report& report, const Totals& t) {
  report.metrics = {
      {"covered", "kernel time that was counted", Ratio(t.covered, t.kernel_time), Unit::kRatio},
      {"flop_rate", "FLOP/s of a device", When(t.time > 0, t.flops / t.time * 1e9),
       Unit::kFlopPerSecond}};
  if (t.HasMfu()) {
    report.metrics.push_back({"mfu",
                              t.by_steps ? "MFU over the steps" : "MFU over the recorded span",
                              t.Mfu(), Unit::kRatio});
    report.metrics.push_back(
        {"hfu", "HFU, with what was computed twice", t.peak_time / t.time, Unit::kRatio});
  }
  report.headline = fmt::format("A device computes {}",
                                HumanFlop(t.time > 0 ? t.flops / t.time * 1e9 : 0) + "/s");
  if (t.HasMfu()) report.headline += fmt::format(", {} of what it could", HumanRatio(t.Mfu()));
  report.headline += fmt::format("; counted was {} of the kernel time.", HumanRatio(t.Covered()));
}

void AddNotes(Report& report, const std::vector<RecordingFlops>& recordings, const Totals& t) {
  const auto unknown = std::ranges::count_if(
      recordings, [](const RecordingFlops& r) { return r.flops > 0 && !r.has_peak; });
  if (unknown > 0) {
    report.notes.push_back({"unknown_peak", unknown,
                            "the peak of these devices is not known, so no share of it can be "
                            "told; give it: -p flops.peak_tflops=N",
                            ""});
  }
  int64_t without = 0;
  for (const RecordingFlops& r : recordings) without += r.has_peak ? r.without_peak : 0;
  if (without > 0) {
    report.notes.push_back({"no_peak_for_type", without,
                            "operators compute in a type whose peak is not known for their "
                            "device; the utilisation is without them",
                            ""});
  }
  if (!t.by_steps) {
    report.notes.push_back({"no_step_time", 1,
                            "no two steps follow one another, so utilisation is over the span of "
                            "the devices' work",
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
    MakeUnavailable(report,
                    "nothing says what was computed: record with record_shapes=True, or with XLA "
                    "the compiler's cost analysis");
    return report;
  }
  Table top{.key = "top", .title = "Operators that were counted, all ranks", .text_rows = 6};
  Table operators{.key = "operators",
                  .title = "Operators of each rank",
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
  AddMfuFinding(report, facts, totals);
  AddRooflineFinding(report, facts, totals);
  return report;
}

}  // namespace

const Analysis kFlops = {
    .name = "flops",
    .title = "FLOPs and MFU",
    .summary = "FLOP/s, MFU, HFU and roofline",
    .doc = kDoc,
    .needs = Wanted(kRankActivityNeeds | KindSet{Kind::kOperator}, true, true),
    .params = kParams,
    .run = &Run,
};

}  // namespace stepscope
