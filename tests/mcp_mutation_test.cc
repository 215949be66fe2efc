// Tests the server for assistants with damaged messages: what goes out is messages, whatever comes
// in.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "stepscope/mcp.h"
#include "tests/scratch.h"

namespace stepscope::testing::mcp_mutation_test {
namespace {

constexpr const char* kDiscover =
    R"({"jsonrpc":"2.0","id":6,"method":"server/discover","params":{"_meta":{)"
    R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}}}})";

std::string CallOf(const char* id, const char* params) {
  return std::string(R"({"jsonrpc":"2.0","id":)") + id + R"(,"method":"tools/call","params":)" +
         params + "}";
}

const std::vector<std::string>& Whole() {
  static const std::vector<std::string> kWhole = {
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})",
      R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})",
      CallOf("3", R"({"name":"explain","arguments":{"name":"stragglers","budget":100}})"),
      CallOf("\"4\"", R"({"name":"table","arguments":{"path":"x","where":["b=1"],"top":5}})"),
      CallOf("5", R"({"name":"brief","arguments":{"ranks":[0]},"_meta":{"progressToken":1}})"),
      kDiscover,
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}})"};
  return kWhole;
}

// Some bytes changed, removed, repeated, or replaced by what JSON is made of.
std::string Damaged(std::string line, std::mt19937& random) {
  constexpr std::string_view kParts[] = {"null", "{}",      "[]", "-1",  "1e999",
                                         "\"\"", "\\u0000", ",",  "\xff"};
  const auto below = [&](size_t most) { return random() % std::max<size_t>(most, 1); };
  for (size_t i = 0; i <= below(3); ++i) {
    const size_t at = below(line.size());
    const size_t kind = below(4);
    if (kind == 0 && !line.empty()) line[at] = static_cast<char>(random() % 256);
    if (kind == 1) line.erase(at, 1 + below(8));
    if (kind == 2) line.insert(at, line.substr(at, below(30)));
    if (kind == 3) line.replace(at, below(4), kParts[below(std::size(kParts))]);
  }
  return line;
}

TEST(McpMutation, OnlyMessagesGoOut) {
  const ScratchFolder folder;
  std::mt19937 random(20260728);
  std::string input;
  for (int i = 0; i < 3000; ++i) {
    const std::string& whole = Whole()[random() % Whole().size()];
    input += (i % 10 == 0 ? whole : Damaged(whole, random)) + "\n";
  }
  std::vector<std::string> output;
  const auto served = ServeMcp(
      {.roots = {folder.path()}, .settings = {}, .patience = std::chrono::seconds(60)},
      [&](std::span<char> into) {
        const size_t size = std::min({into.size(), input.size(), size_t{1000}});
        std::copy_n(input.begin(), size, into.begin());
        input.erase(0, size);
        return size;
      },
      [&](std::string_view line) {
        output.emplace_back(line);
        return true;
      });
  ASSERT_TRUE(served);
  EXPECT_GT(output.size(), 1000u);
  for (const std::string& line : output) {
    ASSERT_EQ(line.find('\n'), line.size() - 1) << line;
    const auto message = nlohmann::json::parse(line, nullptr, false);
    ASSERT_TRUE(message.is_object()) << line;
    EXPECT_EQ(message["jsonrpc"], "2.0");
    EXPECT_EQ(message.contains("result") + message.contains("error") + message.contains("method"),
              1)
        << line;
  }
}

}  // namespace
}  // namespace stepscope::testing::mcp_mutation_test
