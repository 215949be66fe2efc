// A family is the groups of one description without members that dumps name.
#include "hang/members.h"

#include <algorithm>
#include <optional>

namespace stepscope::hang {
namespace {

constexpr int64_t kMostGap = 100'000;  // ranks between two that are known

using Family = std::vector<JobGroup*>;

bool IsWorld(const JobGroup& group) { return group.description == "default_pg"; }

// The distances of members from the lowest, of the largest groups where all have the same.
std::optional<std::vector<int64_t>> PatternOf(const Family& family) {
  size_t most = 0;
  for (const JobGroup* group : family) most = std::max(most, group->members.size());
  std::optional<std::vector<int64_t>> pattern;
  for (const JobGroup* group : family) {
    if (group->members.size() != most) continue;
    std::vector<int64_t> distances;
    for (const int64_t member : group->members) distances.push_back(member - group->members[0]);
    if (pattern && *pattern != distances) return std::nullopt;
    pattern = std::move(distances);
  }
  if (most < 2) return std::nullopt;
  return pattern;
}

// The only way to lay the pattern over the group so that what it adds is free.
std::optional<std::vector<int64_t>> Completed(const JobGroup& group,
                                              const std::vector<int64_t>& pattern, const Job& job) {
  std::optional<std::vector<int64_t>> found;
  for (const int64_t distance : pattern) {
    const int64_t base = group.members[0] - distance;
    if (base < 0) continue;
    std::vector<int64_t> members;
    for (const int64_t step : pattern) members.push_back(base + step);
    const bool holds = std::ranges::includes(members, group.members);
    const bool free = std::ranges::all_of(members, [&](int64_t rank) {
      return !job.HasDump(rank) || std::ranges::binary_search(group.members, rank);
    });
    if (!holds || !free) continue;
    if (found) return std::nullopt;
    found = std::move(members);
  }
  return found;
}

void InferFamily(const Family& family, Job& job) {
  std::set<int64_t> unplaced;
  for (const int64_t rank : job.ranks)
    if (!job.HasDump(rank)) unplaced.insert(rank);
  const auto pattern = PatternOf(family);
  std::vector<JobGroup*> open;
  size_t most = 0;
  for (const JobGroup* group : family) most = std::max(most, group->members.size());
  for (JobGroup* group : family) {
    if (group->members.size() == most && most > 1 && family.size() > 1) continue;
    const auto members = pattern ? Completed(*group, *pattern, job) : std::nullopt;
    if (!members) {
      open.push_back(group);
      continue;
    }
    group->members = *members;
    for (const int64_t rank : *members) {
      job.ranks.insert(rank);
      unplaced.erase(rank);
    }
  }
  for (JobGroup* group : open) group->perhaps.assign(unplaced.begin(), unplaced.end());
}

void KnowRanks(Job& job, int64_t world_size) {
  for (const JobGroup& group : job.groups)
    if (group.said) job.ranks.insert(group.members.begin(), group.members.end());
  const int64_t last = job.ranks.empty() ? 0 : *job.ranks.rbegin();
  const auto count = static_cast<int64_t>(job.ranks.size());
  if (last - count < kMostGap)
    for (int64_t rank = 0; rank < std::max(last, world_size); ++rank) job.ranks.insert(rank);
}

}  // namespace

void InferMembers(Job& job, int64_t world_size) {
  KnowRanks(job, world_size);
  std::map<std::string, Family> families;
  for (JobGroup& group : job.groups) {
    if (group.said) continue;
    for (const auto& [rank, standing] : group.standings) group.members.push_back(rank);
    if (!IsWorld(group)) families[group.description].push_back(&group);
  }
  for (const auto& [description, family] : families) InferFamily(family, job);
  for (JobGroup& group : job.groups)
    if (!group.said && IsWorld(group)) group.members.assign(job.ranks.begin(), job.ranks.end());
}

}  // namespace stepscope::hang
