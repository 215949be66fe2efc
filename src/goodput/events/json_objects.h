// Cuts a text into JSON objects: one a line, or one after the other on as many lines as they like.
#pragma once

#include <functional>
#include <string_view>

#include "base/window_stream.h"
#include "goodput/events/notes.h"

namespace stepscope::goodput {

inline constexpr size_t kLongestObject = size_t{4} << 20;

struct ObjectTaker {
  // Takes objects off the front of a text, each with the line break behind it, as many as can be
  // told without a look for their ends. The text may end in the middle of one.
  std::function<void(std::string_view& text)> take_known;
  // Takes any object.
  std::function<void(std::string_view object)> take;
};

// Hands each object to `taker`, or what stands in its place; views are valid during the call. In
// the form of lines every line that is not blank is one. In the other form text between objects
// counts as a bad line, and so does an object with a line break inside of a string, at which the
// next one is looked for.
void SplitObjects(WindowStream& stream, Notes& note_counts, const ObjectTaker& taker);

}  // namespace stepscope::goodput
