// Opens an address in the browser of this desktop.
#pragma once

#include <string>

#include "stepscope/result.h"

namespace stepscope::cli {

// Runs xdg-open on a file that only this user can read and that redirects to `url`: other users can
// read the arguments of programs, and so the token. The file stays, in the directory of temporary
// files. Does not wait for the browser. Fails without a desktop.
Result<void> OpenInBrowser(const std::string& url);

}  // namespace stepscope::cli
