// Tells by which functions communication is started: collectives of Python objects, which pickle on
// the host and send sizes and bytes, and what functions of the user's program call themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "facts/facts.h"
#include "trace/frame_name.h"

namespace stepscope {

struct ObjectCollectives {
  int64_t time = 0;  // ns of communication, of all ranks: what their functions start, where these
                     // were recorded, else gathered bytes, each after one of a few integers
  std::string name;  // of the function with the most time; empty: not recorded
};
ObjectCollectives FindObjectCollectives(const Facts& facts);

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
std::optional<CalledCommunication> FindCalledCommunication(const Facts& facts);

}  // namespace stepscope
