// Reports host and device time of each framework operator.
#include "facts/operators/operators.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/operators/operator_paths.h"
#include "facts/derived/operators/operator_trees.h"
#include "facts/derived/operators/tensor_core_use.h"
#include "facts/operators/compiled_ops.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace operators {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Which framework operators take host and device time, alone and with the operators they call?

**Definition:** On side `host`, each execution of an operator counts. `total` is its duration, and `self` excludes the
operators and runtime calls inside. For TensorFlow `self` includes runtime calls, as in XProf. On side `device`,
`total` is the activities launched inside the operator, and `self` those it launched itself, as sums of durations.
`occurrences` are the executions that launched activities. In TensorFlow and JAX, activities name their operator: they
count for it, `self` equals `total`, and `occurrences` are those of its most frequent kernel. An
operator that only calls an operator of the same name, as overloads do, is merged with it. `flops` and `bytes` come from
input shapes (see `flops`) or from the compiler. `tensor_core` is the share of its own kernels' time known to use Tensor
Cores. `tensor_core_total` is the same for all kernels launched inside. `tensor_core_eligible` is "yes" if its math could
use them. `tree` has operators by caller, over all ranks and threads. A `path` is the names from the outermost operator,
and `total` and `self` are host times. Operators below 0.1% of the total are merged into "(smaller)" of their caller.

**Limitations:** Activities launched outside operators do not count, as by captured graphs or in compiled code. For
TensorFlow, only ranges named as operators count. JAX names no operators on the host, so runtime functions are shown.
A recursive operator counts twice in `total`.

**Interpretation:** A large host self time is framework overhead: use fewer, larger operators, or torch.compile. If
device total is far above self, look at the operators it calls.
)md";

struct Sum {
  int64_t occurrences = 0, total = 0, self = 0;  // ns
  double flops = 0, bytes = 0;                   // 0: unknown
  // ns of kernels and of those on Tensor Cores: its own, and with those of called operators.
  int64_t kernels = 0, tensor_core = 0, all_kernels = 0, all_tensor_core = 0;

  void Add(const Sum& other) {
    occurrences += other.occurrences;
    total = AddSaturated(total, other.total);
    self = AddSaturated(self, other.self);
    flops += other.flops;
    bytes += other.bytes;
    kernels = AddSaturated(kernels, other.kernels);
    tensor_core = AddSaturated(tensor_core, other.tensor_core);
    all_kernels = AddSaturated(all_kernels, other.all_kernels);
    all_tensor_core = AddSaturated(all_tensor_core, other.all_tensor_core);
  }
};

using Sums = std::unordered_map<StringId, Sum>;

// Activities launched by operators, by range. Few of a host's many ranges launch any.
class Launched {
 public:
  explicit Launched(size_t ranges) : place_(ranges, kNone) {}

  // The reference is valid until the next call.
  Sum& operator[](int32_t range) {
    uint32_t& place = place_[static_cast<size_t>(range)];
    if (place == kNone) {
      place = static_cast<uint32_t>(sums_.size());
      sums_.emplace_back();
    }
    return sums_[place];
  }
  Sum* Find(size_t range) { return place_[range] == kNone ? nullptr : &sums_[place_[range]]; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> place_;  // by range: in sums_
  std::vector<Sum> sums_;
};

struct RankSums {
  Sums host, device;
};

class Measure {
 public:
  explicit Measure(const Facts& facts)
      : facts_(facts), names_(*facts.names), tensor_cores_(TensorCoreUseOf(facts)) {}

  void Add(const RankActivity& rank, RankSums& sums) {
    const OperatorTree& tree = OperatorTreeOf(facts_, rank);
    AddHost(rank, tree, sums.host);
    Launched launched(tree.size());
    std::map<StringId, std::unordered_map<StringId, int64_t>> named;
    const CompiledOps ops(names_, rank);
    for (const Activity& activity : rank.activities) {
      const KernelDetail* kernel = rank.KernelOf(activity);
      const StringId name = NamedOperator(names_, kernel);
      const int32_t op = name == kNoString ? OperatorOf(rank, tree, activity) : kNoRange;
      if (name != kNoString) {
        ++named[name][activity.name];
        AddActivity(activity, ops, kernel, sums.device[name]);
      } else if (op != kNoRange) {
        AddActivity(activity, ops, kernel, launched[op]);
      }
    }
    for (const auto& [name, kernels] : named) {
      int64_t most = 0;
      for (const auto& [kernel, count] : kernels) most = std::max(most, count);
      sums.device[name].occurrences += most;
    }
    AddLaunched(rank, tree, launched, sums.device);
  }

