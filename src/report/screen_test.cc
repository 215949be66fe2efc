// Tests the first screen: its size, its bars, and what it leaves out.
#include "report/screen.h"

#include <gtest/gtest.h>

#include "report/columns.h"
#include "report/display_width.h"

namespace stepscope {
namespace {

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

constexpr int64_t kMs = 1'000'000;

Report BreakdownOf(int64_t ranks) {
  Report report{.analysis = "breakdown", .title = "Where a step goes"};
  report.metrics = {{"step_time", "", 10 * kMs, Unit::kNanoseconds},
                    {"framework", "", "PyTorch", Unit::kNone}};
  Table parts{.key = "parts",
              .columns = {KeyColumn("part", "part"), TimeColumn("time", "time"),
                          TimeColumn("before", "before"), ValueColumn("kind", "kind")}};
  parts.rows = {{"compute", 8 * kMs, Cell(), "compute"}, {"input", 2 * kMs, Cell(), "input"}};
  Table of_ranks{
      .key = "ranks",
      .columns = {KeyColumn("rank", "rank"), KeyColumn("window", "window"),
                  TimeColumn("step_time", "step time"), TimeColumn("compute", "compute")}};
  for (int64_t rank = 0; rank < ranks; ++rank)
    of_ranks.rows.push_back({rank, int64_t{0}, 10 * kMs, (rank == 5 ? 9 : 8) * kMs});
  report.tables = {parts, of_ranks};
  return report;
}

ReportSet AnswerOf(int64_t ranks) {
  ReportSet answer;
  answer.run.name = "/data/job";
  answer.run.ranks = ranks;
  answer.verdict = "Rank 5 is slow.";
  answer.reports = {BreakdownOf(ranks)};
  return answer;
}

TEST(Screen, SaysWhoseJobItIsWhereAStepGoesAndWhichRankDiffers) {
  EXPECT_EQ(ToScreen(AnswerOf(16), {.ascii = true, .more = "More: ..."}),
            "job: 16 ranks, PyTorch\n"
            "Rank 5 is slow.\n"
            "\n"
            "A step, mean of 16 ranks   10.0 ms\n"
            "  compute                  8.00 ms ######################\n"
            "  input                    2.00 ms ######\n"
            "\n"
            "Mean per step      step time  compute\n"
            "rank 5               10.0 ms  9.00 ms\n"
            "15 others, median    10.0 ms  8.00 ms\n"
            "More: ...\n");
}

TEST(Screen, SaysThatOlderProfilesWereLeftOut) {
  ReportSet answer = AnswerOf(2);
  answer.run.notes = {{.name = "other_profiles", .count = 3, .message = "", .where = "logs"}};
  const std::string screen = ToScreen(answer, {.ascii = true});
  EXPECT_TRUE(screen.contains("\nOlder profiles left out: 3.")) << screen;
}

TEST(Screen, ARankIsOneLineWhateverItsRecordings) {
  ReportSet answer = AnswerOf(2);
  Table& ranks = answer.reports.front().tables.back();
  ranks.columns.push_back(CountColumn("steps", "steps"));
  ranks.rows = {{int64_t{0}, int64_t{0}, 10 * kMs, 8 * kMs, int64_t{30}},
                {int64_t{0}, int64_t{1}, 14 * kMs, 8 * kMs, int64_t{10}},
                {int64_t{1}, int64_t{0}, 20 * kMs, 18 * kMs, int64_t{3}}};
  const std::string screen = ToScreen(answer, {.ascii = true});
  EXPECT_TRUE(screen.contains("rank 0           11.0 ms  8.00 ms\n")) << screen;
  EXPECT_TRUE(screen.contains("rank 1           20.0 ms  18.0 ms\n")) << screen;
}

// Generated kernels are named by all their parameters.
TEST(Screen, ASentenceGoesOnBehindALongName) {
  const std::string name = "Cijk_Alik_" + std::string(400, 'x') + "_WG32_8_1";
  ReportSet answer = AnswerOf(1);
  answer.verdict = "Nothing is recorded between gemm and " + name + "; Python was not recorded.";
  const std::string screen = ToScreen(answer, {});
  EXPECT_TRUE(screen.contains("_WG32_8_1; Python was not\nrecorded.\n")) << screen;
  EXPECT_FALSE(screen.contains("\n …")) << screen;
  answer.verdict = "時間の" + name + "と" + name + "の間";
  EXPECT_TRUE(ToScreen(answer, {}).contains("の間\n"));
}

TEST(Screen, AVerdictThatIsTooLongEndsWithASentence) {
  ReportSet answer = AnswerOf(2);
  Phrase verdict = "Rank 5 is slow.";
  for (const char* sentence :
       {" One of so many words that it takes more than a line, and nobody "
        "reads all of it before the next one begins.",
        " Another of so many words that it takes more than a line, and it "
        "is as long as the one before it was.",
        " A third one, which has room for its first words only, for the "
        "screen has four lines for all that is said there, and no more "
        "than these four, whoever reads it, and however much there is to be told."})
    verdict += sentence;
  answer.verdict = verdict;
  const std::string screen = ToScreen(answer, {.ascii = true});
  EXPECT_TRUE(screen.contains("before it was.\n\n")) << screen;
  EXPECT_FALSE(screen.contains("…")) << screen;
}

TEST(Screen, WhatTheVerdictSaysIsNotSaidAgain) {
  ReportSet answer = AnswerOf(1);
  answer.reports.front().findings = {{.severity = Severity::kHigh,
                                      .message = "Rank 5 is slow.",
                                      .because = "it computes 9 ms",
                                      .hint = "look at it",
                                      .impact = kMs,
                                      .share = 0.1,
                                      .per_step = kMs,
                                      .place = 1}};
  const auto lines = Lines(ToScreen(answer, {}));
  ASSERT_GT(lines.size(), 4u);
  EXPECT_TRUE(lines[3].starts_with("1  It computes 9 ms  ")) << lines[3];
  EXPECT_TRUE(lines[3].ends_with("  up to 1.00 ms per step (10.0%)")) << lines[3];
  EXPECT_EQ(lines[4], "   try: look at it");
}

// Times since a change are of other steps than those of the whole recording, and say so.
TEST(Screen, SaysOfWhichStepsTheTimesAre) {
  ReportSet answer = AnswerOf(16);
  Report& report = answer.reports.front();
  report.metrics.push_back({"since_step", "", int64_t{4}, Unit::kNone});
  report.metrics.push_back({"slow_steps", "", int64_t{2}, Unit::kCount});
  report.findings = {{.severity = Severity::kHigh,
                      .message = "Ranks wait.",
                      .impact = kMs,
                      .since = 4,
                      .worth = Worth{.saved = 2 * kMs, .step_time = 10 * kMs},
                      .share = 0.1,
                      .per_step = kMs,
                      .place = 1}};
  const std::string screen = ToScreen(answer, {.ascii = true});
  EXPECT_TRUE(screen.contains("  2.00 ms per step since step 4\n")) << screen;
  EXPECT_TRUE(screen.contains("Mean since step 4  step time  compute\n")) << screen;
  EXPECT_TRUE(screen.contains("The means leave out 2 slow steps.")) << screen;
}

// A comparison has two runs, each of which may leave out some.
TEST(Screen, SaysWhichStepsEachOfTwoRunsLeavesOut) {
  ReportSet answer = AnswerOf(16);
  answer.reports.push_back({.analysis = "compare"});
  Report& breakdown = answer.reports.front();
  breakdown.metrics = {{"slow_steps_a", "", int64_t{2}, Unit::kCount},
                       {"warm_up_steps_b", "", int64_t{1}, Unit::kCount}};
  const std::string screen = ToScreen(answer, {.ascii = true});
  EXPECT_TRUE(screen.contains("The means leave out 2 slow steps before and 1 first step after."))
      << screen;
}

// Whatever the job: long names and sentences, many findings, parts and ranks.
TEST(Screen, HasAtMost45LinesOf100Columns) {
  for (const char* word : {"word ", "wordwithoutspaces", "\xE6\x97\xA5\xE6\x9C\xAC "}) {
    std::string text;
    for (int i = 0; i < 200; ++i) text += word;
    ReportSet answer = AnswerOf(2000);
    answer.verdict = text;
    answer.run.name = text;
    Report& report = answer.reports.front();
    for (int64_t place = 1; place <= 9; ++place)
      report.findings.push_back({.severity = Severity::kHigh,
                                 .message = text,
                                 .because = text,
                                 .hint = text,
                                 .impact = kMs,
                                 .share = 0.5,
                                 .per_step = kMs,
                                 .place = place});
    for (int part = 0; part < 30; ++part)
      report.tables.front().rows.push_back({text, kMs, Cell(), "other"});
    for (int column = 0; column < 12; ++column) {
      report.tables.back().columns.push_back(TimeColumn("c", "exposed communication"));
      for (auto& row : report.tables.back().rows)
        row.emplace_back(std::get<int64_t>(row[0]) % 7 * kMs);
    }
    const auto lines = Lines(ToScreen(answer, {.width = 300, .more = text}));
    EXPECT_LE(lines.size(), 45u);
    for (const std::string& line : lines) EXPECT_LE(DisplayWidth(line), 100u) << line;
  }
}

}  // namespace
}  // namespace stepscope
