// Cuts a text into JSON objects: one a line, or one after the other on as many lines as they like.
#pragma once

#include <functional>
#include <string_view>

#include "base/window_stream.h"
#include "goodput/oddities.h"

namespace stepscope::goodput {

inline constexpr size_t kLongestObject = size_t{4} << 20;

// Calls `take` with each object, or with what stands in its place; the view is valid during the
// call. In the form of lines every line that is not blank is one. In the other form text between
// objects counts as a bad line, and so does an object with a line break inside of a string, at
// which the next one is looked for.
void SplitObjects(WindowStream& stream, Oddities& oddities,
                  const std::function<void(std::string_view)>& take);

}  // namespace stepscope::goodput
