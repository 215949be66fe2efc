// Tells which function of the user's program each Python frame belongs to.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/facts.h"
#include "trace/frame_name.h"

namespace stepscope {

enum class FrameOrigin : uint8_t {
  kUser,
  kPart,     // a part of the user's function that calls it: "<genexpr>", "<lambda>"
  kLibrary,  // in a file of an installed library
  kBuiltIn,  // it has no file
};

// Of each name that a frame has, by StringId; of other names it says nothing. Derived once.
const std::vector<FrameOrigin>& FrameOriginsOf(const Facts& facts);

// Of each frame the one that its time belongs to: the innermost of the user's program around it;
// where there is none, the innermost that has a file. Derived once. REQUIRES: `frames` are of a
// thread of `facts`.
const RangeLinks& FrameOwnersOf(const Facts& facts, const HostFrames& frames);

// Whether it is a part of the function that calls it: "<genexpr>", "<lambda>".
bool IsPartOfCaller(const FrameName& frame);

}  // namespace stepscope
