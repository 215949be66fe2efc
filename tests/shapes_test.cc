// Tests operators by shape through the front door: scripts, hostile inputs, and what flops says of
// the same.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/answer.h"
#include "tests/front_door.h"

namespace stepscope::testing::shapes_test {
namespace {

// An operator with these arguments, the call it launches a kernel with, and the kernel, 10 us long.
std::vector<std::string> Launching(const std::string& op, const std::string& args, int64_t start) {
  return {
      fmt::format(R"({{"ph":"X","cat":"cpu_op","name":"{}","pid":9,"tid":9,"ts":{},"dur":20,)"
                  R"("args":{{{}}}}})",
                  op, start, args),
      fmt::format(R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,)"
                  R"("ts":{},"dur":2,"args":{{"correlation":{}}}}})",
                  start + 5, start + 1),
      fmt::format(R"({{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{},"dur":10,)"
                  R"("args":{{"device":0,"stream":7,"correlation":{}}}}})",
                  start + 30, start + 1)};
}

const char* const kMm =
    R"("Input Dims":[[64,32],[32,16]],"Input type":["float","float"],"Input Strides":[[32,1],[1,32]])";

TEST(Shapes, AScriptIsPartOfTheAnswerWhereAnIdIsGiven) {
  const ScratchFolder folder;
  const std::string file = folder.Write("rank_0.json", Document(Launching("aten::mm", kMm, 100)));
  const auto plain = Ask({file});
  ASSERT_TRUE(plain.has_value());
  const auto rows = RowsOf(*plain, "shapes", "shapes");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].Text("call"), "mm M=64 N=16 K=32 fp32, B transposed");
  EXPECT_TRUE(RowsOf(*plain, "shapes", "script").empty());

  const auto with = Ask({file}, {.params = {{"shapes.repro", rows[0].Text("id")}}});
  ASSERT_TRUE(with.has_value());
  std::string script;
  for (const Row& row : RowsOf(*with, "shapes", "script")) script += row.Text("text") + '\n';
  EXPECT_TRUE(script.contains("    tensor(torch.float32, [32, 16], [1, 32]),\n")) << script;
  EXPECT_FALSE(ReportOf(*with, "shapes").absent.has_value());

  const auto unknown = Ask({file}, {.params = {{"shapes.repro", "0123"}}});
  ASSERT_TRUE(unknown.has_value());
  ASSERT_TRUE(ReportOf(*unknown, "shapes").absent.has_value());
  EXPECT_TRUE(ReportOf(*unknown, "shapes").absent->what.contains("0123"));
}

TEST(Shapes, RatesAreThoseOfFlops) {
  auto events = Launching("aten::mm", kMm, 100);
  for (const std::string& event : Launching("aten::mm", kMm, 200)) events.push_back(event);
  const auto answer = AskAbout(Document(events));
  ASSERT_TRUE(answer.has_value());
  const auto rows = RowsOf(*answer, "shapes", "shapes");
  const auto top = RowsOf(*answer, "flops", "top");
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_EQ(top.size(), 1u);
  EXPECT_EQ(rows[0].Int("calls"), 2);
  EXPECT_EQ(rows[0].Int("device_time"), top[0].Int("device_time"));
  EXPECT_EQ(rows[0].Real("flop_rate"), top[0].Real("flop_rate"));
  EXPECT_EQ(rows[0].Real("byte_rate"), top[0].Real("byte_rate"));
}

TEST(Shapes, HostileInputsAreListed) {
  const std::string deep = std::string(1000, '[') + std::string(1000, ']');
  const std::string types = R"(,"Input type":["float","float"])";
  int64_t start = 100;
  std::vector<std::string> events;
  for (const auto& [op, args] : std::vector<std::pair<std::string, std::string>>{
           {"aten::mm", R"("Input Dims":)" + deep + types},
           {"aten::mm",
            R"("Input Dims":[[-1,9223372036854775807],[9223372036854775807,-1]])" + types},
           {"aten::mm", R"("Input Dims":[[1e300,2],[2,99999999999999999999]])" + types},
           {R"(aten::mm\n\");import os)", kMm},
           {"aten::mm", R"("Input Dims":"[[2,3]","Input type":5)"},
           {"aten::mm", std::string(kMm) + R"(,"Concrete Inputs":["\"];x","\\"])"}}) {
    for (const std::string& event : Launching(op, args, start)) events.push_back(event);
    start += 100;
  }
  const ScratchFolder folder;
  const std::string file = folder.Write("rank_0.json", Document(events));
  const auto answer = Ask({file});
  ASSERT_TRUE(answer.has_value());
  const auto rows = RowsOf(*answer, "shapes", "shapes");
  EXPECT_GE(rows.size(), 4u);
  for (const Row& row : rows) {
    const auto with = Ask({file}, {.params = {{"shapes.repro", row.Text("id")}}});
    ASSERT_TRUE(with.has_value());
    for (const Row& line : RowsOf(*with, "shapes", "script"))
      EXPECT_FALSE(line.Text("text").contains("import os"));
  }
}

}  // namespace
}  // namespace stepscope::testing::shapes_test
