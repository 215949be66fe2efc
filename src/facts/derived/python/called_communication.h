// Tells by which functions of the user's program communication is started.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/intervals.h"
#include "facts/facts.h"
#include "trace/frame_name.h"

namespace stepscope {

// Communication that a function of the user's program starts: it calls torch.distributed with no
// library between, as DistributedDataParallel and FSDP are, and not within the model's forward and
// backward pass, to which its communication belongs.
struct CalledCommunication {
  FrameName caller;
  std::string function;     // of torch.distributed, with the most time: "all_gather_object"
  bool of_objects = false;  // it pickles
  int64_t time = 0;         // ns in which any of it ran, of all ranks, of the caller's calls
};
// Of the caller with the most time; nothing where none is known.
const std::optional<CalledCommunication>& CalledCommunicationOf(const Facts& facts);

// ns in which any of it ran, of all ranks: what the training threads start in calls of a function.
int64_t CommunicationIn(const Facts& facts, const FrameName& function);

// Whether it is a part of all communication that counts.
constexpr bool CountsIn(int64_t time, int64_t communication) {
  return time > 0 && time >= communication / 4;
}

// The communication that begins in the calls, in order.
std::vector<Interval> CommunicationOf(const RankActivity& rank, std::vector<Interval> calls);

// Whether the function of torch.distributed pickles on the host, and sends sizes before bytes.
bool IsObjectCollective(std::string_view function);

}  // namespace stepscope
