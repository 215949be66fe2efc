// Reads tokens.
#include "cli/server_flags.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace stepscope::cli {
namespace {

constexpr size_t kLongestToken = 1024;  // it is part of an address
constexpr const char* kTokenVariable = "STEPSCOPE_TOKEN";

std::unexpected<Error> NoToken(const std::string& what, const std::string& path) {
  return std::unexpected(
      Error{"cannot read a token: " + what, path, "write the token into it, as its only line"});
}

// The only line of an ordinary file, without the space around it.
Result<std::string> ReadToken(const std::string& path) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return NoToken("no such file", path);
  if (!std::filesystem::is_regular_file(path, error)) return NoToken("not a file", path);
  std::ifstream in(path, std::ios::binary);
  if (!in) return NoToken(std::strerror(errno), path);
  std::string text(kLongestToken + 2, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  const size_t first = text.find_first_not_of(kSpace);
  if (first == text.npos) return NoToken("the file is empty", path);
  text = text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
  if (text.size() > kLongestToken) return NoToken("longer than 1024 bytes", path);
  if (text.find_first_of("\r\n") != text.npos) return NoToken("it has several lines", path);
  return text;
}

}  // namespace

void AddListening(Command& command, std::string& host, int& port,
                  std::vector<std::string>& allow_hosts) {
  command.Take("--host", host);
  command.Take("--port", port).Range(0, 65535).Default(std::to_string(port));
  command.TakeEach("--allow-host", [&allow_hosts](const std::string& name) -> Result<void> {
    allow_hosts.push_back(name);
    return {};
  });
}

void AddTokenFlags(Command& command, TokenFlags& flags) {
  command.Take("--token-file", flags.file).Excludes("--token");
  Option& token = command.Take("--token", flags.token);
  token.store = [&flags](const std::string& text) -> Result<void> {
    if (text.empty()) return std::unexpected(Error{"the token is empty", "", ""});
    flags.token = text;
    return {};
  };
}

Result<std::string> TokenOf(const TokenFlags& flags) {
  if (!flags.file.empty()) return ReadToken(flags.file);
  if (!flags.token.empty()) return flags.token;
  const char* token = std::getenv(kTokenVariable);
  return token == nullptr ? "" : token;
}

Error WithTokenSource(Error error, const TokenFlags& flags) {
  if (error.where != "`token`") return error;
  error.where = !flags.file.empty()    ? flags.file
                : !flags.token.empty() ? "--token"
                                       : kTokenVariable;
  return error;
}

}  // namespace stepscope::cli
