// Adds options of servers: where they listen, and the token that they share with their callers.
#pragma once

#include <string>

#include "cli/command.h"
#include "stepscope/result.h"

namespace stepscope::cli {

// --host, --port and --allow-host.
void AddListening(Command& command, std::string& host, int& port,
                  std::vector<std::string>& allow_hosts);

struct TokenFlags {
  std::string token, file;
};

// --token-file and --token, of which one may be given.
void AddTokenFlags(Command& command, TokenFlags& flags);

// The token that was given, or STEPSCOPE_TOKEN of the environment; empty: none. Fails when the file
// holds no token.
Result<std::string> TokenOf(const TokenFlags& flags);

// An error about the token, with the place that it came from instead of the field.
Error WithTokenSource(Error error, const TokenFlags& flags);

}  // namespace stepscope::cli
