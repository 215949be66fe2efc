// A word, one line of a file, or a variable.
#include "cli/token_flags.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace stepscope::cli {
namespace {

// The first line. Fails when there is none.
Result<std::string> ReadToken(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string token{std::istreambuf_iterator<char>(in), {}};
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  if (!in || token.empty()) {
    return std::unexpected(Error{"cannot read a token", path, "write one line into this file"});
  }
  return token;
}

std::string NotEmpty(const std::string& token) {
  return token.empty() ? "an empty token is none" : "";
}

}  // namespace

void AddTokenFlags(CLI::App& command, TokenFlags& flags, const std::string& says) {
  CLI::Option* token =
      command
          .add_option("--token", flags.token,
                      says + "; the machine's list of processes shows it to everybody")
          ->check(NotEmpty)
          ->option_text("TOKEN");
  command.add_option("--token-file", flags.file, "The same from a file, where nobody else sees it")
      ->excludes(token)
      ->option_text("FILE");
}

Result<std::string> TokenOf(const TokenFlags& flags) {
  if (!flags.file.empty()) return ReadToken(flags.file);
  if (!flags.token.empty()) return flags.token;
  const char* token = std::getenv("STEPSCOPE_TOKEN");
  return token == nullptr ? "" : token;
}

}  // namespace stepscope::cli
