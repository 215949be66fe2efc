// Reads what a partial says of a recording as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingest/common/recording.h"
#include "trace/condensed.h"

namespace stepscope {

// What is missing or of another type stays as it is. Returns the number of the process, or nothing.
std::string TakeAbout(std::string_view json, Recording& recording, CondensedRecording& condensed);

// The paths of a JSON array; none where it is none.
std::vector<std::string> PathsIn(std::string_view list);

}  // namespace stepscope
