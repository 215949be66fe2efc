// Matches sends with receives of other ranks.
//
// No number that a trace has is the same on both ends of a message (each rank counts its own). But
// with NCCL both ends leave together, so the two lists of one pair of ranks in one group are walked
// by the ends of their messages, on aligned clocks: an event that was not recorded leaves one
// message alone, and shifts no other. Stages of a pipeline may share nothing but messages: then
// these join their clocks.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

struct Message {
  uint32_t send = kNobody, receive = kNobody;  // indices into CollectiveFacts::parts
};

// What puts the aligned times of a participant on a clock common to all of its set: `shift` is to
// be added to them.
struct CommonClock {
  uint32_t set = 0;  // equal where times can be compared
  int64_t shift = 0;
};

// A send or receive whose other end is a rank without a trace.
struct LoneMessage {
  uint32_t part = kNobody;  // index into CollectiveFacts::parts
  int64_t absent = -1;      // its rank
};

struct Messages {
  std::vector<CommonClock> clocks;  // of each of CollectiveFacts::ranks
  std::vector<Message> matched;     // by group, sender, receiver, then end
  std::vector<LoneMessage> lone;    // in no order
  int64_t unmatched = 0;            // sends and receives, those too
};

const Messages& MessagesOf(const Facts& facts);

}  // namespace stepscope
