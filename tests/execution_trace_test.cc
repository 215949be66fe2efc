// Tests that operators get shapes from execution traces, as a user sees it.
#include "tests/execution_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/gzip.h"
#include "tests/scratch.h"
#include "tests/shared_data.h"
#include "tests/shell.h"

namespace stepscope::testing::execution_trace_test {
namespace {

using Texts = std::vector<std::string>;

ReportSet AnswerFor(const std::string& trace, const std::string& execution_trace,
                    const std::string& name = "et.json") {
  const ScratchFolder folder;
  folder.Write("trace.json", trace);
  folder.Write(name, execution_trace);
  auto answer = Ask({folder.path()});
  if (!answer) throw std::runtime_error(answer.error().what);
  return *answer;
}

std::string Numbered(std::string_view key, int64_t number) {
  return fmt::format("\"{}\":{}", key, number);
}

std::string OneProduct(const std::string& ids) {
  return Document({OperatorText("aten::mm", 10, 50, ids), LaunchedText(20)});
}

TEST(ExecutionTrace, OperatorsGetShapesByRecordFunctionId) {
  const ReportSet answer =
      AnswerFor(OneProduct(Numbered("Record function id", 4) + ",\"External id\":77"),
                ExecutionTraceText({ExecutionNodeText(4, "aten::mm")}));
  const auto shapes = RowsOf(answer, "shapes", "shapes");
  ASSERT_EQ(shapes.size(), 1u);
  EXPECT_EQ(shapes[0].Text("sizes"), "[[3, 4], [4, 5]]");
  EXPECT_EQ(NoteCount(answer, "inputs_of_execution_trace"), 1);
  EXPECT_EQ(NoteCount(answer, "without_execution_node"), 0);
  EXPECT_EQ(answer.run.files.size(), 1u) << "it is no trace of its own";
}

TEST(ExecutionTrace, InASubdirectoryOfTheirOwnTheyAreUsed) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.path() + "/execution");
  std::filesystem::create_directories(folder.path() + "/other_run");
  folder.Write("trace.json", OneProduct(Numbered("Record function id", 4)));
  const std::string nodes = ExecutionTraceText({ExecutionNodeText(4, "aten::mm")});
  folder.Write("execution/rank0.json", nodes);
  folder.Write("other_run/trace.json", OneProduct(Numbered("Record function id", 4)));
  folder.Write("other_run/et.json", nodes);
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(NoteCount(*answer, "inputs_of_execution_trace"), 1);
  EXPECT_EQ(NoteCount(*answer, "execution_trace_unused"), 0);
  EXPECT_EQ(answer->run.files.size(), 1U);
}

TEST(ExecutionTrace, OldOnesByExternalIdAndGzip) {
  const ReportSet answer =
      AnswerFor(OneProduct(Numbered("External id", 4)),
                Gzip(ExecutionTraceText({OldNodeText(4, "aten::mm")}, 9, "1.0.1")), "et.json.gz");
  EXPECT_EQ(NoteCount(answer, "inputs_of_execution_trace"), 1);
}

// External ids count other things too, where a profiler of 2023 recorded several threads.
TEST(ExecutionTrace, ByTheOrderOfCallsWhereNumbersDoNotAgree) {
  Texts operators, nodes, missing;
  for (int i = 0; i < 20; ++i) {
    const std::string name = i == 7 ? "aten::mm" : fmt::format("aten::op{}", i % 3);
    operators.push_back(OperatorText(name, 10, 50 - i, Numbered("External id", 100 + 2 * i)));
    nodes.push_back(OldNodeText(50 + i, name));
    if (i != 5) missing.push_back(nodes.back());
  }
  operators.push_back(LaunchedText(20));
  const ReportSet answer = AnswerFor(Document(operators), ExecutionTraceText(nodes, 9, "1.0.1"));
  EXPECT_EQ(NoteCount(answer, "inputs_of_execution_trace"), 20);
  const ReportSet other = AnswerFor(Document(operators), ExecutionTraceText(missing, 9, "1.0.1"));
  EXPECT_EQ(NoteCount(other, "inputs_of_execution_trace"), 0) << "one call is missing";
  EXPECT_EQ(NoteCount(other, "execution_trace_unused"), 1);
}

