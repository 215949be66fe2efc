// Each finding where it must be said, and where it must not.
#include <gtest/gtest.h>

#include "goodput/accounting/story.h"
#include "goodput/report/report.h"

namespace stepscope::goodput {
namespace {

std::vector<Finding> Found(const std::string& story, double at = 0) {
  Accounting accounting = AccountingOf(story);
  Question question;
  if (at > 0) question.at = StoryTime(at);
  const Report report = PartitionReport(accounting.Ask(question), accounting.step_clock());
  for (const Finding& finding : report.findings) {
    EXPECT_TRUE(std::ranges::count(report.tables, finding.table, &Table::key)) << finding.message;
  }
  return report.findings;
}

bool Message(const std::vector<Finding>& findings, std::string_view what) {
  return std::ranges::any_of(findings, [&](const Finding& f) {
    EXPECT_FALSE(f.because.empty() || f.hint.empty());
    EXPECT_GT(f.impact, 0);
    return f.message.contains(what) || f.because.contains(what) || f.hint.contains(what);
  });
}

TEST(GoodputFindings, AGoodRunIsSilent) {
  EXPECT_TRUE(Found("0 start; 0..10 prep; 10..1010 steps 0..99; 1010 end").empty());
}

TEST(GoodputFindings, TheLargestLossComesFirst) {
  const auto found = Found("0 start; 0..20 prep; 20..50 load; 50..150 steps 0..9; 150 end");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].message.starts_with("20.0 % of the time (30.0 s) went into loading data"));
  EXPECT_EQ(found[0].severity, Severity::kHigh);
  EXPECT_EQ(found[0].impact, 30 * kStorySecond);
  EXPECT_TRUE(found[1].message.starts_with("13.3 % of the time (20.0 s) went into preparing"));
}

TEST(GoodputFindings, LostStepsAskForCheckpoints) {
  const std::string rest = "110 start; 110..160 steps 5..9; 160 end";
  EXPECT_TRUE(Message(Found("0 start; 0..100 steps 0..9;" + rest), "save on SIGTERM"));
  EXPECT_TRUE(
      Message(Found("0 start; 0..100 steps 0..9; 100 notice;" + rest), "preemption notice"));
  EXPECT_FALSE(
      Message(Found("0 start; 0..100 steps 0..9; 100 end; 110 start; 110..160 steps 10..14"),
              "made again"));
}

// What schedulers said decides what to try.
TEST(GoodputFindings, TimeDownSaysWhatItWas) {
  const auto down = [](const std::string& scheduler) {
    return Found("0 start; 0..100 steps 0..9; 100 heartbeat;" + scheduler +
                 "200 start; 200..300 steps 10..19; 300 end");
  };
  EXPECT_TRUE(Message(down(""), "heartbeat instead of a timeout"));
  EXPECT_TRUE(Message(down("105 asked 8; 190 given 8;"), "most of it is waiting for resources"));
  EXPECT_TRUE(Message(down("105 asked 8; 110 given 8;"), "most of it is launching"));
  EXPECT_TRUE(Message(down("180 asked 8; 190 given 8;"), "passes before anybody notices"));
  EXPECT_TRUE(Message(
      Found("0 start; 0..100 steps 0..9; 100 end; 200 start; 200..300 steps 10..19"), "`exclusions`"));
}

TEST(GoodputFindings, AHangIsFarBeyondAStep) {
  const std::string story = "0 start; 0..100 steps 0..9";
  EXPECT_TRUE(Message(Found(story, 400), "seems to hang"));
  EXPECT_FALSE(Message(Found(story, 105), "seems to hang"));
  EXPECT_FALSE(Message(Found(story + "; 100 end", 400), "seems to hang"));
}

TEST(GoodputFindings, ACrashLoopIsTwoAttemptsWithoutAStep) {
  const std::string begin = "0 start; 0..100 steps 0..9; 110 start; 110..115 init;";
  const std::string end = "150 start; 150..200 steps 10..14; 200 end";
  EXPECT_TRUE(Message(Found(begin + "130 start; 130..135 init;" + end), "2 attempts died before"));
  EXPECT_FALSE(Message(Found(begin + end), "died before"));
}

TEST(GoodputFindings, OwnEventsAreNamed) {
  const std::string begin = "0 start; 0..100 steps 0..9;";
  EXPECT_TRUE(Message(Found(begin + "10..19 eval; 100 end"), "run EVAL less often"));
  EXPECT_FALSE(Message(Found(begin + "10..11 eval; 100 end"), "EVAL"));
}

}  // namespace
}  // namespace stepscope::goodput
