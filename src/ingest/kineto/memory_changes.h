// Parses the entries of an exported memory timeline window by window: JSON text in, changes of
// memory out. docs/formats/memory_timeline.md describes the format.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/trace.h"

namespace stepscope {

class MemoryChanges {
 public:
  // Appends to `trace.memory`, which must outlive this. `keep`: else entries are only counted.
  MemoryChanges(Trace& trace, bool keep) : trace_(trace), keep_(keep) {}

  enum class Stop : uint8_t {
    kEndOfText,   // everything before `at` was taken; what follows is part of an entry, or nothing
    kEndOfArray,  // the closing bracket of the list was met; `at` is behind it
  };
  struct Outcome {
    Stop stop;
    char* at;
  };

  // Parses [begin, end), which begins between two entries; `last`: nothing follows. What is no
  // entry is counted and passed over, in one pass whatever the text.
  Outcome Parse(char* begin, char* end, bool last);

  bool found_any() const { return found_; }  // whether there was any entry that could be read

 private:
  void Take(std::string_view entry);
  bool TakeFields(std::string_view entry);

  Trace& trace_;
  bool keep_;
  bool found_ = false;
};

}  // namespace stepscope
