// Writes what a recording says of itself, which is no row of its own, as JSON.
#pragma once

#include <string>

#include "condense/recording.h"

namespace stepscope {

// `coarse`: DeviceBlocks::coarse; told as a note.
std::string AboutOf(const RecordingToCondense& recording, const Facts& facts, bool coarse);

}  // namespace stepscope
