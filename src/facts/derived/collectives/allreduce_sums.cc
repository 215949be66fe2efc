// Sums all-reduces by device and by kind.
#include "facts/derived/collectives/allreduce_sums.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "base/saturate.h"
#include "base/time_units.h"

namespace stepscope {
namespace {

bool IsGradient(const AllReduce& a) { return !a.phase_known || a.phase == Phase::kBackward; }

// Which steps of a recording count; empty: all that was recorded is one.
std::vector<bool> StepsThatCount(const RankActivity& rank) {
  std::vector<bool> counts;
  for (const Step& step : rank.steps) counts.push_back(step.complete);
  if (std::ranges::none_of(counts, std::identity())) counts.assign(counts.size(), true);
  return counts;
}

// ns during which any of them transferred, waiting left out.
int64_t TransferOf(std::vector<std::pair<int64_t, int64_t>>& stretches) {
  std::ranges::sort(stretches);
  int64_t sum = 0, until = kNoTime;
  for (const auto& [start, end] : stretches) {
    sum += std::max<int64_t>(end - std::max(start, until), 0);
    until = std::max(until, end);
  }
  return sum;
}

class Adder {
 public:
  Adder(const Facts& facts, const AllReduceFacts& allreduces)
      : facts_(facts), allreduces_(allreduces) {}

  AllReduceSums Add() {
    const auto& all = allreduces_.all;
    for (size_t i = 0; i < all.size();) {
      size_t end = i + 1;
      while (end < all.size() && all[end].device == all[i].device) ++end;
      AddDevice(std::span(all).subspan(i, end - i));
      i = end;
    }
    return std::move(out_);
  }

 private:
  void AddDevice(std::span<const AllReduce> all) {
    AllReduceSum sum{.device = &facts_.devices[all.front().device]};
    const auto counts = StepsThatCount(*sum.device->rank);
    sum.steps = counts.empty() ? 1 : std::ranges::count(counts, true);
    std::vector<std::pair<int64_t, int64_t>> transfers;
    std::map<int64_t, int64_t> group_sizes;
    for (const AllReduce& a : all) {
      const bool inside =
          counts.empty() || (a.step != kNoStep && counts[static_cast<size_t>(a.step)]);
      if (!inside) {
        ++out_.outside;
        continue;
      }
      AddTo(sum, a);
      transfers.emplace_back(a.start + a.wait, a.end);
      group_sizes[facts_.collectives.groups[a.group].size] += std::max<int64_t>(a.bytes, 1);
      AddAlike(a);
    }
    if (sum.calls == 0) return;
    sum.transfer = TransferOf(transfers);
    sum.group_size =
        std::ranges::max_element(group_sizes, {}, [](const auto& g) { return g.second; })->first;
    out_.devices.push_back(sum);
  }

  void AddTo(AllReduceSum& sum, const AllReduce& a) {
    ++sum.calls;
    sum.measured = AddSaturated(sum.measured, a.alone);
    sum.exposed = AddSaturated(sum.exposed, a.exposed);
    sum.exposed_transfer = AddSaturated(sum.exposed_transfer, a.exposed_transfer);
    sum.waiting = AddSaturated(sum.waiting, a.wait);
    if (a.bytes < 0) {
      sum.sized = false;
      ++out_.unsized;
      return;
    }
    sum.bytes = AddSaturated(sum.bytes, a.bytes);
    if (const double best = allreduces_.best_alike[a.group]; best > 0)
      sum.at_best =
          AddSaturated(sum.at_best, ToInt64(static_cast<double>(a.bytes) / best * kSecond));
    if (!IsGradient(a)) return;
    sum.gradient_bytes = AddSaturated(sum.gradient_bytes, a.bytes);
    sum.gradient_elements =
        AddSaturated(sum.gradient_elements, a.elements < 0 ? a.bytes / 4 : a.elements);
  }

  void AddAlike(const AllReduce& a) {
    AlikeAllReduces& alike = out_.alike[{facts_.collectives.groups[a.group].label, a.bytes,
                                         a.phase_known ? std::string(PhaseName(a.phase)) : ""}];
    ++alike.calls;
    alike.time = AddSaturated(alike.time, a.duration());
    alike.waiting = AddSaturated(alike.waiting, a.wait);
    alike.exposed = AddSaturated(alike.exposed, a.exposed);
    alike.exposed_transfer = AddSaturated(alike.exposed_transfer, a.exposed_transfer);
  }

  const Facts& facts_;
  const AllReduceFacts& allreduces_;
  AllReduceSums out_;
};

}  // namespace

AllReduceSums AddUp(const Facts& facts, const AllReduceFacts& allreduces) {
  return Adder(facts, allreduces).Add();
}

}  // namespace stepscope
