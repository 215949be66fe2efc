// Marks events of a trace that are part of something, by their times and names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/string_table.h"
#include "trace/vocabulary.h"

namespace stepscope {

inline constexpr uint32_t kNoPattern = UINT32_MAX;

struct EventMark {
  bool critical = false;          // on the critical path, or around what is on it
  uint32_t pattern = kNoPattern;  // index into EventMarks::patterns
};

// `names` must outlive it.
class EventMarks {
 public:
  explicit EventMarks(const StringTable& names) : names_(&names) {}

  // The mark of the event with these times and this name; a new one if it has none.
  EventMark& Of(int64_t start, int64_t end, StringId name) { return marks_[{start, end, name}]; }
  // Null if it has none.
  const EventMark* Find(int64_t start, int64_t end, std::string_view name) const;
  bool empty() const { return marks_.empty(); }

  // What is added to the arguments of an event with this mark, as members of a JSON object:
  // `"critical": 1`.
  std::string ArgumentsOf(const EventMark& mark) const;
  // Whether a viewer that shows only critical events is to see one of this kind. Annotations,
  // Python's frames and memory say where they are.
  static bool StaysWithCritical(Kind kind);

  // Sequences of kernels as JSON, with how often they occur: `"aten::addmm|gemm|add": 12`.
  std::vector<std::string> patterns;
  bool only_critical = false;

 private:
  struct Key {
    int64_t start, end;
    StringId name;
    bool operator==(const Key&) const = default;
  };
  struct HashOfKey {
    size_t operator()(const Key& key) const {
      const uint64_t times = static_cast<uint64_t>(key.start) * 31 + static_cast<uint64_t>(key.end);
      return (times * 31 + key.name) * 0x9e3779b97f4a7c15 >> 8;
    }
  };

  const StringTable* names_;
  std::unordered_map<Key, EventMark, HashOfKey> marks_;
};

// The JSON text of an event with more members in its "args"; the text as it is if it has arguments
// of another kind than an object.
std::string WithArguments(std::string_view event, std::string_view members);

}  // namespace stepscope
