// Places all work of a step in time, where ranks wait for one another again and again.
//
// Work begins when its host has launched it and all that it comes after has ended. A collective, or
// a message, ends on all that meet in it at the same moment: a while after the last of them began.
#pragma once

#include <cstdint>
#include <span>

#include "demo/launch.h"

namespace stepscope::demo {

// Sets the slots of the launches of each rank; a rank's stand in the order in which it launched
// them. The order in which ranks stand changes nothing.
//
// Returns how many launches have no time because their meetings never came about: 0, as long as all
// ranks launch what others wait for in the same order.
size_t PlaceLaunches(uint64_t seed, std::span<const std::span<Launch>> ranks);

}  // namespace stepscope::demo
