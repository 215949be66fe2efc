// Holds the communication kernels of all ranks before they are matched.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "facts/activity/rank_activity.h"
#include "facts/collectives/collective_facts.h"

namespace stepscope {

// What a kernel says about its collective, each combination once.
struct CollectiveDescription {
  CollectiveOp op = CollectiveOp::kOther;
  StringId operation = kNoString;
  int64_t bytes = -1;
  uint64_t label = 0;  // equal where ranks did the same
};

// A communication kernel.
struct CollectiveItem {
  int64_t sequence = -1;
  uint32_t group = 0;
  uint32_t member = 0;   // a device of a rank, whether it is a participant of its own or not
  uint32_t lane = 0;     // which of its member's streams; 0 where it names its group
  uint32_t ordinal = 0;  // among those of this member with this sequence number
  uint32_t recording = 0;
  uint32_t activity = 0;
  uint32_t description = 0;
};

struct CollectiveItems {
  std::vector<CollectiveItem> items;  // by recording, then work
  std::vector<CollectiveDescription> descriptions;
  std::vector<uint32_t> member_rank;  // index into CollectiveFacts::ranks
  std::vector<bool> named;            // by group: whether the trace names it
};

// How the rank describes its group with these members; empty: not at all, or several groups of
// these members in different ways.
std::string ListedDescription(const RankActivity& rank, std::span<const int64_t> members);

// Collects them, and fills in `facts.ranks` and `facts.groups`. `ranks`: by rank, then window.
CollectiveItems CollectItems(const StringTable& names, std::span<const RankActivity> ranks,
                             CollectiveFacts& facts);

}  // namespace stepscope
