// Says whether a job of several ranks shows no communication, and which kernels may be it.
#include "facts/derived/collectives/missing_communication.h"

#include <algorithm>
#include <map>
#include <set>

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

MissingCommunication FindMissingCommunication(const Facts& facts) {
  MissingCommunication missing;
  if (!facts.collectives.matches.empty() || facts.devices.empty()) return missing;
  std::set<int64_t> ranks;
  int64_t world_size = 1;
  for (const RankActivity& rank : facts.ranks) {
    ranks.insert(rank.rank);
    world_size = std::max(world_size, rank.world_size);
  }
  world_size = std::max(world_size, static_cast<int64_t>(ranks.size()));
  if (world_size == 1) return missing;
  missing.world_size = world_size;
  missing.candidates = Candidates(facts);
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
