// Reads --no-redact and --keep of commands whose output leaves the machine.
#pragma once

#include <optional>

#include "cli/command.h"
#include "stepscope/session.h"

namespace stepscope::cli {

struct RedactFlags {
  RedactOptions options;
  bool off = false;
};

// Adds both options.
void AddRedaction(Command& command, RedactFlags& flags);
// What they ask for; empty: nothing is replaced.
std::optional<RedactOptions> RedactionOf(const RedactFlags& flags);

}  // namespace stepscope::cli
