// A request to libkineto as text, of checked values alone.
//
// Before kineto's change 1498 a value out of range ended the training process, and so did a start
// more than 10 s ago.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "stepscope/result.h"

namespace stepscope::capture {

// Recording begins no earlier than this after the process has the request: it enables its tracers
// first, and on a busy machine takes its time.
inline constexpr int64_t kWarmUp = 1'000'000'000;  // ns
inline constexpr int64_t kLead = kWarmUp + 2'000'000'000;

struct TraceRequest {
  std::string file;        // absolute; ends in ".json"; the process adds "_PID" before that
  int64_t duration = 0;    // ns
  int64_t iterations = 0;  // optimizer steps; 0: `duration` counts
  int64_t start = 0;       // a moment; 0: as soon as possible. Moved if it is too near.
  bool shapes = false;
  bool stacks = false;
  std::string text;  // of a dyno script: checked lines, instead of all of the above
};

struct RequestText {
  std::string text;
  int64_t start = 0;  // a moment; 0: with the next step
};

// The text for a process that gets it at `now`. Fails for values that libkineto refuses.
Result<RequestText> TextOf(const TraceRequest& request, int64_t now);

// The lines KEY=VALUE of somebody else's request, if every key and value is one that libkineto
// takes and the file lies below one of `folders`. A start is left out: it is set when handed out.
Result<std::map<std::string, std::string>> CheckLines(std::string_view text,
                                                      std::span<const std::string> folders);

}  // namespace stepscope::capture
