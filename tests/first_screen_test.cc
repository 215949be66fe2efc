// Tests what people see first in a terminal: one screen of a job or of two, and how to get the
// rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/scratch.h"
#include "tests/shell.h"

namespace stepscope::testing::first_screen_test {
namespace {

class FirstScreen : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new ScratchFolder;
    Shell("cd '" + folder_->path() +
          "' && stepscope demo slow --ranks 4 --steps 6 --layers 8 --slow-rank 1 --slow-since 6 && "
          "stepscope demo healthy --ranks 4 --steps 4 --layers 8 --slow-rank -1 --exposed 0.02 "
          "--host-gap 0.005");
  }
  static void TearDownTestSuite() { delete folder_; }

  static Outcome In(const std::string& line) {
    return Shell("cd '" + folder_->path() + "' && " + line);
  }

  static ScratchFolder* folder_;
};
ScratchFolder* FirstScreen::folder_ = nullptr;

auto CountLines(const std::string& text) { return std::ranges::count(text, '\n'); }

TEST_F(FirstScreen, OfAJobNamesTheRankAndWhereAStepGoes) {
  const Outcome screen = In("stepscope analyze slow");
  ASSERT_EQ(screen.code, 0) << screen.err;
  EXPECT_LE(CountLines(screen.out), 45);
  for (const char* part :
       {"slow: 4 ranks, 6 steps, PyTorch on NVIDIA H100 80GB HBM3, dp 4\n", "ank 1", "since step 6",
        "\nA step, mean of 4 ranks ", " in steps 3..5 ", " in steps 6..8\n",
        "  waiting for other ranks ", "\nrank 1 ", "\nMore: stepscope serve slow | "}) {
    EXPECT_TRUE(screen.out.contains(part)) << part << "\n" << screen.out;
  }
}

TEST_F(FirstScreen, OfAHealthyJobSaysSo) {
  const Outcome screen = In("stepscope analyze healthy");
  EXPECT_TRUE(screen.out.contains("\nThe job looks healthy: ")) << screen.out;
  EXPECT_FALSE(screen.out.contains("\n1  ")) << screen.out;
}

TEST_F(FirstScreen, OfTwoRunsSaysWhatChangedOnWhichRank) {
  const Outcome screen = In("stepscope compare healthy slow");
  ASSERT_EQ(screen.code, 0) << screen.err;
  EXPECT_LE(CountLines(screen.out), 45);
  EXPECT_TRUE(screen.out.starts_with("healthy -> slow: 4 ranks, PyTorch")) << screen.out;
  EXPECT_TRUE(screen.out.contains(" in healthy ")) << screen.out;
  EXPECT_TRUE(screen.out.contains(" in slow since step 6\n")) << screen.out;
}

TEST_F(FirstScreen, TheWholeAnswerLeavesNoRowOut) {
  const Outcome all = In("stepscope analyze slow --full");
  for (const char* rest : {" more row", " more finding", "More in csv"})
    EXPECT_FALSE(all.out.contains(rest)) << rest;
  EXPECT_GT(CountLines(all.out), 500);
}

TEST_F(FirstScreen, OneKernelIsShownInEveryTable) {
  const Outcome rows = In("stepscope analyze slow --kernel '*AllReduce*'");
  EXPECT_TRUE(rows.out.contains("Kernels per rank")) << rows.out;
  EXPECT_FALSE(rows.out.contains("nvjet")) << rows.out;
  EXPECT_EQ(In("stepscope analyze slow --kernel nothing").code, 2);
}

TEST_F(FirstScreen, SpreadsheetsGetAFileForEachTableWithUnits) {
  const Outcome done =
      In("stepscope analyze slow --format csv -o tables/ -q && cat "
         "tables/breakdown.parts.csv tables/findings.csv");
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(done.out.contains("part,time [ns],% of step time [ratio],")) << done.out;
  EXPECT_TRUE(done.out.contains("id,severity,analysis,message,")) << done.out;
  EXPECT_EQ(In("stepscope analyze slow --format csv -o absent/tables/").code, 2);
}

TEST_F(FirstScreen, ADirectoryOfRunsIsAnsweredWithTheirNames) {
  const Outcome wrong = In("stepscope analyze .");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(wrong.err.contains("give one of the ")) << wrong.err;
  EXPECT_TRUE(wrong.err.contains("./healthy, ./slow")) << wrong.err;
}

}  // namespace
}  // namespace stepscope::testing::first_screen_test
