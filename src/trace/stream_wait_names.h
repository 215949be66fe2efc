// Names the records of a stream's wait for another one.
#pragma once

#include <string_view>

namespace stepscope {

// As profilers call it. In the trace of a partial it reaches from the end of what was waited for to
// the start of what waited, and has the second name where not all waits of the recording are told.
inline constexpr std::string_view kStreamWait = "Stream Wait Event";
inline constexpr std::string_view kStreamWaitOfSome = "Stream Wait";

}  // namespace stepscope
