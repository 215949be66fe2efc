// Tells by their names what ranges are where the host's processors are the device.
#pragma once

#include <vector>

#include "base/string_table.h"
#include "facts/activity/around_collectives.h"
#include "facts/activity/host_ops.h"

namespace stepscope {

// By name: what a range of this name is, an operator's or, where `compiled`, a compiled program's
// operation: of one that the program calls a collective, that.
std::vector<HostMeaning> MeaningsOfNames(const HostOps& host, const StringTable& names,
                                         bool compiled);

// Of an operation of a compiled program: what that says, or else by name.
HostMeaning MeaningOfOperation(const RangeDetail& detail, const StringTable& names, StringId name);

}  // namespace stepscope
