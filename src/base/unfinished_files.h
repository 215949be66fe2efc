// Knows the temporary files of this process that have a name, so that none is left when it is told
// to end.
#pragma once

#include <sys/types.h>

#include <string>

namespace stepscope {

// As open(); none is created after RemoveUnfinishedForGood() has looked.
int CreateUnfinished(const std::string& path, int flags, mode_t mode);
void AddUnfinished(const std::string& path);
void ForgetUnfinished(const std::string& path);

// Removes them all. No further one can begin: REQUIRES that the process ends right after.
void RemoveUnfinishedForGood();

}  // namespace stepscope
