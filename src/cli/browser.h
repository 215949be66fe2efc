// Opening an address in the browser of whoever sits at this machine.
#pragma once

#include <string>

#include "stepscope/result.h"

namespace stepscope::cli {

// By xdg-open, of a file that only this user may read and that leads to `url`: others can read the
// arguments of programs, and so the token in it. The file stays for the browser to read, in the
// folder of temporary files. Does not wait for the browser. Fails where there is no desktop.
Result<void> OpenInBrowser(const std::string& url);

}  // namespace stepscope::cli
