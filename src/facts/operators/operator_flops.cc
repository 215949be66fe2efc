// Selects the host operators that count, and their costs.
#include "facts/operators/operator_flops.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/stop.h"
#include "facts/operators/operator_call.h"
#include "facts/operators/operator_cost.h"

namespace stepscope {
namespace {

// What a name says of an operator.
struct Traits {
  bool countable = false;
  bool backward_of_convolution = false;
  // cuDNN's backward of a convolution until 2021 called one operator for each gradient it was asked
  // for, and does not say which.
  bool one_gradient = false;
  bool only_forward = false;  // no gradient is computed with it
  bool linear = false;
  bool engine = false;      // of autograd
  bool node = false;        // of autograd: it computes gradients
  bool checkpoint = false;  // a node that computes again what was dropped
};

Traits TraitsOf(std::string_view op) {
  Traits t{.countable = IsCountable(op), .linear = op == "aten::linear"};
  t.backward_of_convolution = t.countable && op.ends_with("convolution_backward");
  t.one_gradient =
      op.ends_with("_convolution_backward_input") || op.ends_with("_convolution_backward_weight");
  const bool backward = op.contains("backward");
  t.only_forward = op == "aten::addmm" || op == "aten::_addmm_activation" ||
                   (!backward && (op.contains("convolution") || op.starts_with("aten::conv") ||
                                  op.contains("attention")));
  t.engine = op.starts_with("autograd::engine");
  t.node = t.engine || op.contains("Backward");
  t.checkpoint = !t.engine && op.contains("Checkpoint") && op.contains("Backward");
  return t;
}

class NameTraits {
 public:
  explicit NameTraits(const StringTable& names) : names_(names), known_(names.size()) {}

  const Traits& Of(StringId name) {
    auto& known = known_[name];
    if (!known) known = TraitsOf(names_[name]);
    return *known;
  }

 private:
  const StringTable& names_;
  std::vector<std::optional<Traits>> known_;
};

// For each range whether autograd computes gradients in it, or what the forward pass had computed
// once: below a node of autograd that is all a checkpoint runs again, and what linear layers call.
enum class Pass : uint8_t { kForward, kGradient, kAgain };

std::vector<Pass> PassesOf(const HostOps& host, NameTraits& traits) {
  std::vector<Pass> passes;
  passes.reserve(host.ranges.size());
  StopChecks checks;
  for (const HostRange& range : host.ranges) {
    checks.Turn();
    Pass pass =
        range.parent == kNoRange ? Pass::kForward : passes[static_cast<size_t>(range.parent)];
    const Traits& t = traits.Of(range.name);
    if (range.kind == Kind::kOperator) {
      if (t.checkpoint || (t.linear && pass == Pass::kGradient)) {
        pass = Pass::kAgain;
      } else if (pass == Pass::kAgain ? t.engine : t.node) {
        pass = Pass::kGradient;  // within a checkpoint that is the engine, run for its gradients
      }
    }
    passes.push_back(pass);
  }
  return passes;
}

class Counter {
 public:
  Counter(const StringTable& names, const HostOps& host, const OperatorTree& tree)
      : names_(names), host_(host), tree_(tree), traits_(names), passes_(PassesOf(host, traits_)) {
    std::set<std::pair<StringId, StringId>> seen;
    StopChecks checks;
    for (const HostRange& range : host.ranges) {
      checks.Turn();
      const RangeDetail* detail = host.DetailOf(range);
      if (detail == nullptr || detail->shapes == kNoString) continue;
      const bool tells = traits_.Of(range.name).backward_of_convolution;
      if (tells && seen.insert({range.name, detail->shapes}).second)
        outputs_.Learn(names[range.name], InputsOf(names, *detail));
    }
  }

  std::vector<CountedOperator> Count() {
    std::vector<CountedOperator> counted;
    std::vector<bool> covered(host_.ranges.size());  // something in it counted already
    std::vector<uint8_t> gradients(host_.ranges.size());
    StopChecks checks;
    for (size_t r = host_.ranges.size(); r-- > 0;) {
      checks.Turn();
      const HostRange& range = host_.ranges[r];
      const bool is_operator = tree_.IsOperator(r);
      auto cost = is_operator && !covered[r] ? Cost(range) : std::nullopt;
      if (cost && gradients[r] == 1) cost->flops = cost->model_flops /= 2;
      if (cost && IsAgain(r)) cost->model_flops = 0;
      if (cost) counted.push_back({static_cast<int32_t>(r), *cost});
      if (range.parent == kNoRange) continue;
      const auto parent = static_cast<size_t>(range.parent);
      if (cost || covered[r]) covered[parent] = true;
      const bool one = is_operator && traits_.Of(range.name).one_gradient;
      if (one && gradients[parent] < UINT8_MAX) ++gradients[parent];
    }
    std::ranges::reverse(counted);
    return counted;
  }

 private:
  using Key = std::tuple<StringId, StringId, StringId, StringId>;

  bool IsAgain(size_t range) {
    const bool gradient = passes_[range] == Pass::kGradient;
    return passes_[range] == Pass::kAgain ||
           (gradient && traits_.Of(host_.ranges[range].name).only_forward);
  }

  std::optional<OperatorCost> Cost(const HostRange& range) {
    const RangeDetail* detail = host_.DetailOf(range);
    if (detail == nullptr || detail->shapes == kNoString) return std::nullopt;
    if (!traits_.Of(range.name).countable) return std::nullopt;
    const Key key = {range.name, detail->shapes, detail->types, detail->values};
    const auto [at, is_new] = costs_.try_emplace(key);
    if (is_new) at->second = CostOf(names_[range.name], InputsOf(names_, *detail), outputs_);
    return at->second;
  }

  const StringTable& names_;
  const HostOps& host_;
  const OperatorTree& tree_;
  NameTraits traits_;
  std::vector<Pass> passes_;  // by range
  ConvolutionOutputs outputs_;
  std::map<Key, std::optional<OperatorCost>> costs_;
};

}  // namespace

std::vector<CountedOperator> CountOperators(const StringTable& names, const HostOps& host,
                                            const OperatorTree& tree) {
  return Counter(names, host, tree).Count();
}

}  // namespace stepscope
