// Reads the JSON that cells of rocprofv3's databases hold.
#pragma once

#include <string>
#include <string_view>

#include "ingest/common/launched_rank.h"
#include "ingest/rocprof/agent.h"

namespace stepscope::rocprof {

// The text of a member; empty where there is none.
std::string MemberOf(std::string_view json, const char* key);

// Of the environment only the launcher's numbers are looked at.
void TakeEnvironment(std::string_view json, LaunchedRank& launched);

// Of what the JSON form has of an agent; its name and device aside.
DeviceProperties PropertiesOf(std::string_view json);

}  // namespace stepscope::rocprof
