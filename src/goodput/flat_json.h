// A JSON object without nested values, read in one pass: what nearly all entries are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "goodput/entry.h"

namespace stepscope::goodput {

// Reads lines that mostly look like the line before: where only numbers differ from it, the rest is
// compared and not read again.
class FlatJson {
 public:
  // Fills `entry` from `text`, one object; its texts are valid until the next call. False when the
  // object is not flat and plain (nested values, escapes, more than this reader wants to know), or
  // is no valid JSON: a real parser must tell which, and what it holds. `entry` is the same at
  // every call, and nobody else changes it but after false or while it is empty.
  bool Read(std::string_view text, Entry& entry);

 private:
  bool ReadAsBefore(std::string_view text, Entry& entry) const;
  bool ReadAll(std::string_view text, Entry& entry);
  bool TakeValue(const char*& p, const char* end, Field field, Entry& entry);
  Field NextField(const char*& p, const char* end);

  // The fields of the line before in their order, as a guess for this one.
  static constexpr size_t kGuesses = 32;
  Field before_[kGuesses] = {};
  size_t at_ = 0;

  // The line before, cut at its numbers. `entry` has its texts as views of `shape_`.
  struct Number {
    size_t begin, end;  // in the shape
    Field field;
  };
  std::string shape_;  // empty: there is none to go by
  std::vector<Number> numbers_;
  const char* text_ = nullptr;  // of the line that is read
  uint64_t fields_ = 0;         // that the line named
  bool repeated_ = false;       // one of them twice: then their order counts
};

}  // namespace stepscope::goodput