 private:
  void AddHost(const RankActivity& rank, const OperatorTree& tree, Sums& sums) {
    const HostOps& host = *rank.host;
    const NarrowArray<int64_t>& self = SelfTimesOf(facts_, rank);
    StopChecks checks;
    for (size_t r = 0; r < tree.size(); ++r) {
      checks.Turn();
      const HostRange& range = host.ranges[r];
      if (!tree.IsOperator(r) || !facts_.Counts(rank, range.start)) continue;
      sums[range.name].Add({.occurrences = 1, .total = range.duration(), .self = self[r]});
    }
  }

  void AddActivity(const Activity& activity, const CompiledOps& ops, const KernelDetail* kernel,
                   Sum& sum) {
    sum.total = AddSaturated(sum.total, activity.duration());
    sum.self = AddSaturated(sum.self, activity.duration());
    if (IsMemory(activity.kind)) return;
    sum.kernels = AddSaturated(sum.kernels, activity.duration());
    sum.all_kernels = AddSaturated(sum.all_kernels, activity.duration());
    if (tensor_cores_.Of(activity.name) == TensorCores::kYes) {
      sum.tensor_core = AddSaturated(sum.tensor_core, activity.duration());
      sum.all_tensor_core = AddSaturated(sum.all_tensor_core, activity.duration());
    }
    if (kernel == nullptr || !ops.StandsForExecution(activity, *kernel)) return;
    if (kernel->flops > 0) sum.flops += static_cast<double>(kernel->flops);
    if (kernel->bytes > 0) sum.bytes += static_cast<double>(kernel->bytes);
  }

  // Adds launched activities to operators and their callers. Callers come first.
  void AddLaunched(const RankActivity& rank, const OperatorTree& tree, Launched& launched,
                   Sums& sums) {
    const HostOps& host = *rank.host;
    for (const auto& [range, cost] : OperatorCostsOf(facts_, rank)) {
      Sum& sum = launched[range];
      sum.flops += cost.flops;
      sum.bytes += cost.bytes;
    }
    StopChecks checks;
    for (size_t r = tree.size(); r-- > 0;) {
      checks.Turn();
      const Sum* found = launched.Find(r);
      if (found == nullptr || found->total == 0) continue;
      Sum sum = *found;
      const int32_t caller = tree.CallerOf(r);
      if (caller != kNoRange) {
        Sum& above = launched[caller];
        above.total = AddSaturated(above.total, sum.total);
        above.all_kernels = AddSaturated(above.all_kernels, sum.all_kernels);
        above.all_tensor_core = AddSaturated(above.all_tensor_core, sum.all_tensor_core);
        above.flops += sum.flops;
        above.bytes += sum.bytes;
      }
      sum.occurrences = 1;
      sums[host.ranges[r].name].Add(sum);
    }
  }

