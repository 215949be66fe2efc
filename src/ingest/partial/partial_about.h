// Reads what a partial says of a recording as JSON.
#pragma once

#include <string_view>

#include "ingest/common/recording.h"
#include "trace/condensed.h"

namespace stepscope {

// What is missing or of another type stays as it is.
void TakeAbout(std::string_view json, Recording& recording, CondensedRecording& condensed);

}  // namespace stepscope
