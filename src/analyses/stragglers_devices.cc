// Compares devices, and sums what is waited for those of a rank.
#include "analyses/stragglers_devices.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/saturate.h"
#include "facts/derived/lateness/lateness.h"

namespace stepscope::stragglers {
namespace {

constexpr double kAsLong = 0.75;       // of the device with most time beyond the others
constexpr double kLeastLonger = 0.02;  // of its own time

// Whether all of these take longer, by about as much.
bool AreAllLate(const std::vector<uint32_t>& devices, const std::vector<RankEffort>& own,
                const std::vector<RankEffort>& beyond) {
  const auto longer = [&](uint32_t d) { return static_cast<double>(beyond[d].own); };
  const uint32_t most = std::ranges::max(devices, {}, longer);
  return longer(most) >= kLeastLonger * static_cast<double>(own[most].own) && longer(most) > 0 &&
         std::ranges::all_of(devices,
                             [&](uint32_t d) { return longer(d) >= kAsLong * longer(most); });
}

Suspect Joined(const std::vector<Suspect>& suspects, const std::vector<uint32_t>& devices) {
  Suspect all;
  all.rank = devices.front();
  all.members = devices;
  all.all_devices = true;
  const auto ranks = std::ssize(suspects);
  for (const Suspect& s : suspects) {
    if (std::ranges::find(devices, s.rank) == devices.end()) continue;
    all.blame = AddSaturated(all.blame, s.blame);
    all.score += s.score;
    all.waits += s.waits;
    all.times_last += s.times_last;
    all.lost = AddSaturated(all.lost, s.lost);
  }
  // Each was a mean over all others, its rank's other devices among them.
  const double share = static_cast<double>(ranks - 1) /
                       static_cast<double>(std::max<int64_t>(1, ranks - std::ssize(devices)));
  all.lost = ToInt64(static_cast<double>(all.lost) * share);
  return all;
}

}  // namespace

std::vector<std::vector<uint32_t>> DevicesOfLateRanks(const Facts& facts) {
  if (!facts.collectives.HasDevices()) return {};
  const std::vector<RankCollectives>& all = facts.collectives.ranks;
  std::map<int64_t, std::vector<uint32_t>> ranks;
  for (uint32_t r = 0; r < all.size(); ++r) ranks[all[r].rank].push_back(r);
  if (ranks.size() < 2) return {};
  const auto& [own, beyond] = EffortsOf(facts);
  std::vector<std::vector<uint32_t>> late;
  for (auto& [rank, devices] : ranks) {
    if (devices.size() > 1 && AreAllLate(devices, own, beyond)) late.push_back(std::move(devices));
  }
  return late;
}

StepBlame JoinedSteps(const StepBlame& steps, const std::vector<std::vector<uint32_t>>& ranks) {
  std::map<uint32_t, uint32_t> first;  // of the devices of a rank
  for (const std::vector<uint32_t>& devices : ranks) {
    for (const uint32_t device : devices) first[device] = devices.front();
  }
  StepBlame joined;
  for (const auto& [step, blame] : steps) {
    for (const auto& [rank, time] : blame.by_rank) {
      const auto at = first.find(rank);
      joined[step].Add(at == first.end() ? rank : at->second, time);
    }
  }
  return joined;
}

Blames JoinedBlames(const Blames& blames, const std::vector<std::vector<uint32_t>>& ranks,
                    const StepBlame& steps) {
  Blames joined{.steps = steps, .total = blames.total, .for_absent = blames.for_absent};
  const auto is_joined = [&](const Suspect& s) {
    return std::ranges::any_of(ranks, [&](const std::vector<uint32_t>& devices) {
      return std::ranges::find(devices, s.rank) != devices.end();
    });
  };
  for (const Suspect& s : blames.suspects) {
    if (!is_joined(s)) joined.suspects.push_back(s);
  }
  for (const std::vector<uint32_t>& devices : ranks)
    joined.suspects.push_back(Joined(blames.suspects, devices));
  return joined;
}

}  // namespace stepscope::stragglers
