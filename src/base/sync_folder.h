// Syncs a directory, so that the names of its files are on disk.
#pragma once

#include <string>

#include "stepscope/result.h"

namespace stepscope {

// Has the disk hold the names in `folder`.
Result<void> SyncFolder(const std::string& folder);

// Syncs all that was written to the file system of a directory: cheaper than many files each.
Result<void> SyncFileSystem(const std::string& folder);

}  // namespace stepscope
