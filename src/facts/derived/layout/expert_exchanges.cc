// Walks the all-to-alls of each group in order.
#include "facts/derived/layout/expert_exchanges.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/saturate.h"
#include "facts/activity/compute_cover.h"
#include "facts/derived/layout/parallel_layout.h"

namespace stepscope {
namespace {

// A mean in the making.
struct ExchangeMean {
  int64_t total = 0, count = 0;
  void Add(int64_t value) {
    total = AddSaturated(total, value);
    ++count;
  }
  std::optional<int64_t> Mean() const {
    return count == 0 ? std::nullopt : std::optional(total / count);
  }
};

struct ExchangeSums {
  int64_t count = 0, ranks = 0;
  ExchangeMean wait, transfer, compute, most;
};

class ExchangeReader {
 public:
  explicit ExchangeReader(const Facts& facts)
      : facts_(facts),
        c_(facts.collectives),
        groups_(ProcessGroupsOf(facts)),
        layout_(ParallelLayoutOf(facts)),
        covers_(facts.ranks.size()) {}

  std::vector<ExpertExchange> Read() {
    std::map<std::pair<uint32_t, int64_t>, std::vector<const CollectiveMatch*>> in_steps;
    for (const CollectiveMatch& match : c_.matches) {
      if (match.op == CollectiveOp::kAllToAll)
        in_steps[{match.group, StepOf(match)}].push_back(&match);
    }
    for (const auto& [where, matches] : in_steps) AddStep(matches, where.second >= 0);
    return Found();
  }

 private:
  std::vector<ExpertExchange> Found() const {
    std::vector<ExpertExchange> found;
    for (const auto& [place, s] : sums_) {
      found.push_back({.of = place.first,
                       .place = place.second,
                       .count = s.count,
                       .ranks = s.ranks,
                       .wait = s.wait.Mean(),
                       .transfer = s.transfer.Mean(),
                       .compute = s.compute.Mean(),
                       .most = s.most.Mean()});
    }
    return found;
  }

  int64_t StepOf(const CollectiveMatch& match) const {
    const CollectivePart& part = c_.Parts(match).front();
    const RankActivity& rank = facts_.ranks[part.recording];
    const int32_t step = rank.activities[part.activity].step;
    return step == kNoStep ? -1 : rank.steps[static_cast<size_t>(step)].number;
  }

  void AddStep(const std::vector<const CollectiveMatch*>& matches, bool in_step) {
    const uint32_t group = groups_.of_collectives[matches.front()->group];
    if (group == kNobody || layout_.class_of[group] == kNobody) return;
    const bool complete = groups_.groups[group].complete;
    const int64_t size = complete ? groups_.groups[group].size : -1;
    for (size_t i = 0; i < matches.size(); ++i) {
      const int64_t place = in_step ? static_cast<int64_t>(i) + 1 : -1;
      ExchangeSums& sums = sums_[{layout_.class_of[group], place}];
      ++sums.count;
      sums.ranks = std::max<int64_t>(sums.ranks, matches[i]->count);
      AddWaits(*matches[i], sums);
      if (in_step && i + 1 < matches.size()) AddCompute(*matches[i], *matches[i + 1], size, sums);
    }
  }

  void AddWaits(const CollectiveMatch& match, ExchangeSums& sums) const {
    for (const CollectivePart& part : c_.Parts(match)) {
      if (part.wait == kNoTime) continue;
      sums.wait.Add(part.wait);
      sums.transfer.Add(part.duration() - part.wait);
    }
  }

  void AddCompute(const CollectiveMatch& match, const CollectiveMatch& next, int64_t size,
                  ExchangeSums& sums) {
    int64_t most = 0, ranks = 0;
    for (const CollectivePart& part : c_.Parts(match)) {
      const auto parts = c_.Parts(next);
      const auto after = std::ranges::find(parts, part.rank, &CollectivePart::rank);
      if (after == parts.end() || after->recording != part.recording) continue;
      const int64_t compute = ComputeBetween(part, *after);
      sums.compute.Add(compute);
      most = std::max(most, compute);
      ++ranks;
    }
    if (ranks >= 2 && ranks == size) sums.most.Add(most);
  }

  int64_t ComputeBetween(const CollectivePart& part, const CollectivePart& after) {
    if (after.start <= part.end) return 0;
    const RankActivity& rank = facts_.ranks[part.recording];
    auto& devices = covers_[part.recording];
    if (devices.empty()) devices = ComputeCover::Of(rank);
    const uint32_t stream = rank.activities[part.activity].stream;
    return devices[rank.streams[stream].device_index].Within(part.end, after.start);
  }

  const Facts& facts_;
  const CollectiveFacts& c_;
  const ProcessGroups& groups_;
  const ParallelLayout& layout_;
  std::vector<std::vector<ComputeCover>> covers_;  // of each recording, once needed
  std::map<std::pair<uint32_t, int64_t>, ExchangeSums> sums_;
};

std::vector<ExpertExchange> ReadExchanges(const Facts& facts) {
  return ExchangeReader(facts).Read();
}

}  // namespace

const std::vector<ExpertExchange>& ExpertExchangesOf(const Facts& facts) {
  return facts.memo.Of<ReadExchanges>(facts);
}

}  // namespace stepscope
