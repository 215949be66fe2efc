// Names of files reach the disk with the folder they are in.
#pragma once

#include <string>

#include "stepscope/result.h"

namespace stepscope {

// Has the disk hold the names in `folder`.
Result<void> SyncFolder(const std::string& folder);

}  // namespace stepscope
