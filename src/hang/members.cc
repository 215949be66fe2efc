// A family is the groups of one description without members that dumps name.
#include "hang/members.h"

#include <algorithm>

#include "ingest/flight/flight_operation.h"

namespace stepscope::hang {
namespace {

constexpr int64_t kMostGap = 100'000;  // ranks between two that are known

using Family = std::vector<JobGroup*>;

bool IsWorld(const JobGroup& group) { return group.description == "default_pg"; }

// The highest sequence of an operation that a member finished and none can before all begin it.
int64_t FinishedTogether(const JobGroup& group) {
  int64_t last = -1;
  for (const auto& [rank, standing] : group.standings)
    for (const DumpOperation* operation : standing.operations)
      if (!operation->pending && Synchronizes(operation->name))
        last = std::max(last, operation->sequence);
  return last;
}

// Ranks of one set cannot have finished what another of them did not enqueue.
bool IsShared(const JobGroup& group) {
  const int64_t finished = FinishedTogether(group);
  return std::ranges::any_of(group.standings, [&](const auto& standing) {
    return standing.second.reached >= 0 && standing.second.reached < finished;
  });
}

bool IsStuck(const JobGroup& group) {
  return std::ranges::any_of(group.standings, [](const auto& standing) {
    return standing.second.first != nullptr && Synchronizes(standing.second.first->name);
  });
}

class FamilyReader {
 public:
  FamilyReader(const Family& family, const Job& job, bool world_known)
      : family_(family), job_(job), world_known_(world_known) {
    for (const JobGroup* group : family)
      for (const int64_t rank : group->members) parted_ &= placed_.insert(rank).second;
    for (const JobGroup* group : family) most_ = std::max(most_, group->members.size());
  }

  void Read() {
    for (JobGroup* group : family_) Complete(*group);
  }

  // Groups of one kind are as large as one another, and one rank alone waits for nobody.
  bool LacksRanks() const {
    return parted_ && !world_known_ && std::ranges::any_of(family_, [&](const JobGroup* group) {
             return group->members.size() < most_ || Lacks(*group) > 0;
           });
  }

 private:
  // Of those that are in no group of the family: those without a dump, and those whose dump is of a
  // time before their first operation in the group.
  std::vector<int64_t> Candidates(const JobGroup& group) const {
    const bool begun = FinishedTogether(group) >= 0;
    std::vector<int64_t> ranks;
    for (const int64_t rank : job_.ranks) {
      const bool elsewhere =
          parted_ ? placed_.contains(rank) : std::ranges::binary_search(group.members, rank);
      if (!elsewhere && (!job_.HasDump(rank) || !begun)) ranks.push_back(rank);
    }
    return ranks;
  }

  // Members that it lacks at least. Where the groups part all ranks, all are as large as the
  // largest; one rank alone waits for nobody.
  size_t Lacks(const JobGroup& group) const {
    if (IsEven()) return most_ - group.members.size();
    return group.members.size() == 1 && IsStuck(group) ? 1 : 0;
  }

  bool IsEven() const {
    return parted_ && most_ > 1 && family_.size() * most_ == job_.ranks.size();
  }

  bool IsWhole(const JobGroup& group) const {
    return group.members.size() == most_ && most_ > 1 && family_.size() > 1 && parted_;
  }

  void Complete(JobGroup& group) const {
    const auto candidates = Candidates(group);
    const size_t lacks = Lacks(group);
    if (lacks == 0 && IsWhole(group)) return;
    if (lacks > 0 && candidates.size() == lacks && parted_ && (IsEven() || world_known_)) {
      group.members.insert(group.members.end(), candidates.begin(), candidates.end());
      std::ranges::sort(group.members);
      return;
    }
    group.perhaps = candidates;
    if (lacks == 0) std::erase_if(group.perhaps, [&](int64_t rank) { return job_.HasDump(rank); });
    group.lacks_unknown = lacks > 0 && (candidates.size() < lacks || !world_known_);
  }

  const Family& family_;
  const Job& job_;
  bool world_known_, parted_ = true;
  std::set<int64_t> placed_;
  size_t most_ = 0;
};

// True where dumps or the caller say how many there are.
bool KnowRanks(Job& job, int64_t world_size) {
  bool known = world_size > 0;
  for (const JobGroup& group : job.groups) {
    if (group.said) job.ranks.insert(group.members.begin(), group.members.end());
    known |= group.said && IsWorld(group);
  }
  for (const auto& [rank, dump] : job.dumps) {
    world_size = std::max(world_size, dump->least_ranks);
    known |= dump->all_ranks;
  }
  const int64_t last = job.ranks.empty() ? 0 : *job.ranks.rbegin();
  const auto count = static_cast<int64_t>(job.ranks.size());
  if (last - count < kMostGap)
    for (int64_t rank = 0; rank < std::max(last, world_size); ++rank) job.ranks.insert(rank);
  return known;
}

}  // namespace

void InferMembers(Job& job, int64_t world_size) {
  const bool world_known = job.knows_ranks = KnowRanks(job, world_size);
  std::map<std::string, Family> families;
  for (JobGroup& group : job.groups) {
    if (group.said) continue;
    for (const auto& [rank, standing] : group.standings) group.members.push_back(rank);
    group.shared = !IsWorld(group) && IsShared(group);
    if (!IsWorld(group)) families[group.description].push_back(&group);
  }
  for (const auto& [description, family] : families) {
    FamilyReader reader(family, job, world_known);
    job.lacks_ranks |= reader.LacksRanks();
    reader.Read();
  }
  for (JobGroup& group : job.groups) {
    if (group.said || !IsWorld(group)) continue;
    group.members.assign(job.ranks.begin(), job.ranks.end());
    group.lacks_unknown = !world_known;
  }
}

}  // namespace stepscope::hang
