// Reads and writes the datagrams of libkineto's IPC fabric, as verified on PyTorch 2.15.
//
// A datagram is 40 bytes (u64 payload size, char[32] type, in the machine's order of bytes) and the
// payload. A process asks with "req"; the answer has the same type and the text of a request, or
// nothing. Versions before mid 2026 also send "ctxt", and wait for a number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stepscope/result.h"

namespace stepscope::capture {

inline constexpr size_t kMostDatagram = size_t{1} << 16;  // bytes

// "req": may a request be handed out?
struct Poll {
  int32_t type = 0;           // 0: something is being recorded now
  int64_t job = 0;            // SLURM_JOB_ID, or 0
  std::vector<int32_t> pids;  // its own, then its parents', as its own namespace has them
};

// "ctxt": a device context was made.
struct Context {
  int64_t job = 0;
};

using Message = std::variant<Poll, Context>;

// Fails on any other length, type or count.
Result<Message> ParseMessage(std::string_view datagram);

// The answers. Empty text: nothing is to be recorded.
std::string PollAnswer(std::string_view text);
std::string ContextAnswer();

}  // namespace stepscope::capture
