// Tells by their names what ranges are where the host's processors are the device.
#pragma once

#include <vector>

#include "base/string_table.h"
#include "facts/activity/around_collectives.h"

namespace stepscope {

// By name: what a range of this name is, an operator's or, where `compiled`, a compiled program's
// operation.
std::vector<HostMeaning> MeaningsOfNames(const StringTable& names, bool compiled);

}  // namespace stepscope
