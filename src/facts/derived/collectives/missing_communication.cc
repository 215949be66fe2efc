// Says whether a job of several ranks shows no communication, and which kernels may be it.
#include "facts/derived/collectives/missing_communication.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/robust.h"

namespace stepscope {
namespace {

// NCCL takes 24 or fewer, DeepEP 20; GPUs that train have 80 and more.
constexpr double kFewBlocks = 32;

// The stream of each device with the longest compute time; by recording, then device.
std::vector<uint32_t> BusiestStreams(const RankActivity& rank) {
  std::vector<int64_t> compute(rank.streams.size());
  for (const Activity& activity : rank.activities) {
    if (activity.kind == Kind::kCompute) compute[activity.stream] += activity.duration();
  }
  std::vector<uint32_t> busiest(rank.devices.size());
  std::vector<int64_t> most(rank.devices.size(), -1);
  for (uint32_t s = 0; s < rank.streams.size(); ++s) {
    const uint32_t device = rank.streams[s].device_index;
    if (compute[s] > most[device]) {
      most[device] = compute[s];
      busiest[device] = s;
    }
  }
  return busiest;
}

// True too where the trace does not say.
bool HasFewBlocks(const KernelDetail* kernel) {
  if (kernel == nullptr) return true;
  double blocks = 1;
  for (const int32_t size : kernel->config.grid) blocks *= std::max(size, 1);
  return blocks <= kFewBlocks;
}

// By time, of kernels that never leave the streams beside the busiest.
std::vector<CommunicationCandidate> Candidates(const Facts& facts) {
  std::map<StringId, CommunicationCandidate> found;
  std::set<StringId> computes;
  for (const RankActivity& rank : facts.ranks) {
    const std::vector<uint32_t> busiest = BusiestStreams(rank);
    for (const Activity& activity : rank.activities) {
      if (activity.kind != Kind::kCompute) continue;
      const Stream& stream = rank.streams[activity.stream];
      if (busiest[stream.device_index] == activity.stream ||
          !HasFewBlocks(rank.KernelOf(activity))) {
        computes.insert(activity.name);
        continue;
      }
      CommunicationCandidate& candidate = found[activity.name];
      candidate.name = activity.name;
      candidate.time += activity.duration();
    }
  }
  std::vector<CommunicationCandidate> candidates;
  for (const auto& [name, candidate] : found) {
    if (!computes.contains(name)) candidates.push_back(candidate);
  }
  std::ranges::stable_sort(candidates, std::ranges::greater{}, &CommunicationCandidate::time);
  return candidates;
}

struct KernelSum {
  int64_t count = 0;
  int64_t time = 0;
};

using SumsByRank = std::map<int64_t, KernelSum>;
using KernelSums = std::map<StringId, SumsByRank>;

// Without the candidates.
KernelSums SumKernels(const Facts& facts, const MissingCommunication& missing) {
  KernelSums sums;
  for (const RankActivity& rank : facts.ranks) {
    for (const Activity& activity : rank.activities) {
      if (activity.kind != Kind::kCompute || activity.step == kNoStep) continue;
      KernelSum& sum = sums[activity.name][rank.rank];
      ++sum.count;
      sum.time += activity.duration();
    }
  }
  std::erase_if(sums, [&](const auto& of_one) { return missing.MayBe(of_one.first); });
  return sums;
}

bool RunAsOften(const SumsByRank& by_rank, size_t ranks) {
  const int64_t count = by_rank.begin()->second.count;
  return by_rank.size() == ranks && std::ranges::all_of(by_rank, [&](const auto& of_one) {
           return of_one.second.count == count;
         });
}

// What the kernel takes on the ranks but for one.
int64_t MedianOfOthers(const SumsByRank& by_rank, int64_t rank) {
  std::vector<int64_t> times;
  for (const auto& [other, sum] : by_rank) {
    if (other != rank) times.push_back(sum.time);
  }
  return UpperMedian(times);
}

struct Excess {
  int64_t time = 0, usual = 0;  // of kernels that take longer: beyond what they usually take
  int64_t kernels = 0;
  int64_t all = 0;  // what all kernels usually take
};

constexpr double kLonger = 1.05;

std::map<int64_t, Excess> ExcessByRank(const KernelSums& sums, size_t ranks) {
  std::map<int64_t, Excess> excess;
  for (const auto& [name, by_rank] : sums) {
    if (!RunAsOften(by_rank, ranks)) continue;
    for (const auto& [rank, sum] : by_rank) {
      const int64_t usual = MedianOfOthers(by_rank, rank);
      Excess& own = excess[rank];
      own.all += usual;
      if (static_cast<double>(sum.time) < kLonger * static_cast<double>(usual)) continue;
      own.time += sum.time - usual;
      own.usual += usual;
      ++own.kernels;
    }
  }
  return excess;
}

double TimeOfSteps(const Facts& facts, int64_t rank) {
  double time = 0;
  for (const Step& step : std::ranges::find(facts.ranks, rank, &RankActivity::rank)->steps)
    time += static_cast<double>(step.end - step.start);
  return time;
}

// In most steps, and not only where its machine was busy with something else.
bool IsLongerInMostSteps(const Facts& facts, const KernelSums& sums, int64_t longer) {
  constexpr double kMostSteps = 0.75;
  std::set<StringId> kernels;  // that take longer on it; what waits for it takes less there
  for (const auto& [name, by_rank] : sums) {
    const auto own = by_rank.find(longer);
    if (own == by_rank.end() || by_rank.size() < 2) continue;
    const auto usual = static_cast<double>(MedianOfOthers(by_rank, longer));
    if (static_cast<double>(own->second.time) >= kLonger * usual) kernels.insert(name);
  }
  std::map<int64_t, SumsByRank> steps;  // by step, then rank
  for (const RankActivity& rank : facts.ranks) {
    for (const Activity& activity : rank.activities) {
      if (activity.kind != Kind::kCompute || activity.step == kNoStep) continue;
      if (kernels.contains(activity.name))
        steps[activity.step][rank.rank].time += activity.duration();
    }
  }
  const auto is_longer = [&](const auto& of_one) {
    const auto own = of_one.second.find(longer);
    return own != of_one.second.end() && of_one.second.size() > 1 &&
           own->second.time > MedianOfOthers(of_one.second, longer);
  };
  return static_cast<double>(std::ranges::count_if(steps, is_longer)) >=
         kMostSteps * static_cast<double>(steps.size());
}

std::optional<LongerRank> FindLongerRank(const Facts& facts, const MissingCommunication& missing) {
  constexpr double kLeast = 0.1, kOfSteps = 0.05, kOthers = 1.0 / 3;
  std::set<int64_t> ranks;
  std::set<size_t> steps;
  for (const RankActivity& rank : facts.ranks) {
    ranks.insert(rank.rank);
    steps.insert(rank.steps.size());
  }
  const bool comparable = ranks.size() > 1 && ranks.size() == facts.ranks.size() &&
                          steps.size() == 1 && *steps.begin() > 0;
  if (!comparable) return std::nullopt;
  const KernelSums sums = SumKernels(facts, missing);
  const auto excess = ExcessByRank(sums, ranks.size());
  if (excess.empty()) return std::nullopt;
  const auto most =
      std::ranges::max_element(excess, {}, [](const auto& of_one) { return of_one.second.time; });
  const auto time = static_cast<double>(most->second.time);
  const bool alone = std::ranges::all_of(excess, [&](const auto& of_one) {
    return of_one.first == most->first || static_cast<double>(of_one.second.time) < kOthers * time;
  });
  const bool enough = time >= kLeast * static_cast<double>(most->second.all) &&
                      time >= kOfSteps * TimeOfSteps(facts, most->first);
  if (!alone || most->second.kernels < 2 || !enough) return std::nullopt;
  if (!IsLongerInMostSteps(facts, sums, most->first)) return std::nullopt;
  ranks.erase(most->first);
  return LongerRank{most->first,
                    time / static_cast<double>(std::max<int64_t>(most->second.usual, 1)),
                    {ranks.begin(), ranks.end()}};
}

MissingCommunication FindMissingCommunication(const Facts& facts) {
  MissingCommunication missing;
  if (!facts.collectives.matches.empty() || facts.devices.empty()) return missing;
  std::set<int64_t> ranks;
  int64_t world_size = 1;
  for (const RankActivity& rank : facts.ranks) {
    ranks.insert(rank.rank);
    world_size = std::max(world_size, rank.world_size);
  }
  missing.size_told = world_size > 1;
  if (ranks.size() > 1) world_size = std::max(world_size, *ranks.rbegin() - *ranks.begin() + 1);
  if (world_size == 1) return missing;
  missing.world_size = world_size;
  missing.candidates = Candidates(facts);
  missing.longer = FindLongerRank(facts, missing);
  return missing;
}

}  // namespace

bool MissingCommunication::MayBe(StringId name) const {
  return std::ranges::find(candidates, name, &CommunicationCandidate::name) != candidates.end();
}

const MissingCommunication& MissingCommunicationOf(const Facts& facts) {
  return facts.memo.Of<FindMissingCommunication>(facts);
}

}  // namespace stepscope
