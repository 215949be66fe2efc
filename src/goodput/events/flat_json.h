// Parses JSON objects without nested values in one pass; nearly all entries are such objects.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "goodput/events/entry.h"

namespace stepscope::goodput {

// Most objects differ from the previous one only in numbers; then the rest is compared, not parsed.
class FlatJson {
 public:
  // Fills `entry` from `text`, one object; its texts are valid until the next call. False when the
  // object is not flat and plain (nested values, escapes, more than this reader wants to know), or
  // is no valid JSON: a real parser must tell which, and what it holds.
  bool Read(std::string_view text, Entry& entry);

  // Whether `text` begins with what Read() got last, but for its numbers: takes that off its front
  // and gives `entry` the numbers, so that it is what Read() would make of it. Otherwise the text
  // stays as it is. `entry` is the one of Read(), which nobody changed but after false.
  bool ReadAsBefore(std::string_view& text, Entry& entry) const;

 private:
  bool ReadAll(std::string_view text, Entry& entry);
  bool TakeValue(const char*& p, const char* end, Field field, Entry& entry);
  Field NextField(const char*& p, const char* end);

  // The fields of the object before in their order, as a guess for this one.
  static constexpr size_t kGuesses = 32;
  Field before_[kGuesses] = {};
  size_t at_ = 0;

  // The object before, cut at its numbers. `entry` has its texts as views of `shape_`.
  struct Number {
    size_t begin, end;  // in the shape
    Field field;
  };
  std::string shape_;  // empty: there is none to go by
  std::vector<Number> numbers_;
  const char* text_ = nullptr;  // of the object that is read
  uint64_t fields_ = 0;         // that it named
  bool repeated_ = false;       // one of them twice: then their order counts
};

}  // namespace stepscope::goodput
