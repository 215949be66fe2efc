// Sums what each rank spends time on.
#include "facts/derived/lateness/lateness.h"

#include <algorithm>

#include "base/saturate.h"
#include "facts/derived/lateness/host_efforts.h"

namespace stepscope {
namespace {

void Add(int64_t& sum, int64_t value) { sum = AddSaturated(sum, value); }

// What counts: all, or what belongs to certain steps.
class Counted {
 public:
  explicit Counted(const std::set<int64_t>* steps) : steps_(steps) {}

  bool all() const { return steps_ == nullptr; }
  bool Number(int64_t number) const { return all() || steps_->contains(number); }
  bool Step(const RankActivity& rank, int32_t step) const {
    return all() || (step != kNoStep && Number(rank.steps[static_cast<size_t>(step)].number));
  }

 private:
  const std::set<int64_t>* steps_;
};

void AddUse(const Occupancy& use, RankEffort& effort) {
  Add(effort.compute, use.Compute());
  Add(effort.copies, use.Memory());
  Add(effort.own, use.Span() - use.Exposed());
  Add(effort.exposed, use.Exposed());
}

void AddDevice(const DeviceFacts& device, const Counted& counted, RankEffort& effort) {
  if (counted.all()) AddUse(device.total, effort);
  for (size_t s = 0; s < device.by_step.size(); ++s) {
    const Occupancy& use = device.by_step[s];
    if (!use.any || !counted.Number(device.rank->steps[s].number)) continue;
    ++effort.steps;
    if (!counted.all()) AddUse(use, effort);
  }
}

void AddTransfer(const Facts& facts, const Counted& counted, std::vector<RankEffort>& efforts) {
  for (const CollectivePart& part : facts.collectives.parts) {
    const RankActivity& rank = facts.ranks[part.recording];
    if (part.wait == kNoTime || !counted.Step(rank, rank.activities[part.activity].step)) continue;
    Add(efforts[part.rank].transfer, part.duration() - part.wait);
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
  // Of the others, of which one is missing in `sorted`.
  const size_t high = (sorted.size() - 1) / 2, low = (sorted.size() - 2) / 2;
  for (size_t r = 0; r < efforts.size(); ++r) {
    const double own = per_step(efforts[r]);
    const auto place = static_cast<size_t>(std::ranges::lower_bound(sorted, own) - sorted.begin());
    const auto other = [&](size_t i) { return sorted[place <= i ? i + 1 : i]; };
    const double median = (other(low) + other(high)) / 2;
    beyond[r].*member = ToInt64((own - median) * StepsOf(efforts[r]));
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

std::vector<RankEffort> MeasureEfforts(const Facts& facts, const std::set<int64_t>* steps) {
  const auto& ranks = facts.collectives.ranks;
  const Counted counted(steps);
  std::vector<RankEffort> efforts(ranks.size());
  const auto of = [&](int64_t rank, int64_t device) -> RankEffort* {
    const uint32_t participant = facts.collectives.ParticipantOf(rank, device);
    return participant == kNobody ? nullptr : &efforts[participant];
  };
  for (const DeviceFacts& device : facts.devices) {
    RankEffort* effort = of(device.rank->rank, device.device);
    if (effort != nullptr) AddDevice(device, counted, *effort);
  }
  AddTransfer(facts, counted, efforts);
  HostEfforts host(*facts.names);
  for (const RankActivity& rank : facts.ranks) {
    const auto own = facts.collectives.OfRank(rank.rank);
    for (const CondensedEffort& part : host.Of(rank)) {
      if (!counted.all() && (part.step < 0 || !counted.Number(part.step))) continue;
      if (RankEffort* effort = of(rank.rank, part.device)) {
        Add(effort->kernels, part.kernels);
        Add(effort->host_late, part.host_late);
      }
      for (const RankCollectives& r : own)  // the devices of a process share its host
        Add(efforts[static_cast<size_t>(&r - ranks.data())].input, part.input);
    }
  }
  return efforts;
}

namespace {

Efforts MeasureAll(const Facts& facts) {
  Efforts all{.own = MeasureEfforts(facts), .beyond = {}};
  if (all.own.size() > 1) all.beyond = BeyondOthers(all.own);
  return all;
}

}  // namespace

const Efforts& EffortsOf(const Facts& facts) { return facts.memo.Of<MeasureAll>(facts); }

}  // namespace stepscope
