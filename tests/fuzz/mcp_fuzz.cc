// Fuzzes the server for assistants: whatever lines come in, what goes out is messages of JSON-RPC,
// one a line, and the server ends with its input.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "stepscope/mcp.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::mcp_fuzz {
namespace {

using Json = nlohmann::json;

// An empty directory: nothing is read from it.
const std::string& Root() {
  static const std::string root = [] {
    const auto path = std::filesystem::temp_directory_path() / "stepscope-mcp-fuzz";
    std::filesystem::create_directories(path);
    return path.string();
  }();
  return root;
}

bool IsMessage(const Json& message) {
  if (!message.is_object() || message.value("jsonrpc", "") != "2.0") return false;
  return message.contains("method") || message.contains("result") != message.contains("error");
}

void Fuzz(std::string_view input) {
  std::string out;
  size_t at = 0;
  const auto read = [&](std::span<char> to) {
    const size_t count = std::min(to.size(), input.size() - at);
    std::memcpy(to.data(), input.data() + at, count);
    at += count;
    return count;
  };
  const auto write = [&](std::string_view line) {
    out += line;
    return true;
  };
  Require(ServeMcp({.roots = {Root()}, .threads = 1}, read, write).has_value());
  for (size_t begin = 0; begin < out.size();) {
    const size_t end = out.find('\n', begin);
    Require(end != out.npos &&
            IsMessage(Json::parse(out.substr(begin, end - begin), nullptr, false)));
    begin = end + 1;
  }
}

const fuzz::Register kTarget({.name = "mcp", .run = &Fuzz, .form = fuzz::Form::kJson});

}  // namespace
}  // namespace stepscope::mcp_fuzz
