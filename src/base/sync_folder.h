// Syncs a directory, so that the names of its files are on disk.
#pragma once

#include <string>

#include "stepscope/result.h"

namespace stepscope {

// Has the disk hold the names in `folder`.
Result<void> SyncFolder(const std::string& folder);

}  // namespace stepscope
