// Groups are the same where name, description and members are.
#include "hang/join.h"

#include <algorithm>
#include <tuple>

#include "hang/members.h"

namespace stepscope::hang {
namespace {

constexpr int64_t kMostWorld = 1'000'000;

using GroupKey = std::tuple<std::string, std::string, std::vector<int64_t>>;

class Joiner {
 public:
  explicit Joiner(std::span<const RankDump> dumps) : dumps_(dumps) {}

  Job Join(int64_t world_size, std::span<const UnusableDump> unusable) {
    for (const RankDump& dump : dumps_) {
      job_.dumps[dump.rank] = &dump;
      job_.ranks.insert(dump.rank);
      job_.on_host |= IsHostBackend(dump);
      job_.odd_dumps += dump.odd > 0 ? 1 : 0;
      if (job_.backend.empty()) job_.backend = dump.backend;
      for (const DumpOperation& operation : dump.operations)
        if (operation.point_to_point) messaging_.insert(dump.groups[operation.group].description);
    }
    const auto named = unusable.empty() ? std::set<int64_t>() : NamedRanks();
    for (const UnusableDump& dump : unusable) {
      if (job_.HasDump(dump.rank)) continue;
      job_.unusable.try_emplace(dump.rank, dump);
      if (named.empty() || named.contains(dump.rank)) job_.ranks.insert(dump.rank);
    }
    for (const RankDump& dump : dumps_) Add(dump);
    for (JobGroup& group : job_.groups)
      for (auto& [rank, standing] : group.standings) Order(standing);
    InferMembers(job_, world_size);
    return std::move(job_);
  }

 private:
  // All ranks of the job, where dumps name them; else none.
  std::set<int64_t> NamedRanks() const {
    std::set<int64_t> ranks;
    for (const RankDump& dump : dumps_)
      for (const DumpGroup& group : dump.groups)
        if (group.description == "default_pg")
          ranks.insert(group.members.begin(), group.members.end());
    return ranks;
  }

  // A group whose members this dump does not name is the one of that name that others name.
  size_t GroupOf(const DumpGroup& group) {
    const auto key = GroupKey(group.name, group.description, group.members);
    const auto [at, added] = places_.try_emplace(key, job_.groups.size());
    if (added) {
      job_.groups.push_back({.name = group.name,
                             .description = group.description,
                             .members = group.members,
                             .said = !group.members.empty()});
    }
    return at->second;
  }

  void Add(const RankDump& dump) {
    std::vector<size_t> places;
    for (const DumpGroup& group : dump.groups) {
      const size_t place = GroupOf(group);
      places.push_back(place);
      Standing& standing = job_.groups[place].standings[dump.rank];
      if (messaging_.contains(group.description)) continue;
      standing.reached = group.enqueued;
      standing.completed = group.completed;
    }
    for (const DumpOperation& operation : dump.operations) {
      JobGroup& group = job_.groups[places[operation.group]];
      if (operation.pending)
        job_.fronts.try_emplace(dump.rank, Job::Front{&operation, places[operation.group]});
      if (!operation.point_to_point) {
        group.standings[dump.rank].operations.push_back(&operation);
      } else if (operation.pending) {
        group.messages[dump.rank].push_back(&operation);
      }
    }
  }

  // Of several with one sequence, as of coalesced ones, the first stands for all.
  static void Order(Standing& standing) {
    auto& operations = standing.operations;
    std::ranges::stable_sort(operations, {}, &DumpOperation::sequence);
    const auto same = std::ranges::unique(operations, {}, &DumpOperation::sequence);
    operations.erase(same.begin(), same.end());
    const auto first = std::ranges::find(operations, true, &DumpOperation::pending);
    if (first != operations.end()) standing.first = *first;
    if (!operations.empty())
      standing.reached = std::max(standing.reached, operations.back()->sequence);
  }

  std::span<const RankDump> dumps_;
  Job job_;
  std::map<GroupKey, size_t> places_;
  std::set<std::string> messaging_;  // descriptions of groups with point-to-point operations
};

}  // namespace

Job JoinDumps(std::span<const RankDump> dumps, int64_t world_size,
              std::span<const UnusableDump> unusable) {
  return Joiner(dumps).Join(std::min(world_size, kMostWorld), unusable);
}

}  // namespace stepscope::hang
