// One line of a file.
#include "cli/token_file.h"

#include <fstream>
#include <iterator>

namespace stepscope::cli {

Result<std::string> ReadToken(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string token{std::istreambuf_iterator<char>(in), {}};
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  if (!in || token.empty()) {
    return std::unexpected(Error{"cannot read a token", path, "write one line into this file"});
  }
  return token;
}

}  // namespace stepscope::cli
