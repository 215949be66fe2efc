// Reads the members of a trace other than its events: what they say about the trace.
#pragma once

#include <string>
#include <string_view>

#include "trace/trace.h"

namespace stepscope {

// Takes rank and world size ("distributedInfo"), devices ("deviceProperties") and the machine's
// name
// ("host_name") from a member's JSON; any other member, and what is not of the form expected, is
// passed over.
void TakeMember(std::string_view key, const std::string& json, TraceMeta& meta);

}  // namespace stepscope
