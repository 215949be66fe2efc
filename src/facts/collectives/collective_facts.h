// Collectives as facts: each with the part that every rank had in it, and the sums of each rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/string_table.h"
#include "facts/activity/activity_list.h"
#include "facts/collectives/clock.h"
#include "facts/collectives/collective_op.h"

namespace stepscope {

inline constexpr uint32_t kNobody = UINT32_MAX;

// What one rank did in a collective.
struct CollectivePart {
  uint32_t rank = 0;       // index into CollectiveFacts::ranks: the participant
  uint32_t recording = 0;  // index into Facts::ranks
  uint32_t activity = 0;   // index into RankActivity::activities
  int64_t start = 0;       // ns, on the rank's own clock
  int64_t end = 0;
  // From its own start to that of the last rank, at most its duration; the rest is transfer.
  // kNoTime: not known, since the collective does not hold all ranks up, or clocks are not aligned.
  int64_t wait = kNoTime;

  int64_t duration() const { return end - start; }
};

struct CollectiveMatch {
  uint32_t group = 0;     // index into CollectiveFacts::groups
  int64_t sequence = -1;  // its number in the group, or its place in the order; -1: none
  CollectiveOp op = CollectiveOp::kOther;
  StringId operation = kNoString;  // as the trace calls it
  int64_t bytes = -1;              // as nccl-tests counts it (CollectiveBytes)
  uint32_t first = 0, count = 0;   // its parts; one part: found on no other rank
  uint32_t last = kNobody;         // index into CollectiveFacts::parts: who arrived last

  bool Matched() const { return count >= 2; }
};

// A rank that did something else than the others at the same place.
struct CollectiveMismatch {
  uint32_t match = 0;  // index into CollectiveFacts::matches: what the others did
  uint32_t rank = 0;   // index into CollectiveFacts::ranks
  CollectiveOp op = CollectiveOp::kOther;
  StringId operation = kNoString;
  int64_t bytes = -1;
};

struct CollectiveGroup {
  std::string label;             // its name, with the members where several groups have that name
  int64_t size = -1;             // ranks in it; -1: the trace does not say
  std::vector<int64_t> members;  // ranks in it, recorded or not, ascending; empty: unknown
  std::string description;       // by whoever made it, "TENSOR_MODEL_PARALLEL_GROUP"; may be empty
  int64_t present = 0;           // participants of it that were recorded
  bool numbered = true;          // matched by sequence number; else by order
  // The name stands for several groups that cannot be told apart: nothing in it was matched.
  bool ambiguous = false;
};

// A participant: all recordings of one rank together, or one device of it where several of a rank's
// devices communicate, as in one process of TensorFlow or JAX.
struct RankCollectives {
  int64_t rank = 0;
  int64_t device = -1;  // -1: the rank's only participant
  std::string machine;  // its name; empty: unknown
  Clock clock;
  int64_t matched = 0;
  int64_t unmatched = 0;       // point_to_point and mismatched included
  int64_t point_to_point = 0;  // sends and receives, which are not matched
  int64_t mismatched = 0;
  int64_t wait = 0;        // ns, of all its collectives that could be split
  int64_t transfer = 0;    // ns, the rest of their durations
  int64_t split = 0;       // how many these are
  int64_t blame = 0;       // ns that others waited for it as the last to arrive
  int64_t times_last = 0;  // how often it was
};

// Whether they ran on machines with one name, which says little: many are "localhost".
inline bool OnOneMachine(const RankCollectives& a, const RankCollectives& b) {
  return !a.machine.empty() && a.machine == b.machine;
}

struct CollectiveFacts {
  std::vector<CollectiveGroup> groups;
  std::vector<CollectiveMatch> matches;  // by group, then sequence
  std::vector<CollectivePart> parts;     // of each match, by rank
  std::vector<CollectiveMismatch> mismatches;
  std::vector<RankCollectives> ranks;  // participants, of every rank that was recorded; ascending
  int64_t unconfirmed = 0;             // collectives whose order alone did not tell their place

  std::span<const CollectivePart> Parts(const CollectiveMatch& m) const {
    return std::span(parts).subspan(m.first, m.count);
  }
  // The participants of a rank.
  std::span<const RankCollectives> OfRank(int64_t rank) const {
    const auto [first, last] = std::ranges::equal_range(ranks, rank, {}, &RankCollectives::rank);
    return {first, last};
  }
  // Index of the participant that a device of a rank is, or kNobody: it only serves others.
  uint32_t ParticipantOf(int64_t rank, int64_t device) const {
    for (const RankCollectives& r : OfRank(rank)) {
      if (r.device == -1 || r.device == device) return static_cast<uint32_t>(&r - ranks.data());
    }
    return kNobody;
  }
  // Whether participants are devices, not ranks.
  bool HasDevices() const {
    return std::ranges::any_of(ranks, [](const RankCollectives& r) { return r.device >= 0; });
  }
};

}  // namespace stepscope
