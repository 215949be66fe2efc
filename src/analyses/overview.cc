// Reports step time, its breakdown into categories, precision and device utilization.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/kinds.h"
#include "base/saturate.h"
#include "facts/derived/on_demand.h"
#include "facts/derived/operator_use.h"
#include "facts/derived/recording_flops.h"
#include "facts/derived/step_categories.h"
#include "facts/devices/device_use.h"
#include "report/humanize.h"

namespace stepscope {
namespace overview {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** How long is a step, how much does step time vary, and what is its breakdown?

**Definition:** Every moment of a step belongs to one of ten categories, so their times sum to the step.
When several things run at once, the first in this list gets the moment:

1. device compute: compute kernels
2. output: copies to the host
3. device to device: memcpy and memset on the device
4. input: input wait
5. device collectives
6. one-time work: graph capture, context creation, module loading
7. kernel launch: runtime calls, executors
8. input: copies to the device
9. compilation
10. host compute: operators
11. all others: nothing recorded, such as Python between operators

A step begins at its annotation or at the end of the previous step, whichever is later. It ends when its
annotation and all activities launched in it have ended. Means are over the complete steps of all ranks.
Precision is a share of compute time: 8 bit, 16 bit (fp16, bf16), 32 bit and more (with tf32). It comes from the
kernel's name, or from the input types of its operator; otherwise it is unknown. An operator is placed on a
device if it launches activities itself. `roles` uses the categories of PyTorch's TensorBoard plugin. GPU
utilization (share of time in which kernels run), SM efficiency and occupancy are per device, from the
start of the first step to the end of the last, where the profiler recorded them.

The headline and the findings leave out slow steps (1.5 times the median or more, of at least five steps); the tables
have all.

**Limitations:** If no steps are marked, the categories cover the whole trace and step times are absent.
Host activity that the profiler did not record is in "all others".

**Interpretation:** Device compute should be most of a step. If input is above 5%, see `input_pipeline`. If kernel
launch or all others is above 15%, see `idle_time` and `critical_path`. For collectives, see `comm_overlap`.
)md";

constexpr double kHigh = 0.15;  // of a step: thresholds of the TensorFlow Profiler
constexpr double kModerately = 0.03;
constexpr double kFewSixteen = 0.10;

double Share(int64_t part, int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

Table CategoryTable(const std::vector<RankSteps>& ranks, const StepStatistics& total, bool marked) {
  Table table{.key = "step_time",
              .title = marked ? "Step time breakdown, mean" : "Breakdown of the trace",
              .columns = {KeyColumn("category", "category"), TimeColumn("mean", "mean"),
                          TimeColumn("stddev", "std dev"), RatioColumn("ratio", "% of step time"),
                          TimeColumn("shortest", "min"), TimeColumn("longest", "max")}};
  table.columns[4].detail = table.columns[5].detail = true;
  AddKindColumn(table);
  std::array<std::pair<double, StepCategory>, kStepCategories> by_time;
  for (size_t c = 0; c < kStepCategories; ++c) {
    const auto category = static_cast<StepCategory>(c);
    by_time[c] = {-StatisticsOf(ranks, category).mean, category};
  }
  std::ranges::stable_sort(by_time, {}, &std::pair<double, StepCategory>::first);
  for (const auto& [negative, category] : by_time) {
    const StepStatistics s = StatisticsOf(ranks, category);
    table.rows.push_back({std::string(StepCategoryName(category)), static_cast<int64_t>(s.mean),
                          static_cast<int64_t>(s.deviation),
                          total.mean > 0 ? Cell(s.mean / total.mean) : Cell(), s.shortest,
                          s.longest, KindCell(KindOf(category))});
  }
  return table;
}

Table StepTable(const std::vector<RankSteps>& ranks) {
  Table table{.key = "steps",
              .title = "Steps",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("window", "window"),
                          KeyColumn("step", "step"), TimeColumn("time", "step time")},
              .text_rows = 0};
  AddCategoryColumns(table);
  for (const RankSteps& rank : ranks) {
    for (const StepBreakdown& step : rank.steps) {
      std::vector<Cell> row = {rank.rank->rank, rank.rank->window, step.window.number,
                               step.Total()};
      for (size_t c = 0; c < kStepCategories; ++c)
        row.emplace_back(TimeOf(step, static_cast<StepCategory>(c)));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table RoleTable(const Facts& facts, const std::vector<RankSteps>& ranks) {
  constexpr std::array<std::string_view, kStepRoles> kNames = {
      "other", "CPU exec", "data loader", "runtime", "communication", "memset", "memcpy", "kernel"};
  Table table{.key = "roles",
              .title = "Step time by role",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("window", "window"),
                          KeyColumn("role", "role"), TimeColumn("mean", "mean"),
                          RatioColumn("ratio", "% of step time")},
              .text_rows = 0};
  for (const RankSteps& rank : ranks) {
    std::vector<StepWindow> windows;
    int64_t total = 0;
    for (const StepBreakdown& step : rank.steps) {
      windows.push_back(step.window);
      total += step.Total();
    }
    const auto steps = StepRoles(*rank.rank, *facts.names, windows);
    for (size_t role = kStepRoles; role-- > 0;) {
      int64_t sum = 0;
      for (const auto& times : steps) sum += times[role];
      table.rows.push_back({rank.rank->rank, rank.rank->window, std::string(kNames[role]),
                            sum / static_cast<int64_t>(steps.size()), Ratio(sum, total)});
    }
  }
  return table;
}

Cell Known(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

Table DeviceTable(const Facts& facts, const std::vector<RankSteps>& ranks) {
  Table table{.key = "devices", .title = "Devices", .columns = DeviceKeys(), .text_rows = 8};
  AddColumns(table, {{"name", "name"},
                     RatioColumn("utilization", "utilization, % of time"),
                     RatioColumn("sm_efficiency", "SM efficiency"),
                     RatioColumn("occupancy", "occupancy")});
  for (const DeviceFacts& device : facts.devices) {
    const auto own = std::ranges::find(ranks, device.rank, &RankSteps::rank);
    if (own == ranks.end()) continue;
    const DeviceUse use = UseOfDevice(*device.rank, device.device_index, own->steps);
    std::vector<Cell> row = DeviceCells(device);
    row.insert(row.end(), {device.rank->device_name, Ratio(use.kernels, use.span),
                           Known(use.sm_efficiency), Known(use.occupancy)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

void AddPlacement(const OperatorUse& use, bool has_work, Report& report) {
  // Where activities name no operators, as in most of JAX, all would seem to run on hosts.
  const bool known = use.device > 0 || (!has_work && use.host > 0);
  const int64_t sum = use.host + use.device;
  report.metrics.push_back({"host_op_ratio", "host operators, % of operators",
                            known ? Ratio(use.host, sum) : Cell(), Unit::kRatio, true});
  report.metrics.push_back({"device_op_ratio", "device operators, % of operators",
                            known ? Ratio(use.device, sum) : Cell(), Unit::kRatio, true});
  report.metrics.push_back({"eager_ratio", "eager operators, % of host time",
                            use.eager_time > 0 ? Ratio(use.eager_time, use.host_time) : Cell(),
                            Unit::kRatio, true});
}

Table OperatorTable(const Facts& facts, const OperatorUse& use) {
  constexpr size_t kTop = 10;
  Table table{.key = "top_operators",
              .title = "Operators by device time",
              .columns = {KeyColumn("operator", "operator"), TimeColumn("time", "time"),
                          RatioColumn("ratio", "% of total"), RatioColumn("sum", "cumulative %")},
              .text_rows = 5};
  int64_t total = 0;
  for (const auto& [op, time] : use.device_time) total = AddSaturated(total, time);
  int64_t so_far = 0;
  for (const auto& [op, time] : use.device_time) {
    if (table.rows.size() == kTop) break;
    so_far = AddSaturated(so_far, time);
    table.rows.push_back(
        {std::string((*facts.names)[op]), time, Ratio(time, total), Ratio(so_far, total)});
  }
  return table;
}

// Adds FLOP and bandwidth utilization over the steps. Bandwidth counts only the time of operators
// whose bytes are known.
void AddUtilization(const Facts& facts, Report& report) {
  double at_peak = 0, device_time = 0, at_memory = 0, counted = 0;
  for (const RankActivity& rank : facts.ranks) {
    const RecordingFlops& flops = FlopsOf(facts, rank);
    if (flops.has_peak && flops.time > 0) {
      at_peak += flops.peak_time;
      device_time += static_cast<double>(flops.time) * static_cast<double>(flops.devices);
    }
    for (const auto& [key, sum] : flops.operators) {
      if (sum.at_memory <= 0) continue;
      at_memory += std::min(sum.at_memory, static_cast<double>(sum.time));
      counted += static_cast<double>(sum.time);
    }
  }
  report.metrics.push_back({"flop_utilization", "FLOP/s, % of peak",
                            device_time > 0 ? Cell(std::min(at_peak / device_time, 1.0)) : Cell(),
                            Unit::kRatio, true});
  report.metrics.push_back({"bandwidth_utilization", "bandwidth of counted operators, % of peak",
                            counted > 0 ? Cell(at_memory / counted) : Cell(), Unit::kRatio, true});
}

void AddEnvironment(const Facts& facts, Report& report) {
  std::set<int64_t> ranks;
  for (const RankActivity& rank : facts.ranks) {
    if (!rank.memory_only) ranks.insert(rank.rank);
  }
  report.metrics.push_back(
      {"ranks", "ranks", static_cast<int64_t>(ranks.size()), Unit::kCount, true});
  const Purpose purpose = OnDemand(facts).JobPurpose(facts);
  report.metrics.push_back({"purpose", "purpose of job",
                            When(purpose != Purpose::kUnknown, std::string(PurposeName(purpose))),
                            Unit::kNone, true});
  report.metrics.push_back({"devices", "active devices", static_cast<int64_t>(facts.devices.size()),
                            Unit::kCount, true});
}

void AddPrecision(const StepBreakdown& sum, Report& report) {
  const int64_t compute = sum.Compute();
  const auto add = [&](const char* key, const char* title, StepPart part) {
    report.metrics.push_back({key, title, Ratio(sum.Of(part), compute), Unit::kRatio, true});
  };
  add("precision_8_ratio", "8 bit, % of compute", StepPart::kCompute8);
  add("precision_16_ratio", "16 bit, % of compute", StepPart::kCompute16);
  add("precision_32_ratio", "32 bit, % of compute", StepPart::kCompute32);
  add("precision_unknown_ratio", "unknown precision, % of compute", StepPart::kComputeUnknown);
}

constexpr Advice kMixPrecision{
    "compute in bf16 or fp16 (torch.autocast); matrix products run several times faster",
    "compute in bf16 or fp16 (Keras mixed precision); matrix products run several times faster",
    "compute in jnp.bfloat16; matrix products run several times faster"};
constexpr AdviceByPurpose kNarrow{
    kMixPrecision,
    ForAll("load the weights in bf16 or fp16, or quantized; matrix products run several times "
           "faster"),
    kMixPrecision};

// A finding for a category with a large share of step time.
struct Rule {
  StepCategory category;
  std::string_view message;
  Advice hint;
};
constexpr auto kRules = std::to_array<Rule>({
    {StepCategory::kLaunch,
     "Kernel launch",
     {"launch fewer and larger kernels: compile the step (torch.compile) or capture it in a CUDA "
      "graph; see launch_stats",
      "launch fewer and larger kernels: compile the step (tf.function with jit_compile=True), or "
      "give the GPU its own launch thread (TF_GPU_THREAD_MODE=gpu_private); see launch_stats",
      "launch fewer and larger kernels: jit the whole step; see launch_stats"}},
    {StepCategory::kOutput,
     "Copying results to the host",
     {"copy results less often and asynchronously: log every N steps, no .item() in the loop",
      "copy results less often: log every N steps, no .numpy() in the loop",
      "copy results less often: log every N steps, no float() or np.asarray() in the loop"}},
    {StepCategory::kCompilation,
     "Compilation within steps",
     {"keep shapes constant or pad them to a few sizes (torch.compile with dynamic=True); keep "
      "compiled code between runs (TORCHINDUCTOR_CACHE_DIR)",
      "keep shapes constant or pad them to a few sizes; call the tf.function with tensors, not "
      "with "
      "Python numbers",
      "keep shapes constant or pad them to a few sizes; keep compiled code between runs "
      "(jax_compilation_cache_dir)"}},
    {StepCategory::kOneTime,
     "One-time work (graph capture, context creation, module loading)",
     {"record later steps: torch.profiler.schedule(wait=5, warmup=2, active=3)",
      "record later steps, after the first ones have run",
      "record later steps, after the first ones have run"}},
    {StepCategory::kOther,
     "Unrecorded host activity",
     {"find what Python does between operators (record with with_stack=True); see python",
      "find what Python does between operators (record with python_tracer_level=1); see python",
      "find what Python does between programs (record with python_tracer_level=1); see python"}},
});

// Who has recorded Python needs no advice to do so.
std::string HintOf(const Rule& rule, const Facts& facts) {
  if (rule.category == StepCategory::kOther && RecordedPython(facts))
    return "call the Python functions of these moments less often, or in another thread or "
           "process; see python";
  return Say(rule.hint, facts);
}

// The mean of the ranks.
Extent ExtentOf(const std::vector<RankSteps>& ranks) {
  const StepStatistics total = StatisticsOfTotals(ranks);
  const double steps = static_cast<double>(total.steps) / static_cast<double>(ranks.size());
  return {static_cast<int64_t>(std::min(total.mean * steps, 9e18)), steps};
}

// `ranks` have typical steps only: a finding is about what steps cost again and again.
void AddFindings(const Facts& facts, const std::vector<RankSteps>& ranks, bool has_work,
                 Report& report) {
  const StepBreakdown sum = SumOf(ranks);
  const int64_t total = sum.Total();
  const bool idle_known = has_work && !facts.MostKernelsMissing();
  for (const Rule& rule : kRules) {
    const int64_t time = TimeOf(sum, rule.category);
    const double share = Share(time, total);
    // Without a device, launching and other host activity is expected.
    const bool of_host =
        rule.category == StepCategory::kInput || rule.category == StepCategory::kCompilation;
    if (share < kHigh || !(idle_known || of_host)) continue;
    report.findings.push_back(
        {.severity = share >= 2 * kHigh ? Severity::kHigh : Severity::kMedium,
         .message = fmt::format("{} is {} of step time.", rule.message, HumanRatio(share)),
         .because = fmt::format(
             "{} of {} per step in category {}{}",
             HumanTime(StatisticsOf(ranks, rule.category).mean),
             HumanTime(StatisticsOfTotals(ranks).mean), StepCategoryName(rule.category),
             SayPython(PythonDuring(facts, ranks, rule.category), StatisticsOfTotals(ranks).steps)),
         .hint = HintOf(rule, facts),
         .impact = time / static_cast<int64_t>(ranks.size()),
         .table = "step_time",
         .cause = {CauseOf(rule.category)},
         .nearness = Nearness::kPart,
         .extent = ExtentOf(ranks)});
  }
}

void AddPrecisionFinding(const Facts& facts, const std::vector<RankSteps>& ranks,
                         const StepBreakdown& sum, Report& report) {
  const int64_t compute = sum.Compute();
  const int64_t wide = sum.Of(StepPart::kCompute32);
  const int64_t narrow = AddSaturated(sum.Of(StepPart::kCompute16), sum.Of(StepPart::kCompute8));
  const double share = Share(narrow, compute);
  // Only where most compute is known to be 32 bit, and compute is a relevant part of steps.
  if (compute == 0 || share >= kFewSixteen || Share(wide, compute) < 0.5) return;
  if (Share(compute, sum.Total()) < kModerately) return;
  report.findings.push_back(
      {.severity = Severity::kMedium,
       .message = fmt::format("Compute in 16 bit or less is {} of compute time.",
                              share > 0 ? HumanRatio(share) : "0%"),
       .because =
           fmt::format("{} of compute per rank in 32 bit",
                       HumanTime(static_cast<double>(wide) / static_cast<double>(ranks.size()))),
       .hint = Say(kNarrow, facts),
       .impact = wide / 2 / static_cast<int64_t>(ranks.size()),
       .table = "step_time",
       .cause = {CauseKind::kPrecision},
       .nearness = Nearness::kPart,
       .extent = ExtentOf(ranks)});
}

constexpr Advice kRecordDevices{
    "record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], one profiler at a time; "
    "another tool that uses "
    "CUPTI (DCGM profiling, Nsight) takes the device's records",
    "record with device_tracer_level=1, one profiler at a time; another tool that uses CUPTI (DCGM "
    "profiling, Nsight) "
    "takes the device's records",
    "record with device_tracer_level=1, one profiler at a time; another tool that uses CUPTI (DCGM "
    "profiling, Nsight) "
    "takes the device's records"};

// Where the devices' records are missing, nothing that follows can be taken for what the devices
// did.
void AddMissingKernels(const Facts& facts, Report& report) {
  if (!facts.MostKernelsMissing()) return;
  const std::string what =
      facts.devices.empty() ? "No accelerator activity was recorded" : SayMissingKernels(facts);
  report.headline = what + ". " + report.headline;
  report.findings.push_back(
      {.severity = Severity::kHigh,
       .message = what + ".",
       .because =
           fmt::format("{} of {} launch calls have no activity with their correlation id",
                       HumanCount(facts.launches.without_kernel), HumanCount(facts.launches.calls)),
       .hint = Say(kRecordDevices, facts),
       .table = "launches",
       .cause = {CauseKind::kRecording}});
}

// Launches without a recorded kernel, shown where there are any.
Table LaunchTable(const Facts& facts) {
  Table table{.key = "launches",
              .title = "Kernel launches per rank",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("window", "window"),
                          CountColumn("calls", "launches"),
                          CountColumn("without_kernel", "without a recorded kernel"),
                          CountColumn("captured", "captured in a graph")}};
  int64_t unusual = 0;
  for (const RankActivity& rank : facts.ranks) {
    const auto& [calls, without, captured] = rank.launches;
    table.rows.push_back({rank.rank, rank.window, calls, without, captured});
    unusual += without + captured;
  }
  if (unusual == 0) table.text_rows = 0;
  return table;
}

// A job of several ranks communicates. Where nothing is known as communication, it counts as
// compute, and the first sentence must say so.
void AddMissingCommunication(const Facts& facts, Report& report) {
  const int64_t world_size = OnDemand(facts).CommunicationMissing(facts).world_size;
  if (world_size == 0) return;
  report.headline += fmt::format(" Communication of the {} ranks was not recognized.", world_size);
  report.findings.push_back(
      {.severity = Severity::kMedium,
       .message = fmt::format("Communication of the {} ranks was not recognized.", world_size),
       .because = NoCommunication(facts),
       .hint = "read compute time with care: communication counts as compute, in every analysis; "
               "record all ranks "
               "for at least one step",
       .table = "step_time",
       .cause = {CauseKind::kRecording}});
}

// "Step time is 960 µs (median of 7 steps of 8 ranks, 948 µs to 972 µs; 1 slow step of 4.10 ms left
// out)".
std::string SayStepTime(const std::vector<RankSteps>& ranks, const TypicalSteps& typical) {
  const Distribution& times = typical.times;
  const auto time = [](int64_t ns) { return HumanTime(static_cast<double>(ns)); };
  if (times.count == 1 && typical.slow == 0) return "Step time is " + time(typical.median);
  std::set<int64_t> of;
  std::set<std::pair<int64_t, int64_t>> steps;  // window and number
  for (const RankSteps& rank : ranks) {
    of.insert(rank.rank->rank);
    for (const StepBreakdown& step : rank.steps)
      steps.insert({rank.rank->window, step.window.number});
  }
  std::string said = fmt::format("Step time is {} (median of {}", time(typical.median),
                                 Plural(steps.size(), "step"));
  if (of.size() > 1) said += fmt::format(" of {} ranks", of.size());
  if (times.min < times.max) said += fmt::format(", {} to {}", time(times.min), time(times.max));
  if (typical.slow > 0) {
    said +=
        fmt::format("; {} of {}{} left out", Plural(static_cast<size_t>(typical.slow), "slow step"),
                    typical.slow == 1 ? "" : "up to ", time(typical.slowest));
  }
  return said + ")";
}

// "Step time is 960 µs (median of 7 steps): 31.2% device compute, 31.2% input, 15.6% all others."
std::string Headline(const std::vector<RankSteps>& ranks, const TypicalSteps& typical) {
  const StepBreakdown sum = SumOf(typical.ranks);
  constexpr size_t kNamed = 3;
  std::array<std::pair<int64_t, StepCategory>, kStepCategories> shares;
  for (size_t c = 0; c < kStepCategories; ++c) {
    const auto category = static_cast<StepCategory>(c);
    shares[c] = {TimeOf(sum, category), category};
  }
  std::ranges::stable_sort(shares, std::ranges::greater{},
                           &std::pair<int64_t, StepCategory>::first);
  std::string parts;
  for (size_t i = 0; i < kNamed && Share(shares[i].first, sum.Total()) >= kModerately; ++i) {
    parts +=
        fmt::format("{}{} {}", i == 0 ? "" : ", ", HumanRatio(Share(shares[i].first, sum.Total())),
                    StepCategoryName(shares[i].second));
  }
  const RankSteps& first = typical.ranks.front();
  if (first.whole_recording) {
    const bool marked = !first.rank->steps.empty();
    return fmt::format("{} Breakdown of the {} recorded: {}.",
                       marked ? "No step is complete." : "No steps are marked.",
                       HumanTime(static_cast<double>(sum.Total())), parts);
  }
  return fmt::format("{}: {}.", SayStepTime(ranks, typical), parts);
}

void AddStepMetrics(const StepStatistics& total, int64_t median, const StepBreakdown& sum,
                    bool marked, Report& report) {
  const auto time = [&](double ns) { return marked ? Cell(static_cast<int64_t>(ns)) : Cell(); };
  report.metrics = {
      {"step_time_median", "median step time", time(static_cast<double>(median)),
       Unit::kNanoseconds},
      {"step_time_mean", "mean step time", time(total.mean), Unit::kNanoseconds},
      {"step_time_stddev", "step time, std dev", time(total.deviation), Unit::kNanoseconds},
      {"steps", "steps", marked ? total.steps : 0, Unit::kCount},
      {"device_compute_ratio", "device compute, % of step time", Ratio(sum.Compute(), sum.Total()),
       Unit::kRatio},
  };
}

std::string WhyNoSteps(const Facts& facts) {
  if (facts.selected.empty()) {
    return std::string(kNothingRecorded);
  }
  return facts.no_work.empty() ? "no selected step is complete" : facts.no_work;
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kOverview, facts);
  const std::vector<RankSteps>& ranks = OnDemand(facts).Steps(facts);
  if (ranks.empty()) {
    MakeUnavailable(report, WhyNoSteps(facts));
    return report;
  }
  // Without device activity the host side remains.
  if (report.status == Status::kUnavailable) report.status = Status::kPartial;
  const bool marked = !ranks.front().whole_recording;
  const bool has_work = !facts.devices.empty();
  const StepStatistics total = StatisticsOfTotals(ranks);
  const StepBreakdown sum = SumOf(ranks);
  const TypicalSteps typical = FindTypicalSteps(ranks);
  report.headline = Headline(ranks, typical);
  AddMissingKernels(facts, report);
  AddMissingCommunication(facts, report);
  if (OnDemand(facts).JobPurpose(facts) == Purpose::kInference)
    report.headline += " The job is inference.";
  AddStepMetrics(total, typical.median, sum, marked, report);
  const OperatorUse use = UseOfOperators(facts);
  AddPlacement(use, has_work, report);
  AddPrecision(sum, report);
  AddUtilization(facts, report);
  AddEnvironment(facts, report);
  report.tables.push_back(CategoryTable(ranks, total, marked));
  report.tables.push_back(DeviceTable(facts, ranks));
  report.tables.push_back(OperatorTable(facts, use));
  report.tables.push_back(StepTable(ranks));
  report.tables.push_back(RoleTable(facts, ranks));
  report.tables.push_back(LaunchTable(facts));
  if (marked) AddFindings(facts, typical.ranks, has_work, report);
  AddPrecisionFinding(facts, ranks, sum, report);
  if (!marked) {
    report.notes.push_back(
        {"no_steps", 1,
         fmt::format("no steps are marked: {}, and record for longer than a step", kMarkSteps),
         ""});
  }
  return report;
}

}  // namespace
}  // namespace overview

const Analysis kOverview = {
    .name = "overview",
    .title = "Step overview",
    .summary = "Step time, breakdown, precision, utilization",
    .doc = overview::kDoc,
    .needs = Wanted(kRankActivityNeeds | KindSet{Kind::kOperator}, true, true),
    .params = {},
    .run = &overview::Run,
};

}  // namespace stepscope
