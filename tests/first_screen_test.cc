// Tests what people see first in a terminal: one screen of a job or of two, and how to get the
// rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "report/display_width.h"
#include "tests/scratch.h"
#include "tests/shell.h"
#include "tests/support/cpu_trace.h"

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

// The time after `words`: "268 ms".
std::string TimeAfter(const std::string& text, const std::string& words) {
  const size_t at = text.find(words);
  if (at == text.npos) return "no " + words;
  const size_t begin = text.find_first_not_of(" \n", at + words.size());
  const size_t end = text.find_first_of(" \n", text.find_first_of(" \n", begin) + 1);
  return text.substr(begin, end - begin);
}

auto CountLines(const std::string& text) { return std::ranges::count(text, '\n'); }

TEST_F(FirstScreen, OfAJobNamesTheRankAndWhereAStepGoes) {
  const Outcome screen = In("stepscope analyze slow");
  ASSERT_EQ(screen.code, 0) << screen.err;
  EXPECT_LE(CountLines(screen.out), 45);
  for (const char* part :
       {"slow: 4 ranks, 6 steps, PyTorch on NVIDIA H100 80GB HBM3, dp 4\n", "ank 1", "since step 6",
        "\nA step, mean of 4 ranks ", " in steps 3..5 ", " in steps 6..8\n",
        "  waiting for other ranks ", "\nrank 1 ", "\nMore: stepscope serve slow\n"}) {
    EXPECT_TRUE(screen.out.contains(part)) << part << "\n" << screen.out;
  }
}

