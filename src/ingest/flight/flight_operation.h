// Reads what a Flight Recorder calls an operation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

struct OperationName {
  std::string backend;         // "nccl"; empty where there is none
  std::string name;            // "all_gather" of "_all_gather_base" stays "_all_gather_base"
  int64_t from = -1, to = -1;  // of "send 0->3" and "recv 3<-0": sender and receiver
};

// Of "nccl:all_reduce", "xccl:send 0->3", "nccl:recv 3<-0" and whatever else a back end writes.
OperationName ReadOperationName(std::string_view text);

// Whether no member can finish the operation before all members began it.
bool Synchronizes(std::string_view name);

// Which of a rank's sizes must be equal on all members.
enum class Compared : uint8_t { kNothing, kInput, kOutput };
Compared ComparedSizes(std::string_view name);

}  // namespace stepscope
