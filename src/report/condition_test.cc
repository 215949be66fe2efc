// Tests conditions on answers: their limits and units, the rows they look at, and what is an error.
#include "stepscope/condition.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "stepscope/compare.h"
#include "tests/support/sample_answer.h"

namespace stepscope::condition_test {
namespace {

// "holds", "does not", or the error.
std::string Judge(const ReportSet& answer, std::string_view text) {
  const auto condition = ParseCondition(text);
  if (!condition) return condition.error().what;
  const auto matches = Matches(answer, {*condition});
  if (!matches) return matches.error().what;
  return matches->empty() ? "does not" : matches->front();
}

// What the error suggests.
std::string HintOn(const ReportSet& answer, std::string_view text) {
  const auto condition = ParseCondition(text);
  if (!condition) return condition.error().hint;
  const auto matches = Matches(answer, {*condition});
  return matches ? "no error" : matches.error().hint;
}

// A plain number says no unit: 20 is not 2000%, and 5 is not 5 ns.
TEST(Conditions, RefuseAPlainLimitThatMayBeMisread) {
  const ReportSet answer = SampleIdleRanks(0.25, {{int64_t{0}, int64_t{5'000}}});
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle>5"),
            "cannot judge 'temporal_breakdown.idle>5': the limit is a plain number, but idle is a "
            "time");
  EXPECT_TRUE(HintOn(answer, "temporal_breakdown.idle>5").starts_with("write a time: 5s"));
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle_ratio>20"),
            "cannot judge 'temporal_breakdown.idle_ratio>20': the limit is a plain number above 1, "
            "but idle_ratio is a share");
  EXPECT_TRUE(HintOn(answer, "temporal_breakdown.idle_ratio>20").starts_with("write a share: 20%"));
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle_ratio>1"), "does not");
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle_ratio>0.2"),
            "temporal_breakdown.idle_ratio>0.2: it is 25.0%");
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle_ratio>150%"), "does not");
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle>0"),
            "temporal_breakdown.idle>0: it is 5.00 µs (rank 0)");
}

TEST(Conditions, TakePercentagePointsForDifferencesOfShares) {
  const ReportSet answer = Compare(SampleIdleRanks(0.2, {}), SampleIdleRanks(0.26, {}));
  for (const char* limit : {"5pp", " 5 pp", "5%", "0.05"}) {
    const std::string text = std::string("temporal_breakdown.idle_ratio_change>") + limit;
    EXPECT_EQ(Judge(answer, text), text + ": it is 6.0 pp");
  }
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle_ratio_change<-7pp"), "does not");
  EXPECT_TRUE(Judge(answer, "temporal_breakdown.idle_ratio_change>5").contains("above 1"));
  EXPECT_TRUE(Judge(answer, "temporal_breakdown.idle_ratio<5pp").contains("is a share"));
  EXPECT_TRUE(HintOn(answer, "temporal_breakdown.idle_rato:+5%").contains("did you mean"));
}

TEST(Conditions, LookAtMetricsAndAtEveryRow) {
  const ReportSet answer =
      SampleIdleRanks(0.25, {{int64_t{0}, int64_t{5'000}}, {int64_t{1}, int64_t{90}}});
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle_ratio<0.5"),
            "temporal_breakdown.idle_ratio<0.5: it is 25.0%");
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle_ratio < 25%"), "does not");
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle_ratio<=25%"),
            "temporal_breakdown.idle_ratio<=25%: it is 25.0%");
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle>=5us"),
            "temporal_breakdown.idle>=5us: it is 5.00 µs (rank 0)");
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle>=5\u00b5s"),
            "temporal_breakdown.idle>=5\u00b5s: it is 5.00 µs (rank 0)");
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle>0.000005s"), "does not");
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle<1h30m").substr(0, 36),
            "temporal_breakdown.idle<1h30m: it is");
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle<1GiB"),
            "cannot judge 'temporal_breakdown.idle<1GiB': the limit is a size, but idle is a time");
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle_ratio<5s"),
            "cannot judge 'temporal_breakdown.idle_ratio<5s': the limit is a time, but "
            "idle_ratio is a share");
  EXPECT_EQ(Judge(answer, "temporal_breakdown.ranks.idle>5us"), "does not");
}

TEST(Conditions, OfAComparisonMayAskForChanges) {
  const ReportSet answer = Compare(SampleIdleRanks(0.2, {{int64_t{0}, int64_t{100}}}),
                                   SampleIdleRanks(0.2, {{int64_t{0}, int64_t{94}}}));
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle:-5%"),
            "temporal_breakdown.idle:-5%: it is -6.0% (rank 0)");
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle: -7%"), "does not");
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle:+5%"), "does not");
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle<95ns"),
            "temporal_breakdown.idle<95ns: it is 94 ns (rank 0)");
}

TEST(Conditions, ThatCannotBeJudgedAreErrors) {
  ReportSet answer = SampleIdleRanks(0.25, {});
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idel_ratio<1"),
            "cannot judge 'temporal_breakdown.idel_ratio<1': there is no number 'idel_ratio' in "
            "temporal_breakdown");
  EXPECT_EQ(HintOn(answer, "temporal_breakdown.idel_ratio<1"), "did you mean 'idle_ratio'?");
  EXPECT_EQ(HintOn(answer, "temporal_breakdown.idle_rat<1"), "did you mean 'idle_ratio'?");
  EXPECT_TRUE(HintOn(answer, "temporal_breakdown.zzzzzzzz<1").starts_with("write one of: "));
  EXPECT_TRUE(HintOn(answer, "temporal_breakdown.rank.idle<1s").contains("did you mean 'ranks'?"));
  EXPECT_EQ(HintOn(answer, "temporal_breakdwn.idle<1s"), "did you mean 'temporal_breakdown'?");
  EXPECT_EQ(Judge(answer, "overlap.x<1"),
            "cannot judge 'overlap.x<1': the answer has no report 'overlap'");
  EXPECT_EQ(
      Judge(answer, "temporal_breakdown.idle:+5%"),
      "cannot judge 'temporal_breakdown.idle:+5%': a change (:+5%) is of two runs, and this is not "
      "a comparison");
  EXPECT_TRUE(HintOn(answer, "temporal_breakdown.idle:+5%").contains("`compare`"));
  answer.reports[0].status = Status::kUnavailable;
  answer.reports[0].why = "no work";
  EXPECT_EQ(Judge(answer, "temporal_breakdown.idle_ratio<1"),
            "cannot judge 'temporal_breakdown.idle_ratio<1': temporal_breakdown is unavailable: no "
            "work");
  for (const char* text : {"", "a.b", "a.b<", "a.b<x", "ab<1", ".b<1", "a.<1", "a.b:5%", "a.b:+5",
                           "<", "a.b<1e999", "a.b<5kg"}) {
    EXPECT_FALSE(ParseCondition(text)) << text;
  }
}

}  // namespace
}  // namespace stepscope::condition_test
