// Tests what stragglers are said to cost: operations of whole jobs beside what ByteDance's
// StragglerAnalysis (8efcd7f) answers for the same files, and jobs with a known slow rank.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "stepscope/demo.h"
#include "stepscope/whatif.h"
#include "stepscope/write.h"
#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/paths.h"
#include "tests/scratch.h"
#include "tests/shared_data.h"
#include "tests/shell.h"

namespace stepscope::testing::whatif_straggler_test {
namespace {

using Straggler = SharedDataTest;

std::string Planted() { return SourceDir() + "/tests/data/operations/trace-planted.parquet"; }

ReportSet AskStragglers(const std::string& path) {
  const std::string paths[] = {path};
  auto answer = WhatIfStragglers(paths);
  EXPECT_TRUE(answer.has_value()) << answer.error().what;
  if (!answer) return {};
  for (const Format f : {Format::kText, Format::kJson, Format::kCsv, Format::kMarkdown})
    EXPECT_FALSE(Write(*answer, f).empty());
  return *std::move(answer);
}

Row Whole(const ReportSet& answer) { return RowsOf(answer, "whatif", "straggler").front(); }

void ExpectNear(double actual, double expected) {
  EXPECT_NEAR(actual, expected, 1e-5 * std::abs(expected));
}

// The slowdown of each row of a table, by its key; a key that is a number is written as text.
void ExpectSlowdowns(const ReportSet& answer, const std::string& table, const std::string& key,
                     const nlohmann::json& expected) {
  const auto rows = RowsOf(answer, "whatif", table);
  EXPECT_EQ(rows.size(), expected.size()) << table;
  for (const Row& row : rows) {
    const std::string name = key == "type" ? row.Text(key) : std::to_string(row.Int(key));
    ASSERT_TRUE(expected.contains(name)) << table << " " << name;
    ExpectNear(row.Real("slowdown"), expected[name].get<double>());
  }
}

TEST(StragglerInline, APlantedSlowStageIsFound) {
  const ReportSet answer = AskStragglers(Planted());
  // What StragglerAnalysis answers.
  const Row whole = Whole(answer);
  ExpectNear(whole.Real("slowdown"), 1.079184651325731);
  ExpectNear(whole.Real("m_s"), 1.7121524197198918);
  EXPECT_NEAR(whole.Real("m_w"), 0.019126247675375806, 1e-5);
  ExpectNear(static_cast<double>(whole.Int("t_ideal")), 0.1692424627908622e9);
  ExpectSlowdowns(answer, "straggler_types", "type",
                  {{"backward-compute", 1.0488850529432614},
                   {"forward-compute", 1.0186692538521227},
                   {"optimizer", 1.0000531523238787},
                   {"embedding-grads-all-reduce", 1},
                   {"grads-reduce-scatter", 1},
                   {"forward-pp-comm", 1},
                   {"backward-pp-comm", 1},
                   {"params-all-gather", 1},
                   {"gc", 1},
                   {"layernorm-grads-all-reduce", 1},
                   {"optimizer-clip-main-grad", 1}});
  ExpectSlowdowns(answer, "straggler_replicas", "dp",
                  {{"1", 1.0791093700989574}, {"0", 1.0776695008800863}});
  ExpectSlowdowns(answer, "straggler_stages", "stage",
                  {{"1", 1.1238133033961044}, {"0", 0.9436084589537047}});
  // And what follows from that.
  const Finding& finding = answer.reports.front().findings.front();
  EXPECT_EQ(finding.message, "Uneven work makes steps 7.9% longer.");
  EXPECT_NE(
      finding.because.str().find("98.9% of it is there if computing always takes the mean of its "
                                 "stage; all of it is gone if the last stage"),
      std::string::npos)
      << finding.because;
  EXPECT_EQ(answer.run.ranks, 4);
}

// AR: one slow worker; SE, not beside the repository: sequence lengths; ST: a long last stage.
TEST_F(Straggler, JobsOfByteDanceAreAnsweredAsTheyAnswer) {
  const std::string folder = Shared("traces/straggler").string();
  const auto read = [&](const std::string& name) {
    nlohmann::json json;
    std::ifstream(folder + "/" + name) >> json;
    return json;
  };
  for (const std::string job : {"AR", "SE", "ST"}) {
    if (!std::filesystem::exists(folder + "/trace-" + job + ".parquet")) continue;
    SCOPED_TRACE(job);
    const ReportSet answer = AskStragglers(folder + "/trace-" + job + ".parquet");
    const auto expected = read("result-" + job + ".json");
    const Row whole = Whole(answer);
    ExpectNear(whole.Real("slowdown"), expected["blocking_slowdown"].get<double>());
    EXPECT_NEAR(whole.Real("m_w"), read("mw-" + job + ".json")["Mw"].get<double>(), 1e-5);
    EXPECT_NEAR(whole.Real("m_s"), read("ms-" + job + ".json")["Ms"].get<double>(), 1e-5);
    ExpectSlowdowns(answer, "straggler_types", "type", expected["blocking_decompose_by_optype"]);
    ExpectSlowdowns(answer, "straggler_replicas", "dp", expected["blocking_decompose_by_dp_rank"]);
    ExpectSlowdowns(answer, "straggler_stages", "stage", expected["blocking_decompose_by_stage"]);
    ExpectSlowdowns(answer, "straggler_steps", "step", expected["blocking_step_slowdown"]);
    for (const Row& row : RowsOf(answer, "whatif", "straggler_steps")) {
      const std::string step = std::to_string(row.Int("step"));
      ExpectNear(static_cast<double>(row.Int("t")),
                 1e9 * expected["step_t_base"][step].get<double>());
      ExpectNear(static_cast<double>(row.Int("t_nodelay")),
                 1e9 * expected["step_t_nodelay"][step].get<double>());
      ExpectNear(static_cast<double>(row.Int("t_ideal")),
                 1e9 * expected["step_t_noblk"][step].get<double>());
    }
  }
}

TEST_F(Straggler, OneSlowWorkerIsNamed) {
  const std::string path = Shared("traces/straggler/trace-AR.parquet").string();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const ReportSet answer = AskStragglers(path);
  const Finding& finding = answer.reports.front().findings.front();
  EXPECT_EQ(finding.message, "Stragglers make steps 97.3% longer.");
  EXPECT_TRUE(finding.because.ends_with(
      "all of it is gone if the slowest workers take what they should: rank 0 (dp 0, stage 0)"))
      << finding.because;
  EXPECT_EQ(finding.cause.rank, 0);
}

std::string MakeDemo(const ScratchFolder& folder, int slow_rank) {
  const std::string path = folder.path() + "/job" + std::to_string(slow_rank);
  EXPECT_TRUE(WriteDemo(
      path, {.ranks = 4, .steps = 6, .slow_rank = slow_rank, .slow_factor = 1.3, .layers = 6}));
  return path;
}

TEST(StragglerInline, TracesNameTheSlowRank) {
  const ScratchFolder folder;
  const ReportSet answer = AskStragglers(MakeDemo(folder, 2));
  const Row whole = Whole(answer);
  // Kernels of one rank in four take 1.3 times as long: 1.3 / 1.075 of most of the step.
  EXPECT_GT(whole.Real("slowdown"), 1.1);
  EXPECT_LT(whole.Real("slowdown"), 1.3 / 1.075);
  EXPECT_NEAR(whole.Real("m_w"), 1, 0.05);
  EXPECT_FALSE(whole.Has("m_s"));
  const Finding& finding = answer.reports.front().findings.front();
  EXPECT_NE(finding.because.str().find("take what they should: rank 2"), std::string::npos)
      << finding.because;
  EXPECT_EQ(RowsOf(answer, "whatif", "straggler_workers").front().Int("rank"), 2);
  EXPECT_EQ(RowsOf(answer, "whatif", "straggler_types").front().Text("type"), "compute");
}

TEST(StragglerInline, AHealthyJobAccusesNobody) {
  const ScratchFolder folder;
  const ReportSet answer = AskStragglers(MakeDemo(folder, -1));
  EXPECT_LT(Whole(answer).Real("slowdown"), 1.02);
  EXPECT_TRUE(answer.reports.front().findings.empty());
  EXPECT_TRUE(answer.verdict.starts_with("Stragglers cost little")) << answer.verdict;
}

// Two processes on a busy machine: one of them is always the slower one, by chance.
TEST_F(Straggler, NoiseAccusesNobody) {
  for (const char* job :
       {"ddp_none_1", "ddp_none_2", "ddp_none_3", "pipe_none_1", "pipe_none_2", "pipe_none_3"}) {
    const ReportSet answer = AskStragglers(Shared(std::string("traces/real_gloo/") + job));
    for (const Finding& finding : answer.reports.front().findings) {
      EXPECT_TRUE(finding.message.starts_with("Uneven work")) << job << ": " << finding.message;
      EXPECT_EQ(finding.because.str().find("rank"), std::string::npos)
          << job << ": " << finding.because;
    }
  }
}

TEST(StragglerInline, OneRankCannotTell) {
  const ScratchFolder folder;
  const std::string path = MakeDemo(folder, 2) + "/rank-1.pt.trace.json.gz";
  const ReportSet answer = AskStragglers(path);
  EXPECT_EQ(answer.reports.front().status, Status::kUnavailable);
  EXPECT_EQ(answer.reports.front().why,
            "one rank was given, and stragglers are ranks that others wait for");
}

TEST(StragglerInline, TheCommandAnswersAndJudges) {
  const std::string command = "stepscope whatif --straggler " + Planted();
  const Outcome text = Shell(command);
  EXPECT_EQ(text.code, 0);
  EXPECT_TRUE(text.out.starts_with("A step without launch delays takes 183 ms")) << text.out;
  EXPECT_EQ(Shell(command + " --fail-on 'whatif.slowdown>1.05'").code, 1);
  EXPECT_EQ(Shell(command + " --fail-on 'whatif.m_s<100%'").code, 0);
  EXPECT_EQ(Shell("stepscope whatif " + Planted()).code, 0)
      << "operations can be asked nothing else";
  EXPECT_EQ(Shell(command + " " + Planted()).code, 2);
}

}  // namespace
}  // namespace stepscope::testing::whatif_straggler_test
