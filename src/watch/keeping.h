// Keeps the traces of windows in folders of their own, and removes the oldest beyond a limit.
#pragma once

#include <cstdint>
#include <string>

#include "stepscope/result.h"

namespace stepscope {

// Where the trace of a window is captured, FOLDER/window-SECONDS, made new and private to the user.
Result<std::string> MakeWindowFolder(const std::string& folder, int64_t time);

// Removes it with all in it. Only a folder that MakeWindowFolder() named is removed.
void RemoveWindowFolder(const std::string& path);

// Removes the oldest folders of windows until they are at most `runs` and have at most `bytes`
// together; never `spared`, the newest.
void RemoveOldest(const std::string& folder, int64_t runs, int64_t bytes,
                  const std::string& spared);

}  // namespace stepscope
