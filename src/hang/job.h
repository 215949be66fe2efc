// Defines a stuck job: its groups, and how far each member came in each.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ingest/flight/rank_dump.h"

namespace stepscope::hang {

// How far a rank that left a dump came with the collectives of a group.
struct Standing {
  std::vector<const DumpOperation*> operations;  // by sequence, one each; the last finished ones
  const DumpOperation* first = nullptr;          // the first unfinished one; null: none
  int64_t reached = -1;                          // highest sequence it enqueued; -1: not known

  const DumpOperation* At(int64_t sequence) const;
  bool Finished(int64_t sequence) const;  // enqueued and done, as far as the dump tells
};

struct JobGroup {
  std::string name, description;
  std::vector<int64_t> members;  // global ranks, in the group's order
  bool said = false;             // dumps name the members; else inferred
  // Ranks without a dump of which some may be members, where it is not known which.
  std::vector<int64_t> perhaps;
  std::map<int64_t, Standing> standings;  // by rank, of those whose dump has the group
  std::map<int64_t, std::vector<const DumpOperation*>> messages;  // unfinished, point-to-point

  const Standing* Find(int64_t rank) const;
  int64_t MemberAt(int64_t place) const;  // -1: not known
};

// Values point into the dumps, which must outlive the job.
struct Job {
  std::vector<JobGroup> groups;
  std::map<int64_t, const RankDump*> dumps;  // by rank
  std::set<int64_t> ranks;                   // all that are known of, with a dump or without
  bool on_host = false;                      // operations block the host (gloo)
  // The unfinished operation that each rank enqueued first, and its group.
  struct Front {
    const DumpOperation* operation = nullptr;
    size_t group = 0;
  };
  std::map<int64_t, Front> fronts;

  bool HasDump(int64_t rank) const { return dumps.contains(rank); }
  bool IsStuck(int64_t rank) const { return fronts.contains(rank); }
};

}  // namespace stepscope::hang
