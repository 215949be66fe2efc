// Checks that a piece of text is JSON to the letter, so that it can be copied into a document.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/json/json_index.h"

namespace stepscope {

// What every parser takes: RFC 8259, at most kMostLevels deep, each number finite as a double, and
// surrogates in pairs. Two things are mended, because what they mean is certain: a number that is
// none or too large (NaN, Infinity, 1e999) becomes null, half of a surrogate pair U+FFFD.
class StrictJson {
 public:
  static constexpr size_t kMostLevels = 500;
  enum class Outcome : uint8_t { kJson, kMended, kNoJson };

  // Checks the value at hand, brackets and all. REQUIRES: the indexed text is UTF-8 and no string
  // in it holds control characters (JsonIndex::Outcome::kIndexed).
  Outcome Check(JsonWalk walk);

  // Checks a text that is to be one value without space around it. No JSON either: a text that is
  // not UTF-8, or has control characters in strings.
  Outcome CheckWhole(const std::string& text);

  // The text of the value, as it stands or mended; valid until the next Check, and as long as the
  // text. REQUIRES: the outcome was not kNoJson.
  std::string_view text() const { return text_; }

 private:
  struct Edit {
    const char* at;
    size_t length;
    std::string_view by;
  };

  bool Value(JsonWalk& walk);
  bool Opened(JsonWalk& walk, bool object);
  bool Key(JsonWalk& walk);
  bool Text(JsonWalk& walk);
  bool Scalar(JsonWalk& walk);
  void Mend(std::string_view original);

  JsonIndex index_;            // of CheckWhole
  std::vector<bool> objects_;  // what is open: an object, or an array
  std::vector<Edit> edits_;
  bool plain_ = false;  // no string has an escape
  std::string mended_;
  std::string_view text_;
};

}  // namespace stepscope
