// A collective cannot end before all members enqueued it. Who lacks it is waited for; who has it
// unfinished where others finished it has a device that stopped.
#include "hang/waits.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ingest/flight/flight_operation.h"

namespace stepscope::hang {
namespace {

constexpr size_t kMostSequences = 64;  // at which members of one group are stuck

class Collectives {
 public:
  Collectives(const Job& job, size_t place, Waits& waits)
      : job_(job), group_(job.groups[place]), place_(place), waits_(waits) {}

  void Add() {
    std::set<int64_t> stuck_at;
    for (const auto& [rank, standing] : group_.standings)
      if (standing.first != nullptr) stuck_at.insert(standing.first->sequence);
    if (stuck_at.size() > kMostSequences)
      stuck_at.erase(std::next(stuck_at.begin(), kMostSequences), stuck_at.end());
    for (const int64_t sequence : stuck_at) {
      group_.shared ? AddShared(sequence)
                    : AddAt(sequence, AddMismatch(job_, place_, sequence, waits_));
    }
  }

 private:
  struct Members {
    std::vector<int64_t> waiting, absent, behind, missing;
    bool finished_by_some = false;
  };

  Members Sort(int64_t sequence) const {
    Members members;
    for (const int64_t rank : group_.members) {
      const Standing* standing = group_.Find(rank);
      if (!job_.HasDump(rank)) {
        members.missing.push_back(rank);
      } else if (standing == nullptr || standing->reached < sequence) {
        const bool behind = standing != nullptr && IsBehind(*standing, sequence);
        (behind ? members.behind : members.absent).push_back(rank);
      } else if (standing->first != nullptr && standing->first->sequence == sequence) {
        members.waiting.push_back(rank);
      } else if (standing->first != nullptr && standing->first->sequence < sequence) {
        if (IsBehind(*standing, sequence)) members.behind.push_back(rank);
      } else {
        members.finished_by_some = true;
      }
    }
    return members;
  }

  // It has unfinished what those who are stuck at `sequence` finished.
  static bool IsBehind(const Standing& standing, int64_t sequence) {
    return standing.first != nullptr && standing.first->sequence < sequence &&
           Synchronizes(standing.first->name);
  }

  // Where members called different operations, only who called none is waited for besides.
  void AddAt(int64_t sequence, bool mismatched) {
    const Members members = Sort(sequence);
    if (members.waiting.empty()) return;  // stuck are only ranks that are no members, as dumps say
    const DumpOperation* operation = group_.Find(members.waiting.front())->first;
    const bool lost = !members.missing.empty() || !group_.perhaps.empty();
    // Of gloo an operation ends with an error too: where a member died, or did not come in time.
    const bool failed =
        members.finished_by_some && !members.absent.empty() && Synchronizes(operation->name);
    waits_.errors |= failed;
    const bool devices = !mismatched && !(job_.on_host && (lost || job_.lacks_ranks || failed));
    const auto add = [&](WaitKind kind, const std::vector<int64_t>& awaited, bool sure = true) {
      if (!awaited.empty())
        waits_.waits.push_back({kind, place_, operation, members.waiting, awaited, sure});
    };
    if (members.finished_by_some && Synchronizes(operation->name) && devices) {
      for (const int64_t rank : members.waiting) AddBehind(rank);
    }
    add(WaitKind::kNotArrived, members.absent);
    if (devices) {
      add(WaitKind::kNotFinished, members.behind);
      for (const int64_t rank : members.behind) AddBehind(rank);
    }
    if (mismatched || !members.absent.empty() || (devices && !members.behind.empty())) return;
    if (lost && (!members.finished_by_some || job_.on_host || !Synchronizes(operation->name))) {
      if (!members.missing.empty()) return add(WaitKind::kMissing, members.missing);
      return AddPerhaps(operation, members.waiting, group_.perhaps);
    }
    if (!members.finished_by_some && !AddNotBegun(members, operation))
      waits_.complete.push_back({place_, operation, members.waiting});
  }

  // Those who may be members: with a dump they did not arrive, without one nothing is known.
  void AddPerhaps(const DumpOperation* operation, const std::vector<int64_t>& waiting,
                  const std::vector<int64_t>& perhaps) {
    std::vector<int64_t> absent, missing;
    for (const int64_t rank : perhaps) (job_.HasDump(rank) ? absent : missing).push_back(rank);
    for (const auto& [kind, ranks] :
         {std::pair{WaitKind::kNotArrived, absent}, std::pair{WaitKind::kMissing, missing}})
      if (!ranks.empty()) waits_.waits.push_back({kind, place_, operation, waiting, ranks, false});
  }

  // Of a name that several sets of ranks share, nobody can be told to be in the same set.
  void AddShared(int64_t sequence) {
    const Members members = Sort(sequence);
    std::vector<int64_t> perhaps = members.absent;
    for (const auto& more : {members.missing, group_.perhaps})
      perhaps.insert(perhaps.end(), more.begin(), more.end());
    if (!members.waiting.empty())
      AddPerhaps(group_.Find(members.waiting.front())->first, members.waiting, perhaps);
  }

  void AddBehind(int64_t rank) {
    const DumpOperation* own = group_.Find(rank)->first;
    const DumpOperation* others = nullptr;
    for (const auto& [other, standing] : group_.standings) {
      if (standing.Finished(own->sequence)) others = standing.first;
    }
    // The first operation that its device did not finish is where it stopped.
    const auto at = waits_.faults.find(rank);
    if (at != waits_.faults.end() &&
        (at->second.kind == WaitKind::kMismatch || at->second.own->record <= own->record))
      return;
    waits_.faults.insert_or_assign(rank,
                                   Fault{WaitKind::kNotFinished, place_, own, others, true, true});
  }

  // Where devices tell when they begin, those that did not are waited for by those that did.
  bool AddNotBegun(const Members& members, const DumpOperation* operation) {
    std::vector<int64_t> begun, waiting;
    for (const int64_t rank : members.waiting) {
      const bool started = group_.Find(rank)->first->state == DumpOperation::State::kStarted;
      if (started) {
        begun.push_back(rank);
      } else if (job_.dumps.at(rank)->sees_starts) {
        waiting.push_back(rank);
      }
    }
    if (begun.empty() || waiting.empty()) return false;
    waits_.waits.push_back({WaitKind::kNotBegun, place_, operation, begun, waiting, true});
    return true;
  }

  const Job& job_;
  const JobGroup& group_;
  size_t place_;
  Waits& waits_;
};

// Of operations that all enqueued, those wait who are at it for those who have another before it.
void AddQueued(const Job& job, Waits& waits) {
  for (const Complete& complete : waits.complete) {
    Wait wait{.kind = WaitKind::kQueued, .group = complete.group, .operation = complete.operation};
    for (const int64_t rank : complete.members) {
      const Job::Front& front = job.fronts.at(rank);
      const DumpOperation* own = job.groups[complete.group].Find(rank)->first;
      (front.operation == own ? wait.waiting : wait.awaited).push_back(rank);
    }
    if (!wait.waiting.empty() && !wait.awaited.empty()) waits.waits.push_back(std::move(wait));
  }
}

}  // namespace

Waits FindWaits(const Job& job) {
  Waits waits;
  for (size_t place = 0; place < job.groups.size(); ++place) {
    Collectives(job, place, waits).Add();
    AddMessageWaits(job, place, waits);
  }
  AddQueued(job, waits);
  AddSeenMessages(job, waits);
  return waits;
}

}  // namespace stepscope::hang
