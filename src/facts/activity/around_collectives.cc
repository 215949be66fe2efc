// Walks the trees of operators, and leaves out of each what others within it cover.
#include "facts/activity/around_collectives.h"

#include <algorithm>

namespace stepscope {
namespace {

bool Communicates(HostMeaning meaning) {
  return meaning == HostMeaning::kCollective || meaning == HostMeaning::kDispatch ||
         meaning == HostMeaning::kFunctional;
}

}  // namespace

AroundCollectives::AroundCollectives(const HostOps& host,
                                     const std::vector<HostMeaning>& meanings) {
  Mark(host, meanings);
  FindStretches(host, meanings);
}

std::optional<Interval> AroundCollectives::OwnOf(size_t range) const {
  const auto at = operators_.find(range);
  if (at == operators_.end() || at->second.own.end <= at->second.own.start) return std::nullopt;
  return at->second.own;
}

void AroundCollectives::Mark(const HostOps& host, const std::vector<HostMeaning>& meanings) {
  has_.resize(host.ranges.size());
  for (size_t i = 0; i < host.ranges.size(); ++i) {
    if (!Communicates(meanings[i]) && meanings[i] != HostMeaning::kPreparation) continue;
    for (int32_t r = host.ranges[i].parent; r != kNoRange && !has_[static_cast<size_t>(r)];
         r = host.ranges[static_cast<size_t>(r)].parent) {
      has_[static_cast<size_t>(r)] = true;
    }
  }
}

// Annotations compute nothing themselves: what lies within them lies within the operator around.
void AroundCollectives::FindStretches(const HostOps& host,
                                      const std::vector<HostMeaning>& meanings) {
  const auto operator_around = [&](const HostRange& range) {
    return host.FindAround(range.parent,
                           [](const HostRange& r) { return r.kind == Kind::kOperator; });
  };
  for (size_t i = 0; i < host.ranges.size(); ++i) {
    const HostRange range = host.ranges[i];
    if (meanings[i] == HostMeaning::kOther) continue;
    if (has_[i]) operators_.emplace(i, Operator{.covered = range.start});
    int32_t around = operator_around(range);
    const auto direct = operators_.find(static_cast<size_t>(around));
    if (direct == operators_.end()) continue;
    EndStretch(direct->second, range.start);
    direct->second.covered = std::max(direct->second.covered, range.end);
    if (meanings[i] != HostMeaning::kDispatch) continue;
    // A functional call does not wait, whatever it dispatches.
    for (; around != kNoRange && meanings[static_cast<size_t>(around)] != HostMeaning::kFunctional;
         around = operator_around(host.ranges[static_cast<size_t>(around)])) {
      operators_.at(static_cast<size_t>(around)).may_wait = true;
    }
  }
  for (auto& [range, op] : operators_) EndStretch(op, host.ranges[range].end);
}

// From where the operator is covered on.
void AroundCollectives::EndStretch(Operator& op, int64_t end) {
  if (op.may_wait || end - op.covered <= op.own.end - op.own.start) return;
  op.own = {op.covered, end};
}

}  // namespace stepscope
