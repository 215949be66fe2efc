// Lists the process groups of a job, with their members and what runs in them.
//
// Messages are told apart from collectives: what sends and receives join is a group of its own,
// since pipelines may send in a group that all ranks are in.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

// Calls of recorded ranks.
struct GroupUse {
  int64_t reductions = 0;   // all-reduce, reduce-scatter
  int64_t all_reduces = 0;  // of these
  int64_t gathers = 0;      // all-gather
  int64_t all_to_alls = 0;
  int64_t messages = 0;  // sends and receives
  int64_t others = 0;
  int64_t exchanges = 0;   // of these: all-to-alls or messages, their names do not tell
  int64_t of_experts = 0;  // of these: kernels that send tokens to experts and back, by name

  void Add(const GroupUse& other);
  int64_t Total() const { return reductions + gathers + all_to_alls + messages + others; }
};

struct ProcessGroup {
  std::vector<uint32_t> entries;  // index into CollectiveFacts::groups; empty: it was only listed
  std::string description;        // may be empty
  // Seats, ascending: ranks of the job, or indices into CollectiveFacts::ranks where devices of one
  // process communicate. Empty: unknown.
  std::vector<int64_t> members;
  bool complete = false;  // these are all members
  int64_t size = -1;      // -1: unknown
  bool of_messages = false;
  // Of messages: whether the members form a chain whose first one begins steps with a send, and
  // whose last one with a receive.
  bool is_chain = false;
  GroupUse use;
};

// Messages from one rank of the job to another: how many in each step, by its number.
struct MessageFlow {
  std::map<int64_t, int64_t> sends, receives;  // as their own ranks recorded them
};

struct ProcessGroups {
  std::vector<ProcessGroup> groups;
  // By sender and receiver, of all groups, within steps.
  std::map<std::pair<int64_t, int64_t>, MessageFlow> flows;
  std::vector<uint32_t> of_collectives;  // of each of CollectiveFacts::groups; kNobody: none
  std::map<std::pair<uint32_t, int64_t>, uint32_t> of_messages;  // by entry and seat
  bool devices = false;                                          // seats are devices
  int64_t world = 1;                                             // ranks, or devices, of the job

  // The seat of a participant.
  int64_t SeatOf(const CollectiveFacts& facts, uint32_t participant) const {
    return devices ? participant : facts.ranks[participant].rank;
  }
  // The group in which a part of a match communicates, or kNobody.
  uint32_t Of(const CollectiveFacts& facts, const CollectiveMatch& match,
              const CollectivePart& part) const;
};

const ProcessGroups& ProcessGroupsOf(const Facts& facts);

}  // namespace stepscope
