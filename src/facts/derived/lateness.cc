// Sums what each rank spends time on.
#include "facts/derived/lateness.h"

#include <algorithm>
#include <unordered_map>

#include "base/saturate.h"

namespace stepscope {
namespace {

void Add(int64_t& sum, int64_t value) { sum = AddSaturated(sum, value); }

// Waiting for data: the iterator of PyTorch's DataLoader is recorded as
// "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__".
class InputNames {
 public:
  explicit InputNames(const StringTable& names) : names_(names) {}

  bool IsInput(StringId name) {
    const auto [at, is_new] = known_.try_emplace(name, false);
    if (is_new) at->second = names_[name].contains("DataLoader");
    return at->second;
  }

 private:
  const StringTable& names_;
  std::unordered_map<StringId, bool> known_;
};

int64_t InputOf(const RankActivity& rank, InputNames& names) {
  int64_t input = 0;
  const auto& ranges = rank.host->ranges;
  for (const HostRange& range : ranges) {
    if (!names.IsInput(range.name)) continue;
    if (range.parent != kNoRange && names.IsInput(ranges[static_cast<size_t>(range.parent)].name))
      continue;
    if (!rank.steps.empty() && rank.StepAt(range.start) == kNoStep) continue;
    Add(input, range.duration());
  }
  return input;
}

// `efforts`: of each device; null for those that take no part.
void AddActivity(const RankActivity& rank, const std::vector<RankEffort*>& efforts) {
  std::vector<int64_t> until(rank.devices.size(), kNoTime);
  for (const Activity& activity : rank.activities) {
    const uint32_t device = rank.streams[activity.stream].device_index;
    if (efforts[device] == nullptr) continue;
    RankEffort& effort = *efforts[device];
    if (activity.kind == Kind::kCompute) ++effort.kernels;
    int64_t& busy_until = until[device];
    // Steps that were not selected may lie before the first activity: what was idle then is not
    // known.
    if (busy_until != kNoTime && activity.start > busy_until && activity.launched != kNoTime &&
        activity.launched > busy_until) {
      Add(effort.host_late, activity.start - busy_until);
    }
    busy_until = std::max(busy_until, activity.end);
  }
}

double StepsOf(const RankEffort& effort) {
  return static_cast<double>(std::max<int64_t>(1, effort.steps));
}

// One sum of all ranks, in `beyond` instead of `efforts`.
void CompareOne(const std::vector<RankEffort>& efforts, int64_t RankEffort::* member,
                std::vector<RankEffort>& beyond) {
  const auto per_step = [&](const RankEffort& effort) {
    return static_cast<double>(effort.*member) / StepsOf(effort);
  };
  std::vector<double> sorted;
  for (const RankEffort& effort : efforts) sorted.push_back(per_step(effort));
  std::ranges::sort(sorted);
  const size_t middle = (sorted.size() - 1) / 2;  // of the others
  for (size_t r = 0; r < efforts.size(); ++r) {
    const double own = per_step(efforts[r]);
    const auto place = std::ranges::lower_bound(sorted, own) - sorted.begin();
    const double median = sorted[static_cast<size_t>(place) <= middle ? middle + 1 : middle];
    constexpr double kMost = 9e18;  // fits into an int64_t
    beyond[r].*member =
        static_cast<int64_t>(std::clamp((own - median) * StepsOf(efforts[r]), -kMost, kMost));
  }
}

}  // namespace

std::vector<RankEffort> BeyondOthers(const std::vector<RankEffort>& efforts) {
  std::vector<RankEffort> beyond(efforts.size());
  for (const auto member :
       {&RankEffort::kernels, &RankEffort::compute, &RankEffort::copies, &RankEffort::host_late,
        &RankEffort::input, &RankEffort::transfer, &RankEffort::own, &RankEffort::exposed}) {
    CompareOne(efforts, member, beyond);
  }
  return beyond;
}

std::vector<RankEffort> MeasureEfforts(const Facts& facts) {
  const auto& ranks = facts.collectives.ranks;
  std::vector<RankEffort> efforts(ranks.size());
  const auto of = [&](int64_t rank, int64_t device) -> RankEffort* {
    const uint32_t participant = facts.collectives.ParticipantOf(rank, device);
    return participant == kNobody ? nullptr : &efforts[participant];
  };
  for (const DeviceFacts& device : facts.devices) {
    RankEffort* effort = of(device.rank->rank, device.device);
    if (effort == nullptr) continue;
    Add(effort->compute, device.total.Compute());
    Add(effort->copies, device.total.Memory());
    Add(effort->own, device.total.Span() - device.total.Exposed());
    Add(effort->exposed, device.total.Exposed());
    effort->steps += std::ranges::count_if(device.by_step, &Occupancy::any);
  }
  for (size_t r = 0; r < ranks.size(); ++r) efforts[r].transfer = ranks[r].transfer;
  InputNames names(*facts.names);
  for (const RankActivity& rank : facts.ranks) {
    const int64_t input = InputOf(rank, names);
    const auto own = facts.collectives.OfRank(rank.rank);
    for (const RankCollectives& r : own)
      Add(efforts[static_cast<size_t>(&r - ranks.data())].input, input);
    std::vector<RankEffort*> of_devices;
    for (const int64_t device : rank.devices) of_devices.push_back(of(rank.rank, device));
    AddActivity(rank, of_devices);
  }
  return efforts;
}

}  // namespace stepscope
