// Checks which findings appear, and which must not.
#include <gtest/gtest.h>

#include "goodput/report/report.h"
#include "tests/support/scenario.h"

namespace stepscope::goodput::findings_test {
namespace {

std::vector<Finding> FindingsOf(const std::string& scenario, double at = 0) {
  Accounting accounting = AccountingOf(scenario);
  PartitionQuery query;
  if (at > 0) query.at = ScenarioTime(at);
  const Report report = PartitionReport(accounting.Query(query), accounting.step_clock());
  for (const Finding& finding : report.findings) {
    EXPECT_TRUE(std::ranges::count(report.tables, finding.table, &Table::key)) << finding.message;
  }
  return report.findings;
}

bool Contains(const std::vector<Finding>& findings, std::string_view what) {
  return std::ranges::any_of(findings, [&](const Finding& f) {
    EXPECT_FALSE(f.because.empty() || f.hint.empty());
    EXPECT_GT(f.impact, 0);
    return f.message.contains(what) || f.because.contains(what) || f.hint.contains(what);
  });
}

TEST(GoodputFindings, ARunWithoutLossesHasNoFindings) {
  EXPECT_TRUE(FindingsOf("0 start; 0..10 prep; 10..1010 steps 0..99; 1010 end").empty());
}

TEST(GoodputFindings, LargestLossComesFirst) {
  const auto found = FindingsOf("0 start; 0..20 prep; 20..50 load; 50..150 steps 0..9; 150 end");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].message.starts_with("Blocking data loading is "));
  EXPECT_EQ(found[0].severity, Severity::kHigh);
  EXPECT_EQ(found[0].impact, 30 * kSecond);
  EXPECT_TRUE(found[1].message.starts_with("Preparation before the first step is "));
}

TEST(GoodputFindings, WastedProgressSuggestsCheckpoints) {
  const std::string rest = "110 start; 110..160 steps 5..9; 160 end";
  EXPECT_TRUE(Contains(FindingsOf("0 start; 0..100 steps 0..9;" + rest), "save on SIGTERM"));
  EXPECT_TRUE(
      Contains(FindingsOf("0 start; 0..100 steps 0..9; 100 notice;" + rest), "preemption notice"));
  EXPECT_FALSE(
      Contains(FindingsOf("0 start; 0..100 steps 0..9; 100 end; 110 start; 110..160 steps 10..14"),
               "Wasted progress"));
}

TEST(GoodputFindings, RecoveryHintDependsOnItsLargestPart) {
  const auto down = [](const std::string& scheduler) {
    return FindingsOf("0 start; 0..100 steps 0..9; 100 heartbeat;" + scheduler +
                      "200 start; 200..300 steps 10..19; 300 end");
  };
  EXPECT_TRUE(Contains(down(""), "by heartbeat instead of timeout"));
  EXPECT_TRUE(Contains(down("105 asked 8; 190 given 8;"), "most of it is waiting for resources"));
  EXPECT_TRUE(Contains(down("105 asked 8; 110 given 8;"), "most of it is launch"));
  EXPECT_TRUE(Contains(down("180 asked 8; 190 given 8;"), "most of it is detection"));
  EXPECT_TRUE(
      Contains(FindingsOf("0 start; 0..100 steps 0..9; 100 end; 200 start; 200..300 steps 10..19"),
               "`exclusions`"));
}

TEST(GoodputFindings, HangNeedsALongOpenStep) {
  const std::string scenario = "0 start; 0..100 steps 0..9";
  EXPECT_TRUE(Contains(FindingsOf(scenario, 400), "may hang"));
  EXPECT_FALSE(Contains(FindingsOf(scenario, 105), "may hang"));
  EXPECT_FALSE(Contains(FindingsOf(scenario + "; 100 end", 400), "may hang"));
}

TEST(GoodputFindings, CrashLoopNeedsTwoAttemptsWithoutAStep) {
  const std::string begin = "0 start; 0..100 steps 0..9; 110 start; 110..115 init;";
  const std::string end = "150 start; 150..200 steps 10..14; 200 end";
  EXPECT_TRUE(
      Contains(FindingsOf(begin + "130 start; 130..135 init;" + end), "2 attempts ended before"));
  EXPECT_FALSE(Contains(FindingsOf(begin + end), "ended before"));
}

TEST(GoodputFindings, CustomEventsAreNamed) {
  const std::string begin = "0 start; 0..100 steps 0..9;";
  EXPECT_TRUE(Contains(FindingsOf(begin + "10..19 eval; 100 end"), "run EVAL less often"));
  EXPECT_FALSE(Contains(FindingsOf(begin + "10..11 eval; 100 end"), "EVAL"));
}

}  // namespace
}  // namespace stepscope::goodput::findings_test
