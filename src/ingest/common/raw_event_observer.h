// Receives the text of each event while a trace is read, so that it can be written again.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "trace/vocabulary.h"

namespace stepscope {

// An event that could be read. What is damaged is not among them; the trace's notes count it
// (kMalformed).
struct ObservedEvent {
  std::string_view text;  // JSON to the letter, from bracket to bracket; valid during the call
  bool mended = false;    // numbers that JSON cannot hold are null, half a surrogate pair U+FFFD
  bool has_time = false;  // metadata has none, nor has what could not be understood
  Kind kind = Kind::kUnknown;
  int64_t start = 0;           // ns, as in Trace
  int64_t duration = 0;        // ns
  std::string_view name = {};  // as in Trace; valid during the call
};

// A member of the document beside its events, as an event is: `"schemaVersion"` and `1`.
struct ObservedMember {
  std::string_view key, value;
  bool mended = false;
};

// Both functions are called in the order of the file, by one thread.
struct RawEventObserver {
  std::function<void(const ObservedMember&)> member;
  std::function<void(const ObservedEvent&)> event;
};

}  // namespace stepscope
