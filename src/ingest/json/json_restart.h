// Finds where an element of a list of objects seems to begin, in text that damage may have turned
// inside out: what is a string and what is not is unknown.
#pragma once

#include <cstddef>
#include <string_view>

namespace stepscope {

// A "{" that a key follows. Views are of the text that was searched.
struct JsonStart {
  static constexpr size_t kNone = static_cast<size_t>(-1);

  size_t at = kNone;      // of the bracket
  std::string_view key;   // the first one of the object
  bool begins = false;    // it is the first element of a list
  std::string_view name;  // of that list; empty: not known
};

// How much text before and behind a bracket is looked at.
inline constexpr size_t kStartReach = 512;

// The first one from `from` on that may be an element; none: JsonStart::kNone. Of those nearer to
// the end than kStartReach it sees what is there.
JsonStart FindJsonStart(std::string_view text, size_t from);

}  // namespace stepscope
