// Attributes kernels to the operators that launched them, with the time from launch to start.
#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/operator_kernels_sequences.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace operator_kernels {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Which operators do device and host time belong to, and how long is it from an operator to its kernels?

**Definition:** Each kernel, memcpy and memset belongs to the innermost operator around its launch call, on the
call's thread. `op_delay` is from the operator's start to the call. Launch to start (`launch_delay`) is from the call's
start to the activity's start; the launch delay of `launch_stats` begins at the call's end. Both are means. `host_time` is the sum of the operator's calls; `self_time` excludes the operators
inside. `operators` covers all ranks. `kernels` has each operator's kernels by rank. `sequences` has, by rank, which
kernels an operator launches itself, in order of their launches; its delays are those of the first of them. Copies, memsets
and graphs do not count there.

**Limitations:** Operators need ProfilerActivity.CPU. Calls outside operators are listed without an operator.

**Interpretation:** Operators show which line of the model to change; kernels are those of the libraries. A long
op_delay is host time in the operator itself. A long time from launch to start is a queue, or a busy device.
)md";

// Activities launched by one operator, or one kernel of one operator.
struct Sum {
  int64_t count = 0, gpu_time = 0, op_delay = 0, launch_delay = 0;

  void Add(const Activity& activity, const Call& call, int64_t op_start) {
    ++count;
    gpu_time = AddSaturated(gpu_time, activity.duration());
    if (op_start != kNoTime) op_delay = AddSaturated(op_delay, call.start - op_start);
    launch_delay = AddSaturated(launch_delay, std::max<int64_t>(activity.start - call.start, 0));
  }
  int64_t Mean(int64_t sum) const { return count > 0 ? sum / count : 0; }
};

struct Key {
  int64_t rank;
  StringId op;  // kNoString: none
  StringId kernel;
  bool operator==(const Key&) const = default;
};
struct HashOfKey {
  size_t operator()(const Key& key) const {
    const auto names = static_cast<uint64_t>(key.op) << 32 | key.kernel;
    return (names * 31 + static_cast<uint64_t>(key.rank)) * 0x9e3779b97f4a7c15 >> 8;
  }
};

// Host time in the calls of one operator.
struct HostSum {
  int64_t count = 0, time = 0, self = 0;
};

struct Sums {
  std::unordered_map<StringId, Sum> operators;
  std::unordered_map<StringId, HostSum> host;
  std::unordered_map<Key, Sum, HashOfKey> kernels;
  int64_t total = 0, without = 0;  // ns of device activity: all, and without an operator
};

bool IsOperator(const HostRange& range) { return range.kind == Kind::kOperator; }

void AddHost(const Facts& facts, const RankActivity& rank, Sums& sums) {
  const HostOps& host = *rank.host;
  StopChecks checks;
  for (const HostRange& range : host.ranges) {
    checks.Turn();
    if (!IsOperator(range) || !facts.Counts(rank, range.start)) continue;
    HostSum& own = sums.host[range.name];
    ++own.count;
    own.time = AddSaturated(own.time, range.duration());
    own.self = AddSaturated(own.self, range.duration());
    const int32_t caller = host.FindAround(range.parent, IsOperator);
    if (caller == kNoRange) continue;
    HostSum& above = sums.host[host.ranges[static_cast<size_t>(caller)].name];
    above.self = AddSaturated(above.self, -range.duration());
  }
}

// Returns the kernels that operators launched alone.
std::vector<Launched> AddActivity(const RankActivity& rank, Sums& sums) {
  const HostOps& host = *rank.host;
  std::vector<Launched> launches;
  for (uint32_t w = 0; w < rank.activities.size(); ++w) {
    const Activity& activity = rank.activities[w];
    sums.total = AddSaturated(sums.total, activity.duration());
    const auto call = rank.CallOf(activity);
    const int32_t at = !call ? kNoRange : host.FindAround(call->range, IsOperator);
    if (at == kNoRange) sums.without = AddSaturated(sums.without, activity.duration());
    if (!call) continue;
    const HostRange op = at == kNoRange ? HostRange{.start = kNoTime, .name = kNoString}
                                        : host.ranges[static_cast<size_t>(at)];
    sums.operators[op.name].Add(activity, *call, op.start);
    sums.kernels[{rank.rank, op.name, activity.name}].Add(activity, *call, op.start);
    const bool alone = call->role == CallRole::kLaunch && !IsMemory(activity.kind);
    if (alone && at != kNoRange) launches.push_back({at, w});
  }
  return launches;
}

Cell NameCell(const Facts& facts, StringId name) {
  return name == kNoString ? Cell("(no operator)") : Cell(std::string((*facts.names)[name]));
}

std::vector<Cell> Values(const Sum& sum, bool has_operator) {
  std::vector<Cell> values = {sum.count, sum.gpu_time};
  const bool any = sum.count > 0;
  values.push_back(When(any && has_operator, sum.Mean(sum.op_delay)));
  values.push_back(When(any, sum.Mean(sum.launch_delay)));
  return values;
}

