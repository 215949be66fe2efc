// Finds the process of this machine that listens at an address.
#pragma once

#include <optional>

#include "capture/common/process.h"
#include "http/stream.h"

namespace stepscope::capture {

// None where the address is of another machine, or its process is not to be seen.
std::optional<Process> ProcessListening(const http::Endpoint& at);

}  // namespace stepscope::capture
