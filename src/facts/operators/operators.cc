// Merges operators that repeat one another, and computes their self times.
#include "facts/operators/operators.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/stop.h"

namespace stepscope {
namespace {

// The names of a run, asked once each.
class OperatorNames {
 public:
  explicit OperatorNames(const StringTable& names) : names_(names), known_(names.size(), -1) {}

  bool Has(StringId name) {
    int8_t& known = known_[name];
    if (known < 0) known = IsOperatorName(names_[name]) ? 1 : 0;
    return known > 0;
  }

 private:
  const StringTable& names_;
  std::vector<int8_t> known_;
};

// Which ranges are operators. TensorFlow's runtime records its own functions beside operators:
// where operators are named as TensorFlow names them, and none as PyTorch does, the others are
// none.
struct OperatorSet {
  std::vector<bool> is_operator;  // by range
  bool of_tensorflow = false;
};

OperatorSet OperatorsAmong(const StringTable& names, const HostOps& host) {
  OperatorNames known(names);
  std::vector<bool> is_operator(host.ranges.size());
  std::vector<bool> seen(names.size());
  bool framework = false, pytorch = false;
  StopChecks checks;
  for (size_t r = 0; r < is_operator.size(); ++r) {
    checks.Turn();
    const HostRange& range = host.ranges[r];
    is_operator[r] = range.kind == Kind::kOperator && known.Has(range.name);
    if (!is_operator[r] || seen[range.name]) continue;
    seen[range.name] = true;
    framework |= ParseFrameworkOp(names[range.name]).has_value();
    pytorch |= names[range.name].starts_with("aten::");
  }
  if (!framework || pytorch) return {is_operator, false};
  for (size_t r = 0; r < is_operator.size(); ++r) {
    const StringId name = host.ranges[r].name;
    is_operator[r] = is_operator[r] && ParseFrameworkOp(names[name]).has_value();
  }
  return {is_operator, true};
}

// For each range the innermost operator around it, and for each operator how many it calls.
struct Nesting {
  RangeLinks around;
  std::vector<uint8_t> calls;  // 2: two or more
};

Nesting NestingOf(const HostOps& host, const std::vector<bool>& is_operator) {
  Nesting n;
  n.calls.resize(host.ranges.size());
  StopChecks checks;
  for (size_t r = 0; r < host.ranges.size(); ++r) {
    checks.Turn();
    const int32_t parent = host.ranges[r].parent;  // comes before what is in it
    int32_t around = kNoRange;
    if (parent != kNoRange) {
      const auto p = static_cast<size_t>(parent);
      around = is_operator[p] ? parent : n.around[p];
    }
    n.around.Append(around);
    if (!is_operator[r] || around == kNoRange) continue;
    uint8_t& calls = n.calls[static_cast<size_t>(around)];
    if (calls < 2) ++calls;
  }
  return n;
}

// The part of [start, end) that lies in `range`.
int64_t Inside(const HostRange& range, int64_t start, int64_t end) {
  return std::max<int64_t>(std::min(end, range.end) - std::max(start, range.start), 0);
}

void SubtractCalls(const HostOps& host, const OperatorTree& tree, std::vector<int64_t>& self) {
  // A call of the driver lies in one of the runtime: each moment counts once.
  std::vector<int64_t> called_until(host.threads.size(), kNoTime);
  StopChecks checks;
  for (const Call& call : host.calls) {
    checks.Turn();
    int64_t& until = called_until[call.thread];
    const int64_t start = std::max(call.start, until);
    until = std::max(until, call.end);
    const int32_t op = tree.Of(call.range);
    if (op == kNoRange || start >= call.end) continue;
    const auto o = static_cast<size_t>(op);
    self[o] -= Inside(host.ranges[o], start, call.end);
  }
}

}  // namespace

bool IsOperatorName(std::string_view name) {
  constexpr auto kSpans = std::to_array<std::string_view>(
      {"ProfilerStep#", "Optimizer.", "enumerate(DataLoader)", "enumerate(DataPipe)",
       "DataParallel.forward", "DistributedDataParallel.forward"});
  return std::ranges::none_of(kSpans,
                              [&](std::string_view span) { return name.starts_with(span); });
}

OperatorTree::OperatorTree(const StringTable& names, const HostOps& host) {
  const auto [is_operator, of_tensorflow] = OperatorsAmong(names, host);
  of_tensorflow_ = of_tensorflow;
  Nesting nesting = NestingOf(host, is_operator);
  StopChecks checks;
  for (size_t r = 0; r < host.ranges.size(); ++r) {
    checks.Turn();
    const int32_t around = nesting.around[r];
    const auto a = static_cast<size_t>(around);
    const bool repeats =
        around != kNoRange && nesting.calls[a] == 1 && host.ranges[r].name == host.ranges[a].name;
    op_.Append(is_operator[r] && !repeats ? static_cast<int32_t>(r) : Of(around));
  }
  callers_ = std::move(nesting.around);
}

StringId NamedOperator(const StringTable& names, const KernelDetail* kernel) {
  if (kernel == nullptr) return kNoString;
  const StringId op = kernel->framework_op;
  return op != kNoString && ParseFrameworkOp(names[op]) ? op : kernel->hlo_op;
}

NarrowArray<int64_t> SelfTimes(const HostOps& host, const OperatorTree& tree) {
  std::vector<int64_t> self(host.ranges.size());
  StopChecks checks;
  for (size_t r = 0; r < self.size(); ++r) {
    checks.Turn();
    if (!tree.IsOperator(r)) continue;
    const HostRange& range = host.ranges[r];
    self[r] = range.duration();
    const int32_t caller = tree.CallerOf(r);
    if (caller == kNoRange) continue;
    const auto c = static_cast<size_t>(caller);
    self[c] -= Inside(host.ranges[c], range.start, range.end);
  }
  if (!tree.of_tensorflow()) SubtractCalls(host, tree, self);
  NarrowArray<int64_t> times;
  for (const int64_t time : self) times.Append(std::max<int64_t>(time, 0));
  return times;
}

}  // namespace stepscope
