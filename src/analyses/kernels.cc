// How kernels were launched, how full they keep a device, and whether they use Tensor Cores.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/stop.h"
#include "facts/derived/kernel_use.h"
#include "report/humanize.h"
#include "report/kernel_name.h"

namespace stepscope {
namespace {

constexpr std::string_view kDoc = R"md(
**Answers:** how is each kernel launched, how much of a device does it fill, and does matrix work run on
Tensor Cores?

**Counts:** every kernel, communication included, copies and sets not. `blocks_per_sm` and `occupancy` are the
profiler's, means weighted by duration. PyTorch's occupancy is an estimate: min(threads / multiprocessors / most
threads of one, theoretical occupancy); it writes 0 where a block takes more than 48 KB of shared memory, and there
it is reckoned here. Traces of XLA hold the theoretical one. `theoretical` is what registers, shared memory and block
size allow, by NVIDIA's calculator. `tensor_core` is told by the kernel's name: "unknown" for what compilers and some
libraries generate, and on TPUs, which have none. `tensor_core_eligible`: the kernel uses them, or the operator that
launched it computes matrix products, convolutions, attention or recurrent cells.

**Cannot see:** occupancy as it was: warps that wait count. AMD's traces hold no estimate.

**Read it so:** matrix work that is not on Tensor Cores is worth 4 to 16 times its speed: autocast to bf16, or
allow TF32. An occupancy below 25 % in a kernel that moves memory leaves bandwidth unused; in matrix kernels it is
usual and no fault.
)md";

constexpr double kWorthSaying = 0.05;  // of kernel time

Cell Known(std::optional<double> value) { return When(value.has_value(), value.value_or(0)); }

std::vector<Column> KernelColumns() {
  Column blocks{"blocks_per_sm", "blocks/SM", Unit::kCount};
  Column min = TimeColumn("min", "min"), max = TimeColumn("max", "max");
  blocks.detail = min.detail = max.detail = true;
  return {KeyColumn("name", "kernel"),
          CountColumn("occurrences", "count"),
          TimeColumn("total", "total"),
          TimeColumn("mean", "mean"),
          min,
          max,
          {"tensor_core", "Tensor Cores"},
          RatioColumn("occupancy", "occupancy"),
          blocks};
}

void AddKernels(Table& table, const Facts& facts, KernelUse& measure,
                const std::unordered_map<StringId, KernelSum>& kernels,
                const std::vector<Cell>& prefix) {
  std::vector<std::pair<StringId, KernelSum>> rows(kernels.begin(), kernels.end());
  std::ranges::sort(rows, [&](const auto& a, const auto& b) {
    if (a.second.total != b.second.total) return a.second.total > b.second.total;
    return (*facts.names)[a.first] < (*facts.names)[b.first];
  });
  for (const auto& [name, sum] : rows) {
    auto row = prefix;
    row.insert(row.end(),
               {std::string((*facts.names)[name]), sum.count, sum.total, sum.total / sum.count,
                sum.min, sum.max, std::string(TensorCoresName(measure.Uses(name))),
                Known(sum.Occupancy()), Known(sum.Blocks())});
    table.rows.push_back(std::move(row));
  }
}

std::string Sizes(const std::array<int32_t, 3>& sizes) {
  const bool known = sizes != std::array<int32_t, 3>{-1, -1, -1};
  return !known ? "" : fmt::format("[{}, {}, {}]", sizes[0], sizes[1], sizes[2]);
}

Table LaunchTable() {
  Table table{.key = "launches",
              .title = "How kernels were launched",
              .columns = {KeyColumn("rank", "rank"),
                          KeyColumn("name", "kernel"),
                          KeyColumn("operator", "operator"),
                          KeyColumn("grid", "grid"),
                          KeyColumn("block", "block"),
                          KeyColumn("registers", "registers"),
                          {"shared_memory", "shared memory", Unit::kBytes, Role::kKey}},
              .text_rows = 0};
  AddColumns(table,
             {CountColumn("occurrences", "count"), TimeColumn("total", "total"),
              TimeColumn("mean", "mean"), TimeColumn("min", "min"), TimeColumn("max", "max"),
              Column{"tensor_core", "Tensor Cores"}, Column{"tensor_core_eligible", "eligible"},
              RatioColumn("occupancy", "occupancy"), RatioColumn("theoretical", "theoretical"),
              CountColumn("blocks_per_sm", "blocks/SM")});
  return table;
}

void AddLaunches(Table& table, const Facts& facts, KernelUse& measure, int64_t rank,
                 const std::map<KernelLaunch, LaunchSum>& launches) {
  std::vector<std::pair<KernelLaunch, LaunchSum>> rows(launches.begin(), launches.end());
  const auto name = [&](StringId id) {
    return id == kNoString ? std::string_view() : (*facts.names)[id];
  };
  std::ranges::sort(rows, [&](const auto& a, const auto& b) {
    const auto key = [&](const auto& row) {
      const KernelLaunch& l = row.first;
      return std::tuple(-row.second.sum.total, name(l.kernel), name(l.op), l.registers,
                        l.shared_memory, l.block, l.grid);
    };
    return key(a) < key(b);
  });
  for (const auto& [l, of] : rows) {
    const KernelSum& sum = of.sum;
    table.rows.push_back({rank, std::string(name(l.kernel)),
                          When(l.op != kNoString, std::string(name(l.op))), Sizes(l.grid),
                          Sizes(l.block), When(l.registers >= 0, int64_t{l.registers}),
                          When(l.shared_memory >= 0, int64_t{l.shared_memory}), sum.count,
                          sum.total, sum.total / sum.count, sum.min, sum.max,
                          std::string(TensorCoresName(measure.Uses(l.kernel))),
                          measure.IsEligible(l.op, l.kernel) ? "yes" : "no", Known(sum.Occupancy()),
                          Known(of.theoretical), Known(sum.Blocks())});
  }
}

// "a, b and c": the names of what takes most time, three at most.
template <class Time>
std::string SayMost(const Facts& facts, std::vector<std::pair<StringId, Time>> sums) {
  std::ranges::sort(sums, [&](const auto& a, const auto& b) {
    if (a.second != b.second) return a.second > b.second;
    return (*facts.names)[a.first] < (*facts.names)[b.first];
  });
  // Templates of one name are short for it alike.
  std::vector<std::string> most;
  for (const auto& [name, time] : sums) {
    std::string text = ShortName((*facts.names)[name]);
    if (most.size() < 3 && std::ranges::find(most, text) == most.end())
      most.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(most, ", "));
}

std::string_view MatrixUnits(const KernelUse& use) {
  return use.only_amd() ? "matrix cores" : "Tensor Cores";
}

double Share(int64_t part, int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(std::max<int64_t>(whole, 1));
}

constexpr Advice kNarrow{
    "run it in 16 bit with torch.autocast (mixed precision)",
    "run it in 16 bit: keras.mixed_precision.set_global_policy(\"mixed_bfloat16\")",
    "run it in 16 bit: compute in jnp.bfloat16"};
constexpr Advice kAllowTf32{
    "; from Ampere on also allow TF32: torch.set_float32_matmul_precision(\"high\")",
    "; from Ampere on TF32 helps too, if it was not switched off "
    "(tf.config.experimental.enable_tensor_float_32_execution)",
    "; from Ampere on also allow TF32: jax_default_matmul_precision"};
constexpr Advice kMoreBlocks{
    "they have too few blocks: a larger batch, or fuse them with torch.compile",
    "they have too few blocks: a larger batch, or fuse them with tf.function(jit_compile=True)",
    "they have too few blocks: a larger batch, or more of the step under one jit"};

void AddTensorCoreFinding(Report& report, const Facts& facts, const KernelUse& use) {
  const KernelTotals& t = use.totals();
  const double share = Share(t.missed_time, t.time);
  if (share < kWorthSaying) return;
  const int64_t each = t.missed_time / static_cast<int64_t>(facts.devices.size());
  report.findings.push_back(
      {.severity = share >= 0.3 ? Severity::kHigh : Severity::kMedium,
       .message = fmt::format("{} of the kernel time is matrix work that does not use {}.",
                              HumanRatio(share), MatrixUnits(use)),
       .because = fmt::format("{} a device, most of it in {}; on {} are {} of the kernel time",
                              HumanTime(static_cast<double>(each)),
                              SayMost(facts, std::vector<std::pair<StringId, int64_t>>(
                                                 t.missed.begin(), t.missed.end())),
                              MatrixUnits(use), HumanRatio(Share(t.tensor_core, t.time))),
       .hint = Say(kNarrow, facts) + (use.only_amd() ? "" : Say(kAllowTf32, facts)),
       .impact = each,
       .table = "top"});
}

void AddOccupancyFinding(Report& report, const Facts& facts, const KernelTotals& t) {
  const double share = Share(t.low_time, t.time);
  if (share < kWorthSaying) return;
  std::vector<std::pair<StringId, int64_t>> kernels;
  KernelSum all;
  for (const auto& [name, sum] : t.low) {
    kernels.emplace_back(name, sum.total);
    all.Merge(sum);
  }
  const double occupancy = all.Occupancy().value_or(0);
  const double few = Share(t.few_blocks, t.low_time);
  const auto each = static_cast<double>(t.low_time) / static_cast<double>(facts.devices.size());
  report.findings.push_back(
      {.severity = share >= 0.2 ? Severity::kMedium : Severity::kLow,
       .message =
           fmt::format("{} of the kernel time is in kernels that fill less than {} of a device.",
                       HumanRatio(share), HumanRatio(kLowOccupancy)),
       .because = fmt::format("their occupancy is {}, in {} of their time there are fewer blocks "
                              "than multiprocessors; most in {}",
                              HumanRatio(occupancy), HumanRatio(few), SayMost(facts, kernels)),
       .hint = few >= 0.5 ? Say(kMoreBlocks, facts)
                          : "registers or shared memory limit them: smaller blocks, or fewer "
                            "values kept per thread",
       .impact = static_cast<int64_t>(std::min(each * (1 - occupancy), 9e18)),
       .table = "top"});
}

void Summarize(Report& report, const KernelUse& use) {
  const KernelTotals& t = use.totals();
  if (use.only_tpus()) {
    report.headline =
        "Devices are TPUs, which have no Tensor Cores; hlo_operators and flops say more.";
    return;
  }
  report.metrics = {{"tensor_core_ratio", "kernel time on Tensor Cores",
                     Ratio(t.tensor_core, t.time), Unit::kRatio},
                    {"tensor_core_unknown_ratio", "where the name does not tell",
                     Ratio(t.unknown, t.time), Unit::kRatio},
                    {"eligible_ratio", "launched by operators that could use them",
                     Ratio(t.eligible, t.time), Unit::kRatio},
                    {"occupancy", "mean occupancy, estimated",
                     When(t.occupancy_time > 0, t.occupancy / t.occupancy_time), Unit::kRatio}};
  report.headline = fmt::format(
      "{} of the kernel time is on {}, {} was launched by operators that could use them",
      HumanRatio(Share(t.tensor_core, t.time)), MatrixUnits(use),
      HumanRatio(Share(t.eligible, t.time)));
  if (t.unknown > 0) {
    report.headline +=
        fmt::format("; of {} the name does not tell", HumanRatio(Share(t.unknown, t.time)));
  }
  report.headline += ".";
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kKernels, facts);
  if (report.status == Status::kUnavailable) return report;
  KernelUse measure(facts);
  std::map<int64_t, RankKernelUse> ranks;
  for (const RankActivity& rank : facts.ranks) {
    StopIfAsked();
    measure.Add(rank, ranks[rank.rank]);
  }
  std::unordered_map<StringId, KernelSum> all;
  for (const auto& [rank, sums] : ranks) {
    for (const auto& [name, sum] : sums.kernels) all[name].Merge(sum);
  }
  if (all.empty()) {
    MakeUnavailable(report, "the traces hold copies and sets, and no kernels");
    return report;
  }
  Table top{.key = "top", .title = "Kernels over all ranks", .text_rows = 5};
  Table kernels{.key = "kernels",
                .title = "Kernels of each rank",
                .columns = {KeyColumn("rank", "rank")},
                .text_rows = 0};
  Table launches = LaunchTable();
  AddColumns(top, KernelColumns());
  AddColumns(kernels, KernelColumns());
  AddKernels(top, facts, measure, all, {});
  for (const auto& [rank, sums] : ranks) {
    AddKernels(kernels, facts, measure, sums.kernels, {rank});
    AddLaunches(launches, facts, measure, rank, sums.launches);
  }
  Summarize(report, measure);
  for (Table* table : {&top, &kernels, &launches}) report.tables.push_back(std::move(*table));
  AddTensorCoreFinding(report, facts, measure);
  AddOccupancyFinding(report, facts, measure.totals());
  return report;
}

}  // namespace

const Analysis kKernels = {
    .name = "kernels",
    .title = "Kernel efficiency",
    .summary = "Launch shape, occupancy, Tensor Core use",
    .doc = kDoc,
    .needs = Wanted(kRankActivityNeeds | KindSet{Kind::kOperator}, false, true),
    .params = {},
    .run = &Run,
};

}  // namespace stepscope