  const Facts& facts_;
  const StringTable& names_;
  const TensorCoreUse& tensor_cores_;
};

std::vector<Column> ValueColumns() {
  Column eligible{"tensor_core_eligible", "eligible"};
  Column ratio = RatioColumn("tensor_core", "Tensor Cores");
  Column total_ratio = RatioColumn("tensor_core_total", "Tensor Cores, % of total");
  Column flops{"flops", "FLOP", Unit::kFlop};
  Column bytes{"bytes", "least bytes", Unit::kBytes};
  eligible.words = true;
  eligible.detail = ratio.detail = total_ratio.detail = flops.detail = bytes.detail = true;
  return {Words(KeyColumn("side", "side")),
          KeyColumn("name", "operator"),
          KeyColumn("type", "type"),
          CountColumn("occurrences", "calls"),
          TimeColumn("total", "total"),
          TimeColumn("self", "self"),
          RatioColumn("share", "% of side"),
          eligible,
          ratio,
          total_ratio,
          flops,
          bytes};
}

// Appends a row per operator of one side, largest self time first.
void AddRows(Table& table, const Facts& facts, std::string_view side, const Sums& sums,
             const std::vector<Cell>& prefix) {
  const bool device = side == "device";
  int64_t whole = 0;
  std::vector<std::pair<StringId, Sum>> rows(sums.begin(), sums.end());
  for (const auto& [name, sum] : rows) whole = AddSaturated(whole, sum.self);
  std::ranges::sort(rows, [&](const auto& a, const auto& b) {
    const auto key = [&](const auto& row) {
      return std::tuple(-row.second.self, -row.second.total, (*facts.names)[row.first]);
    };
    return key(a) < key(b);
  });
  for (const auto& [id, sum] : rows) {
    const std::string_view text = (*facts.names)[id];
    const auto op = ParseFrameworkOp(text);
    auto row = prefix;
    row.insert(row.end(),
               {std::string(side), std::string(op ? op->name : text),
                When(op.has_value(), std::string(op ? op->type : "")), sum.occurrences, sum.total,
                sum.self, Ratio(sum.self, whole), IsTensorCoreEligible(text) ? "yes" : "no",
                When(device, Ratio(sum.tensor_core, sum.kernels)),
                When(device, Ratio(sum.all_tensor_core, sum.all_kernels)),
                When(sum.flops > 0, sum.flops), When(sum.bytes > 0, sum.bytes),
                KindCell(device ? ColumnKind::kCompute : ColumnKind::kHost)});
    table.rows.push_back(std::move(row));
  }
}

Phrase SayTop(const Facts& facts, std::string_view side, const Sums& sums) {
  Table table{.columns = ValueColumns()};
  AddRows(table, facts, side, sums, {});
  if (table.rows.empty()) return {};
  const auto& row = table.rows[0];
  const double* share = ColumnOf(table, "share").FindReal(row);
  return Say("{operator} has the most self time on the {side} ({share})",
             Phrase::Name(ColumnOf(table, "name").Text(row)), side,
             HumanRatio(share == nullptr ? 0 : *share));
}

Phrase Headline(const Facts& facts, const RankSums& all) {
  const Phrase device = SayTop(facts, "device", all.device);
  const Phrase host = SayTop(facts, "host", all.host);
  return device + (device.empty() || host.empty() ? "" : "; ") + host + ".";
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kOperators, facts);
  std::map<int64_t, RankSums> ranks;
  Measure measure(facts);
  for (const RankActivity& rank : facts.ranks) {
    StopIfAsked();
    measure.Add(rank, ranks[rank.rank]);
  }
  RankSums all;
  for (const auto& [rank, sums] : ranks) {
    for (const auto& [name, sum] : sums.host) all.host[name].Add(sum);
    for (const auto& [name, sum] : sums.device) all.device[name].Add(sum);
  }
  if (all.host.empty() && all.device.empty()) {
    MakeUnavailable(report, Say("the traces have no operators: {how}", Say(kRecordHost, facts)));
    return report;
  }
  // Without device activity the host side remains.
  if (report.status == Status::kUnavailable) report.status = Status::kPartial;
  Table top{.key = "top", .title = "Operators by self time", .text_rows = 8};
  Table table{.key = "operators",
              .title = "Operators per rank",
              .columns = {KeyColumn("rank", "rank")},
              .text_rows = 0};
  AddColumns(top, ValueColumns());
  AddColumns(table, ValueColumns());
  AddKindColumn(top);
  AddKindColumn(table);
  AddRows(top, facts, "device", all.device, {});
  AddRows(top, facts, "host", all.host, {});
  for (const auto& [rank, sums] : ranks) {
    AddRows(table, facts, "device", sums.device, {rank});
    AddRows(table, facts, "host", sums.host, {rank});
  }
  report.headline = Headline(facts, all);
  report.tables.push_back(std::move(top));
  report.tables.push_back(std::move(table));
  if (!all.host.empty())
    report.tables.push_back(PathTable("Operators by caller", "operator", PathsOfOperators(facts)));
  return report;
}

}  // namespace
}  // namespace operators

const Analysis kOperators = {
    .name = "operators",
    .title = "Operators",
    .label = "Operators",
    .group = AnalysisGroup::kHost,
    .summary = "Host and device time per operator",
    .doc = operators::kDoc,
    .needs = Wanted(kRankActivityNeeds | KindSet{Kind::kOperator}, true, true),
    .params = {},
    .run = &operators::Run,
};

}  // namespace stepscope
