// Serves the page until a signal ends it, for commands that open what they made.
#pragma once

#include <functional>

#include "stepscope/result.h"
#include "stepscope/server.h"

namespace stepscope::cli {

// Prints the address, and opens it in a browser if `open`. Returns an exit code only if it cannot
// begin, with the error as `explain` has it; SIGINT or SIGTERM ends the program.
int ServeUntilEnded(const PageServerOptions& options, bool open,
                    const std::function<Error(Error)>& explain = {});

}  // namespace stepscope::cli