std::vector<Column> ValueColumns() {
  return {CountColumn("kernels", "kernels"), TimeColumn("gpu_time", "device time"),
          TimeColumn("op_delay", "op delay"), TimeColumn("launch_delay", "launch to start")};
}

Table OperatorsTable(const Facts& facts, const Sums& sums) {
  Table table{
      .key = "operators",
      .title = "Operators by device time",
      .columns = {KeyColumn("operator", "operator"), CountColumn("count", "calls"),
                  TimeColumn("host_time", "host time"), TimeColumn("self_time", "host self time")},
      .text_rows = 12};
  AddColumns(table, ValueColumns());
  AddColumns(table, {RatioColumn("share", "% of device time")});
  SetKinds(table, {{"gpu_time", ColumnKind::kCompute}});
  std::set<StringId> names;
  for (const auto& [name, sum] : sums.operators) names.insert(name);
  for (const auto& [name, sum] : sums.host) names.insert(name);
  for (const StringId name : names) {
    const auto host = sums.host.find(name);
    const HostSum h = host == sums.host.end() ? HostSum{} : host->second;
    const auto device = sums.operators.find(name);
    const Sum d = device == sums.operators.end() ? Sum{} : device->second;
    const bool is_operator = name != kNoString;
    std::vector<Cell> row = {NameCell(facts, name), When(is_operator, h.count),
                             When(is_operator, h.time), When(is_operator, h.self)};
    for (Cell& value : Values(d, is_operator)) row.push_back(std::move(value));
    row.push_back(Ratio(d.gpu_time, sums.total));
    table.rows.push_back(std::move(row));
  }
  const ColumnOf op(table, "operator"), device(table, "gpu_time"), host(table, "host_time");
  std::ranges::sort(table.rows, [&](const auto& a, const auto& b) {
    return std::tie(device(b), host(b), op(a)) < std::tie(device(a), host(a), op(b));
  });
  return table;
}

Table KernelsTable(const Facts& facts, const Sums& sums) {
  Table table{.key = "kernels",
              .title = "Kernels per operator",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("operator", "operator"),
                          KeyColumn("kernel", "kernel")},
              .text_rows = 0};
  AddColumns(table, ValueColumns());
  for (const auto& [key, sum] : sums.kernels) {
    std::vector<Cell> row = {key.rank, NameCell(facts, key.op), NameCell(facts, key.kernel)};
    for (Cell& value : Values(sum, key.op != kNoString)) row.push_back(std::move(value));
    table.rows.push_back(std::move(row));
  }
  const ColumnOf rank(table, "rank"), op(table, "operator"), kernel(table, "kernel"),
      time(table, "gpu_time");
  std::ranges::sort(table.rows, [&](const auto& a, const auto& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    if (time(a) != time(b)) return time(a) > time(b);
    return std::tie(op.Text(a), kernel.Text(a)) < std::tie(op.Text(b), kernel.Text(b));
  });
  return table;
}

Phrase WhyNoOperator(const Facts& facts) {
  const bool recorded = std::ranges::any_of(facts.ranks, [](const RankActivity& rank) {
    return std::ranges::any_of(
        rank.host->ranges, [](const HostRange& range) { return range.kind == Kind::kOperator; });
  });
  return recorded
             ? Phrase("no activity was launched in an operator: graphs launch outside operators")
             : Say("no activity was launched in an operator: {how}", Say(kRecordHost, facts));
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kOperatorKernels, facts);
  if (report.status == Status::kUnavailable) return report;
  Sums sums;
  std::vector<std::vector<Launched>> launches;  // of each rank
  for (const RankActivity& rank : facts.ranks) {
    AddHost(facts, rank, sums);
    launches.push_back(AddActivity(rank, sums));
  }
  const bool any = std::ranges::any_of(sums.operators,
                                       [](const auto& entry) { return entry.first != kNoString; });
  if (!any) {
    MakeUnavailable(report, WhyNoOperator(facts));
    return report;
  }
  Table operators = OperatorsTable(facts, sums);
  report.metrics = {{"without_operator", "without operator, % of device time",
                     Ratio(sums.without, sums.total), Unit::kRatio}};
  report.headline =
      Say("{operator} has the most device time ({share}).",
          ColumnOf(operators, "operator").Text(operators.rows[0]),
          HumanRatio(static_cast<double>(ColumnOf(operators, "gpu_time").Int(operators.rows[0])) /
                     static_cast<double>(std::max<int64_t>(sums.total, 1))));
  report.tables.push_back(std::move(operators));
  report.tables.push_back(KernelsTable(facts, sums));
  report.tables.push_back(SequencesTable(facts, std::move(launches)));
  return report;
}

}  // namespace
}  // namespace operator_kernels

const Analysis kOperatorKernels = {
    .name = "operator_kernels",
    .title = "Kernels by operator",
    .label = "By operator",
    .group = AnalysisGroup::kDevice,
    .summary = "Kernels and delays per operator",
    .doc = operator_kernels::kDoc,
    .needs = kRankActivityNeeds | KindSet{Kind::kOperator},
    .params = {},
    .run = &operator_kernels::Run,
};

}  // namespace stepscope