TEST(ExecutionTrace, IsNotJoinedWhereNamesOrProcessesDisagree) {
  const std::string trace = Document(
      {OperatorText("aten::mm", 10, 50, Numbered("Record function id", 4)),
       OperatorText("aten::relu", 70, 5, Numbered("Record function id", 5)), LaunchedText(20)});
  const Texts good = {ExecutionNodeText(4, "aten::mm"), ExecutionNodeText(5, "aten::relu")};
  const Texts bad = {ExecutionNodeText(4, "aten::mm"), ExecutionNodeText(5, "aten::gelu")};
  const auto joined = [&](const std::string& execution_trace) {
    const ReportSet answer = AnswerFor(trace, execution_trace);
    EXPECT_EQ(NoteCount(answer, "inputs_of_execution_trace") == 0,
              NoteCount(answer, "execution_trace_unused") == 1);
    return NoteCount(answer, "inputs_of_execution_trace");
  };
  EXPECT_EQ(joined(ExecutionTraceText(good)), 2);
  EXPECT_EQ(joined(ExecutionTraceText(bad)), 0);
  EXPECT_EQ(joined(ExecutionTraceText(good, /*process=*/10)), 0);
  EXPECT_EQ(joined(ExecutionTraceText({good[0], good[1], good[1]})), 1) << "which of both it is";
}

// Processes of two hosts may have one number: file names tell ranks, or nothing does.
TEST(ExecutionTrace, OfSeveralThatFitTheSameRankCounts) {
  const auto trace = [](int64_t rank) {
    return DocumentOfRank(
        rank, {OperatorText("aten::mm", 10, 50, Numbered("External id", 4)), LaunchedText(20)});
  };
  const auto node = [](std::string_view shapes) {
    return ExecutionTraceText({ExecutionNodeText(4, "aten::mm", {.shapes = shapes})});
  };
  const auto ask = [&](const std::string& zero, const std::string& one) {
    const ScratchFolder folder;
    folder.Write("a.json", trace(0));
    folder.Write("b.json", trace(1));
    folder.Write(zero, node("[[1,4],[4,5]]"));
    folder.Write(one, node("[[2,4],[4,5]]"));
    return Ask({folder.path()}).value();
  };
  const ReportSet named = ask("et_rank0.json", "et_rank1.json");
  Texts shapes;
  for (const Row& row : RowsOf(named, "shapes", "shapes")) shapes.push_back(row.Text("sizes"));
  std::ranges::sort(shapes);
  EXPECT_EQ(shapes, (Texts{"[[1, 4], [4, 5]]", "[[2, 4], [4, 5]]"}));
  const ReportSet unnamed = ask("et_a.json", "et_b.json");
  EXPECT_EQ(NoteCount(unnamed, "inputs_of_execution_trace"), 0);
  EXPECT_EQ(NoteCount(unnamed, "execution_traces_alike"), 4) << "2 for each trace";
}

TEST(ExecutionTrace, ShapesThatWereRecordedStay) {
  const std::string own =
      R"("Record function id":4,"Input Dims":[[7,8],[8,9]],"Input type":["float","float"])";
  const ReportSet answer =
      AnswerFor(Document({OperatorText("aten::mm", 10, 50, own), LaunchedText(20)}),
                ExecutionTraceText({ExecutionNodeText(4, "aten::mm")}));
  EXPECT_EQ(RowsOf(answer, "shapes", "shapes")[0].Text("sizes"), "[[7,8],[8,9]]");
  EXPECT_EQ(NoteCount(answer, "inputs_of_execution_trace"), 0);
  EXPECT_EQ(NoteCount(answer, "execution_trace_unused"), 0);
}

