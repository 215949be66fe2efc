// A JSON object without nested values, read in one pass: what nearly all entries are.
#pragma once

#include <string_view>

#include "goodput/entry.h"

namespace stepscope::goodput {

// Reads lines that mostly look like the line before.
class FlatJson {
 public:
  // Fills `entry` from `text`, one object; its texts are views of `text`. False when the object is
  // not flat and plain (nested values, escapes, more than this reader wants to know), or is no
  // valid JSON: a real parser must tell which, and what it holds.
  bool Read(std::string_view text, Entry& entry);

 private:
  Field NextField(const char*& p, const char* end);

  // The fields of the line before in their order, as a guess for this one.
  static constexpr size_t kGuesses = 32;
  Field before_[kGuesses] = {};
  size_t at_ = 0;
};

}  // namespace stepscope::goodput
