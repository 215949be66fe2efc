// Turns errors of the system on a file or directory into sentences with a fix.
#pragma once

#include <string>

#include "stepscope/result.h"

namespace stepscope {

// `what` such as "cannot read the directory", then the system's reason; `number` is an errno, or
// the value of a std::error_code of the system. The hint is empty where no fix is known.
Error SystemError(std::string what, int number, std::string path);

}  // namespace stepscope
