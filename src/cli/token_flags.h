// The token that a server and those who ask it share: how commands are given it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "stepscope/result.h"

namespace stepscope::cli {

struct TokenFlags {
  std::string token, file;
};

// --token and --token-file, of which one may be given; `says` is what the token is.
void AddTokenFlags(CLI::App& command, TokenFlags& flags, const std::string& message);

// The token that was given; else that of the environment, STEPSCOPE_TOKEN; empty: none. Fails when
// the file holds none.
Result<std::string> TokenOf(const TokenFlags& flags);

}  // namespace stepscope::cli
