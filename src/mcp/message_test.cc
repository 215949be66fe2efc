// Tests which lines are messages, and that a call that is canceled gives up.
#include "mcp/message.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stop_token>
#include <string>

#include "mcp/lines.h"
#include "mcp/tools.h"
#include "tests/scratch.h"

namespace stepscope::mcp::message_test {
namespace {

int CodeOf(const std::string& line) {
  const auto message = ReadMessage(line);
  return message ? 0 : message.error().failed.code;
}

TEST(McpMessage, IdsAreTextsAndWholeNumbers) {
  for (const char* id : {"1", "-7", "\"a\"", "\"\"", "9007199254740993", "18446744073709551615"}) {
    const auto message =
        ReadMessage(R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":"ping"})");
    ASSERT_TRUE(message) << id;
    EXPECT_EQ(message->kind, Message::Kind::kRequest);
    EXPECT_EQ(ResultLine(message->id, Json::object()),
              R"({"id":)" + std::string(id) + R"(,"jsonrpc":"2.0","result":{}})");
  }
  for (const char* id : {"null", "1.5", "true", "[1]", "{}", "1e400", "1e3"}) {
    const auto message =
        ReadMessage(R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":"ping"})");
    ASSERT_FALSE(message) << id;
    EXPECT_TRUE(message.error().id.is_null());
  }
}

TEST(McpMessage, RefusesWhatIsNone) {
  EXPECT_EQ(CodeOf("{"), kParseError);
  EXPECT_EQ(CodeOf("nonsense"), kParseError);
  EXPECT_EQ(CodeOf("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}"), kParseError);
  EXPECT_EQ(CodeOf(std::string(1, '\0')), kParseError);
  EXPECT_EQ(CodeOf("[]"), kInvalidRequest);
  EXPECT_EQ(CodeOf(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])"), kInvalidRequest);
  EXPECT_EQ(CodeOf("null"), kInvalidRequest);
  EXPECT_EQ(CodeOf("{}"), kInvalidRequest);
  EXPECT_EQ(CodeOf(R"({"jsonrpc":"2.0","id":1,"method":7})"), kInvalidRequest);
  EXPECT_EQ(CodeOf(R"({"jsonrpc":"1.0","id":1,"method":"ping"})"), kInvalidRequest);
  EXPECT_EQ(CodeOf(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})"), kInvalidParams);
}

TEST(McpMessage, NestingHasALimit) {
  const auto nested = [](size_t depth) {
    return R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":)" + std::string(depth, '[') +
           std::string(depth, ']') + "}}";
  };
  EXPECT_EQ(CodeOf(nested(50)), 0);
  EXPECT_EQ(CodeOf(nested(500'000)), kParseError);
  EXPECT_EQ(CodeOf(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(500, '[') + "\"}"), 0);
}

TEST(McpMessage, NotificationsAndResponsesGetNoAnswer) {
  EXPECT_EQ(ReadMessage(R"({"method":"x","params":7})")->kind, Message::Kind::kNotification);
  EXPECT_EQ(ReadMessage(R"({"jsonrpc":"2.0","id":1,"result":{}})")->kind, Message::Kind::kResponse);
}

TEST(McpMessage, WritesOneLineOfValidText) {
  const std::string line = ErrorLine("a\nb", {kInvalidParams, "x\xff\ny"});
  EXPECT_FALSE(line.contains('\n'));
  EXPECT_EQ(Json::parse(line, nullptr, false)["id"], "a\nb");
}

// Reads the text in pieces of this size.
std::vector<std::string> LinesIn(std::string text, size_t piece) {
  Lines lines(
      [&](std::span<char> into) {
        const size_t size = std::min({piece, text.size(), into.size()});
        std::copy_n(text.begin(), size, into.begin());
        text.erase(0, size);
        return size;
      },
      5);
  std::vector<std::string> read;
  while (const auto line = lines.Next()) read.push_back(line->too_long ? "(long)" : line->text);
  return read;
}

TEST(McpLines, ALineThatIsTooLongIsSkipped) {
  for (const size_t piece : {1u, 3u, 1000u}) {
    EXPECT_EQ(LinesIn("a\n\nabcdef\r\nabcde\nabcdefghijkl\nend", piece),
              (std::vector<std::string>{"a", "", "(long)", "abcde", "(long)", "end"}));
    EXPECT_EQ(LinesIn("", piece), std::vector<std::string>());
  }
}

// The sooner, the more events are left to read.
TEST(McpTools, GoodputGivesUpWhenCanceled) {
  std::string lines = R"({"job_name":"j","event":"job_start","time":1780000000})"
                      "\n";
  for (int step = 0; step < 20'000; ++step) {
    lines += R"({"job_name":"j","event":"step_start","step":)" + std::to_string(step) +
             R"(,"time":)" + std::to_string(1'780'000'001 + step) + "}\n";
  }
  const testing::ScratchFolder folder;
  folder.Write("job.jsonl", lines);
  const auto roots = Roots::Open({folder.path()});
  ASSERT_TRUE(roots);
  Runs runs(*roots, {});
  const auto tool = std::ranges::find(AllTools(), "goodput", &Tool::name);
  const auto text = [&](const std::stop_source& source) {
    const CallContext context{.stop = source.get_token(), .progress = {}};
    return CallTool(*tool, {{"paths", {"job.jsonl"}}}, {*roots, runs}, context).dump();
  };
  std::stop_source source;
  EXPECT_TRUE(text(source).contains("goodput")) << text(source);
  source.request_stop();
  EXPECT_TRUE(text(source).contains("the report was canceled")) << text(source);
}

}  // namespace
}  // namespace stepscope::mcp::message_test