TEST(ExecutionTrace, AloneSaysWhatItIs) {
  const auto answer = AskAbout(ExecutionTraceText({ExecutionNodeText(4, "aten::mm")}), "et.json");
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().what.contains("execution trace")) << answer.error().what;
  EXPECT_TRUE(answer.error().hint.contains("directory")) << answer.error().hint;
}

// What is before the damage counts; the trace of the profiler is read whatever lies beside it.
TEST(ExecutionTrace, DamageCostsWhatFollowsIt) {
  const std::string trace = Document(
      {OperatorText("aten::mm", 10, 50, Numbered("Record function id", 4)), LaunchedText(20)});
  const std::string whole =
      ExecutionTraceText({ExecutionNodeText(4, "aten::mm"), ExecutionNodeText(5, "aten::relu")});
  const size_t first_ends = whole.find("]},{");
  for (size_t at = 14; at < whole.size(); at += 7) {
    const ReportSet answer = AnswerFor(trace, whole.substr(0, at));
    EXPECT_EQ(GpuEvents(answer), 1) << at;
    EXPECT_EQ(NoteCount(answer, "inputs_of_execution_trace"), at > first_ends ? 1 : 0) << at;
    EXPECT_EQ(NoteCount(answer, "execution_trace_unreadable") +
                  NoteCount(answer, "execution_trace_truncated"),
              1)
        << at;
  }
}

TEST(ExecutionTrace, WrongTypesAndHostileValuesAreNoInputs) {
  const std::string trace = Document(
      {OperatorText("aten::mm", 10, 50, Numbered("Record function id", 4)), LaunchedText(20)});
  const std::string node = R"({"name":"aten::mm","rf_id":)", list = "\"Tensor(float)\"";
  const std::string deep(1000, '['), digits(5000, '1');
  const auto with = [&](const std::string& values, const std::string& shapes) {
    return node + R"(4,"inputs":)" + values + R"(,"input_shapes":)" + shapes +
           R"(,"input_types":[)" + list + "]}";
  };
  for (const std::string& bad :
       Texts{R"({"name":7,"attrs":[{"name":"rf_id","value":4}]})", node + "18446744073709551615}",
             node + "-4}", node + R"("4"})", node + "null}",
             node + R"(4,"inputs":7,"input_shapes":"x","input_types":{"a":[1]}})",
             with("[1]", "[[1],[2]]"), with("[{}]", R"([{"a":[[1]]}])"),
             with("[[" + digits + "]]", "[[" + digits + "]]"), with(deep, "[[1]]")}) {
    const ReportSet answer = AnswerFor(trace, ExecutionTraceText({bad}));
    EXPECT_EQ(GpuEvents(answer), 1) << bad.substr(0, 100);
    EXPECT_EQ(NoteCount(answer, "inputs_of_execution_trace"), 0) << bad.substr(0, 100);
  }
}

using ExecutionTraceOfRealJobs = SharedDataTest;

// 8 ranks of DLRM of 2023, whose execution traces count otherwise than "External id": every call of
// a thread has the name of the node in its place. The shapes that were recorded are taken out.
TEST_F(ExecutionTraceOfRealJobs, OfEightRanksAreJoinedByProcessAndOrder) {
  const ScratchFolder folder;
  const std::string nodes = Shared("traces/et/dlrm_pytorch_et.tar.gz");
  if (!std::filesystem::exists(nodes)) GTEST_SKIP();
  ASSERT_EQ(Shell("tar xzf " + nodes + " --strip-components=1 -C " + folder.path()).code, 0);
  for (const std::string& file : SharedFiles("traces/param/dlrm_8ranks")) {
    const std::string to = folder.path() + "/" + std::filesystem::path(file).stem().string();
    ASSERT_EQ(Shell("zcat " + file + " | sed 's/\"Input /\"Output /g' > " + to).code, 0);
  }
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->run.files.size(), 8u);
  EXPECT_EQ(NoteCount(*answer, "execution_trace_unused"), 0);
  EXPECT_EQ(NoteCount(*answer, "inputs_of_execution_trace"), 8 * 1587);
}

}  // namespace
}  // namespace stepscope::testing::execution_trace_test
