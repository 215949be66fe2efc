// A rank's program up to where it stopped is that of a rank which waits for it, in the groups that
// correspond.
#include "hang/lost.h"

#include <algorithm>

namespace stepscope::hang {
namespace {

// The last operation that the rank has finished or waits in, of the messages or the collectives in
// the group, before its operation number `before`; -1: none is kept.
int64_t Reached(const Job& job, int64_t rank, const JobGroup& group, bool messages,
                int64_t before) {
  const RankDump& dump = *job.dumps.at(rank);
  const auto front = job.fronts.find(rank);
  int64_t last = -1;
  for (const DumpOperation& operation : dump.operations) {
    const DumpGroup& of = dump.groups[operation.group];
    const bool came = !operation.pending || front->second.operation == &operation;
    if (came && operation.point_to_point == messages && operation.record < before &&
        of.name == group.name && of.description == group.description)
      last = std::max(last, operation.sequence);
  }
  return last;
}

bool IsMember(const JobGroup& group, int64_t rank) {
  return std::ranges::find(group.members, rank) != group.members.end();
}

// The group of `rank` that corresponds; null: there is none, or it is not known which.
const JobGroup* LikeFor(const Job& job, const JobGroup& group, int64_t rank) {
  if (IsMember(group, rank)) return &group;
  const JobGroup* found = nullptr;
  for (const JobGroup& other : job.groups) {
    if (other.description != group.description || !IsMember(other, rank)) continue;
    if (found != nullptr) return nullptr;
    found = &other;
  }
  return found;
}

// Whether all others of the group came as far in it as `lost`, by what `witness` did.
bool AllCame(const Job& job, const JobGroup& group, int64_t lost, int64_t witness,
             const Wait& wait) {
  const JobGroup* like = LikeFor(job, group, witness);
  if (like == nullptr || group.shared || group.lacks_unknown || !group.perhaps.empty())
    return false;
  const int64_t before = job.groups[wait.group].Find(witness)->first->record;
  for (const bool messages : {false, true}) {
    const int64_t need = Reached(job, witness, *like, messages, before);
    if (need < 0) continue;
    for (const int64_t rank : group.members) {
      if (rank == lost) continue;
      if (!job.HasDump(rank) || Reached(job, rank, group, messages, INT64_MAX) < need) return false;
      const Standing* standing = group.Find(rank);
      const bool unfinished =
          standing != nullptr && standing->first != nullptr && standing->first->sequence <= need;
      if (!messages && unfinished) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<const Wait*> WaitsForLost(const Job& job, const Waits& waits) {
  std::vector<const Wait*> found;
  for (const Wait& wait : waits.waits) {
    const bool alone = wait.kind == WaitKind::kMissing && wait.sure && wait.awaited.size() == 1;
    if (!alone || wait.operation->point_to_point) continue;
    const auto witness = std::ranges::find_if(wait.waiting, [&](int64_t rank) {
      return job.fronts.at(rank).operation == job.groups[wait.group].Find(rank)->first;
    });
    if (witness == wait.waiting.end()) continue;
    const int64_t lost = wait.awaited.front();
    const bool free = std::ranges::all_of(job.groups, [&](const JobGroup& group) {
      return !IsMember(group, lost) || AllCame(job, group, lost, *witness, wait);
    });
    const bool known = std::ranges::any_of(
        found, [&](const Wait* other) { return other->awaited.front() == lost; });
    if (free && !known) found.push_back(&wait);
  }
  return found;
}

std::vector<int64_t> MayHaveFailed(const Job& job, int64_t rank) {
  const auto at = job.dumps.find(rank);
  if (!job.on_host || at == job.dumps.end() || at->second->operations.empty()) return {};
  const DumpOperation& last = at->second->operations.back();
  for (const JobGroup& group : job.groups) {
    const Standing* own = group.Find(rank);
    if (own == nullptr || own->At(last.sequence) != &last) continue;
    std::vector<int64_t> lost;
    for (const int64_t member : group.members)
      if (!job.HasDump(member)) lost.push_back(member);
    for (const auto& [other, standing] : group.standings) {
      const DumpOperation* same = standing.At(last.sequence);
      const bool ended = other != rank && same != nullptr && !same->pending;
      if (ended && job.dumps.at(other)->operations.back().record > same->record) return {};
    }
    return lost;
  }
  return {};
}

}  // namespace stepscope::hang
