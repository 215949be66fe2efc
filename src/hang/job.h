// Defines a stuck job: its groups, and how far each member came in each.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ingest/flight/rank_dump.h"
#include "ingest/flight/unusable_dump.h"
#include "ingest/stacks/rank_stack.h"
#include "stepscope/phrase.h"
#include "stepscope/sign_of_life.h"

namespace stepscope::hang {

// How far a rank that left a dump came with the collectives of a group.
struct Standing {
  std::vector<const DumpOperation*> operations;  // by sequence, one each; the last finished ones
  const DumpOperation* first = nullptr;          // the first unfinished one; null: none
  int64_t reached = -1;                          // highest sequence it enqueued; -1: not known
  int64_t completed = kAbsent;                   // highest one that it counted as finished

  const DumpOperation* At(int64_t sequence) const;
  bool Finished(int64_t sequence) const;  // enqueued and done, as far as the dump tells
};

struct JobGroup {
  std::string name, description;
  std::vector<int64_t> members;  // global ranks, in the group's order
  bool said = false;             // dumps name the members; else inferred
  // Ranks of which some may be members, where dumps do not tell which.
  std::vector<int64_t> perhaps;
  // There may be members that no dump knows of.
  bool lacks_unknown = false;
  // Several sets of ranks have a group of this name, and dumps do not tell who is in which.
  bool shared = false;
  std::map<int64_t, Standing> standings;  // by rank, of those whose dump has the group
  std::map<int64_t, std::vector<const DumpOperation*>> messages;  // unfinished, point-to-point

  // What people call it.
  const std::string& Shown() const { return description.empty() ? name : description; }
  const Standing* Find(int64_t rank) const;
  int64_t MemberAt(int64_t place) const;  // -1: not known
};

// What NCCL's RAS service says of a rank's process.
enum class RasMark : uint8_t { kNone, kAborted, kLeft, kUnresponsive, kDead };

// Values point into the dumps and stacks, which must outlive the job.
struct Job {
  std::vector<JobGroup> groups;
  std::map<int64_t, const RankDump*> dumps;  // by rank
  std::map<int64_t, UnusableDump> unusable;  // by rank, of those without another dump
  std::set<int64_t> ranks;                   // all that are known of, with a dump or without
  bool on_host = false;                      // operations block the host (gloo)
  bool knows_ranks = false;                  // how many ranks there are is recorded or given
  // A group has fewer known members than others of its kind, and no dump names the rank it lacks.
  bool lacks_ranks = false;
  std::string backend;       // "nccl", of the first dump that says one
  size_t odd_dumps = 0;      // dumps with values that no recorder writes
  bool counts_only = false;  // dumps are counts of NCCL's RAS service, without ends of operations
  // The job may have moved while dumps or counts were taken: then they disagree, and nothing that
  // they tell is certain.
  bool may_move = false;
  // What dumps contradict one another in, or their names, the first such thing: they may be of
  // several jobs, and nothing that they tell is certain. Empty: nothing.
  Phrase contradiction;
  // ns from the last operation that any dump has to the dumps; kAbsent: not known.
  int64_t since_arrival = kAbsent;
  // The unfinished operation that each rank enqueued first, and its group.
  struct Front {
    const DumpOperation* operation = nullptr;
    size_t group = 0;
  };
  std::map<int64_t, Front> fronts;
  std::map<int64_t, const RankStack*> stacks;  // by rank, of those that have one
  std::map<int64_t, RasMark> ras;              // by rank, the worst of all communicators

  bool HasDumps() const { return !dumps.empty(); }
  bool HasDump(int64_t rank) const { return dumps.contains(rank); }
  // Why the rank's dump does not count; null: it does, or there is none.
  const UnusableDump* Unusable(int64_t rank) const {
    const auto at = unusable.find(rank);
    return at == unusable.end() ? nullptr : &at->second;
  }
  // Whether the rank's dump has values that no recorder writes, and most dumps have none: not all
  // recorders are known.
  bool IsOdd(int64_t rank) const {
    const auto at = dumps.find(rank);
    return at != dumps.end() && at->second->odd > 0 && 2 * odd_dumps <= dumps.size();
  }
  bool IsStuck(int64_t rank) const { return fronts.contains(rank); }
  std::map<int64_t, SignOfLife> signs;  // by rank, of goodput events
  const RankStack* StackOf(int64_t rank) const {
    const auto at = stacks.find(rank);
    return at == stacks.end() ? nullptr : at->second;
  }
  RasMark MarkOf(int64_t rank) const {
    const auto at = ras.find(rank);
    return at == ras.end() ? RasMark::kNone : at->second;
  }
  // By its stack the rank waits in a point-to-point operation.
  bool InMessage(int64_t rank) const;
};

}  // namespace stepscope::hang