// The slow rank is among those that the question leaves out.
TEST_F(FirstScreen, OfRanksThatWaitForOthersSaysThatThoseWereLeftOut) {
  const Outcome screen = In("stepscope analyze slow --ranks 2-3");
  ASSERT_EQ(screen.code, 0) << screen.err;
  for (const char* part : {"Ranks 2 and 3 wait together up to ", " since step 6", " left out, ",
                           "try: ask about ranks 0 and 1 too"}) {
    EXPECT_TRUE(screen.out.contains(part)) << part << "\n" << screen.out;
  }
  EXPECT_FALSE(screen.out.contains("no trace")) << screen.out;
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

TEST_F(FirstScreen, OfTwoPartsOfOneRunTellsThemApart) {
  const Outcome ranks = In("stepscope compare slow slow --ranks-before 0 --ranks-after 1");
  ASSERT_EQ(ranks.code, 0) << ranks.err;
  EXPECT_TRUE(ranks.out.starts_with("slow rank 0 -> slow rank 1: 1 of 4 ranks, PyTorch"))
      << ranks.out;
  EXPECT_TRUE(ranks.out.contains(" in slow rank 0")) << ranks.out;
  const Outcome steps = In("stepscope compare slow/ slow/ --steps-before 4 --steps-after 7,8");
  ASSERT_EQ(steps.code, 0) << steps.err;
  EXPECT_TRUE(steps.out.starts_with("slow step 4 -> slow steps 7,8: 4 ranks")) << steps.out;
  for (const char* one : {"--ranks-before 2 --ranks-after 3", "--steps-before 4 --steps-after 5",
                          "--ranks 1 --steps-before 4 --steps-after 5"}) {
    for (const char* how : {"", " --full", " --format json", " --format csv"}) {
      const Outcome outcome = In(std::string("stepscope compare slow slow ") + one + how);
      EXPECT_EQ(outcome.code, 0) << one << how << outcome.err;
    }
  }
}

TEST_F(FirstScreen, WhatShowsMoreCanBePasted) {
  In("ln -s healthy 'it is'");
  const auto pasted = [](const std::string& command) {
    const std::string out = In(command + " -q").out;
    const size_t at = out.find("\nMore: ");
    return at == out.npos ? "" : out.substr(at + 7);
  };
  EXPECT_EQ(pasted("stepscope compare healthy slow"),
            "stepscope serve healthy slow | stepscope compare healthy slow --full\n");
  EXPECT_EQ(pasted("stepscope compare slow slow --ranks-before 0,1,2 --ranks-after 1,3"),
            "stepscope serve slow\n"
            "      stepscope compare slow slow --ranks-before 0,1,2 --ranks-after 1,3 --full\n");
  EXPECT_TRUE(pasted("stepscope compare 'it is' slow").starts_with("stepscope serve 'it is' slow"));
  In("rm 'it is'");
  const std::string ranks = "slow/rank-0.pt.trace.json.gz slow/rank-1.pt.trace.json.gz";
  EXPECT_TRUE(pasted("stepscope analyze " + ranks)
                  .starts_with("stepscope serve " + ranks + "\n      stepscope analyze " + ranks))
      << pasted("stepscope analyze " + ranks);
}

TEST_F(FirstScreen, AMeanStepHasOneValue) {
  In("stepscope demo four --ranks 4 --steps 7 --layers 4 --seed 3");
  const std::string screen = In("stepscope analyze four -q").out;
  const std::string time = TimeAfter(screen, "A step, mean of 4 ranks");
  EXPECT_EQ(TimeAfter(screen, "time is"), time) << screen;
  const std::string replay = In("stepscope whatif four -q").out;
  EXPECT_EQ(TimeAfter(replay, "A step of 4 ranks takes"), time + ",") << replay;
  const std::string compared = In("stepscope compare four four -q").out;
  In("rm -r four");
  EXPECT_EQ(TimeAfter(compared, "mean step time is"), time) << compared;
}

// Functions are known where Python is read.
TEST_F(FirstScreen, WhatShowsMoreNamesTheFunctionThatTheScreenNames) {
  In("stepscope demo py --ranks 2 --steps 4 --layers 4 --slow-rank -1 --host-gap 0.3 "
     "--gap-in-python");
  const std::string out = In("stepscope analyze py -q").out;
  ASSERT_TRUE(out.contains("log_metrics (train.py:")) << out;
  const size_t at = out.find("stepscope analyze py --only ");
  ASSERT_NE(at, out.npos) << out;
  const std::string command = out.substr(at, out.find(" | --full", at) - at);
  EXPECT_TRUE(command.contains("python")) << command;
  const std::string more = In(command + " -q").out;
  In("rm -r py");
  EXPECT_TRUE(more.contains("log_metrics (train.py:")) << command << more;
}

TEST_F(FirstScreen, WhatShowsMoreHasEveryCauseOfTheScreen) {
  In("stepscope demo three");
  const std::string out = In("stepscope analyze three -q").out;
  const size_t at = out.find("stepscope analyze three --only ");
  ASSERT_NE(at, out.npos) << out;
  const std::string more = In(out.substr(at, out.find(" | --full", at) - at) + " -q").out;
  In("rm -r three");
  for (const char* place : {"1", "2", "3"}) {
    const size_t line = out.find(std::string("\n") + place + "  ");
    ASSERT_NE(line, out.npos) << place << out;
    const std::string cause = out.substr(line + 4, 30);
    EXPECT_TRUE(more.contains(cause)) << cause << "\n" << more;
  }
}

TEST_F(FirstScreen, WhatShowsMoreAnswersWhereNoStepsAreMarked) {
  CpuTrace trace(0, "[]", 1, 1);
  trace.Add("python_function", "run.py(30): main", 0, 260);
  for (int turn = 0; turn < 20; ++turn) {
    trace.Add("python_function", "run.py(23): forward", 1 + 12 * turn, 11.8);
    trace.Add("cpu_op", "aten::addmm", 1.1 + 12 * turn, 11.5);
  }
  folder_->Write("unmarked/rank0.json", trace.End());
  const std::string out = In("stepscope analyze unmarked -q").out;
  ASSERT_TRUE(out.contains("forward (run.py:23)")) << out;
  const size_t at = out.find("stepscope analyze unmarked --only ");
  ASSERT_NE(at, out.npos) << out;
  const Outcome more = In(out.substr(at, out.find(" | --full", at) - at) + " -q");
  EXPECT_EQ(more.code, 0) << more.err;
  EXPECT_TRUE(more.out.contains("forward (run.py:23")) << out << more.out;
}

// Cells have words, and what programs compare stays as it is.
TEST_F(FirstScreen, CellsOfTextsAreWords) {
  const std::string text = In("stepscope whatif slow -q").out;
  EXPECT_FALSE(text.contains("gpu_compute")) << text;
  EXPECT_FALSE(In("stepscope analyze slow --only critical_path --full -q").out.contains("*0.5"));
  EXPECT_TRUE(In("stepscope whatif slow -q --format json").out.contains("gpu_compute"));
  EXPECT_FALSE(
      In("LANG=ja_JP.UTF-8 stepscope whatif slow -q --lang ja").out.contains("gpu_compute"));
}

TEST_F(FirstScreen, TheSuffixOfTheFileDecidesTheFormat) {
  const auto begins = [](const std::string& file) {
    return In("mkdir -p answers && stepscope analyze slow --only steps -q -o answers/" + file +
              " && head -c 12 answers/" + file)
        .out;
  };
  for (const auto& [file, format] :
       {std::pair("a.json", "json"), {"a.MD", "markdown"}, {"a.csv", "csv"}}) {
    const std::string line = "stepscope analyze slow --only steps -q --format ";
    EXPECT_EQ(begins(file), In(line + format + " | head -c 12").out) << file;
  }
  EXPECT_TRUE(begins("a.json").starts_with("{\n"));
  EXPECT_EQ(begins("a.txt"), begins("a"));
  EXPECT_FALSE(In("stepscope analyze slow --only steps -q --format text -o answers/b.json && head "
                  "-c 1 answers/b.json")
                   .out.starts_with("{"));
  for (const char* file : {"a.xlsx", "a.XLS", "a.ods"}) {
    const Outcome no = In(std::string("stepscope analyze slow -q -o ") + file);
    EXPECT_EQ(no.code, 2) << file;
    EXPECT_TRUE(no.err.contains("--format csv -o DIR/")) << no.err;
    EXPECT_FALSE(std::filesystem::exists(folder_->path() + "/" + file));
  }
  EXPECT_EQ(In("stepscope analyze slow -q -o a.pdf").code, 2);
  const Outcome page = In("stepscope compare healthy slow -q -o page.html");
  EXPECT_EQ(page.code, 2);
  EXPECT_TRUE(page.err.contains("stepscope report")) << page.err;
}

TEST_F(FirstScreen, CompletionKnowsEveryTable) {
  std::string words = In("stepscope completions bash").out;
  std::ranges::replace(words, '\'', ' ');
  const auto answer = nlohmann::json::parse(In("stepscope analyze slow -q --format json").out);
  for (const auto& report : answer["reports"]) {
    for (const auto& table : report.value("tables", nlohmann::json::array())) {
      const std::string name =
          report["analysis"].get<std::string>() + "." + table["key"].get<std::string>();
      EXPECT_TRUE(words.contains(" " + name + " ")) << name << " is missing in table_names.cc";
    }
  }
}

TEST_F(FirstScreen, TheWholeAnswerLeavesNoRowOut) {
  const Outcome all = In("stepscope analyze slow --full");
  for (const char* rest : {" more row", " more finding", "More in csv"})
    EXPECT_FALSE(all.out.contains(rest)) << rest;
  EXPECT_GT(CountLines(all.out), 500);
}

// Of files and pipes; a terminal says how wide it is.
TEST_F(FirstScreen, NoLineIsLongerThan100Columns) {
  for (const char* line :
       {"stepscope analyze slow --full", "stepscope analyze healthy --full",
        "stepscope whatif slow", "stepscope whatif slow --set 'rank 1: all = median of ranks'",
        "stepscope whatif healthy", "stepscope compare healthy slow --full",
        "stepscope analyze slow --full --lang ja", "stepscope whatif slow --lang ja"}) {
    const Outcome outcome = In(line);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    for (size_t at = 0; at < outcome.out.size();) {
      const size_t end = outcome.out.find('\n', at);
      const std::string text = outcome.out.substr(at, end - at);
      EXPECT_LE(DisplayWidth(text), 100u) << line << "\n" << text;
      at = end + 1;
    }
  }
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
