// Tests what is said of a capture.
#include <gtest/gtest.h>

#include "stepscope/capture.h"
#include "stepscope/condition.h"
#include "stepscope/write.h"

namespace stepscope::capture::report_test {
namespace {

CaptureOutcome Of(int64_t rank, const std::string& reason) {
  const bool came = reason.empty();
  return {.target = {.address = "pid " + std::to_string(rank + 100), .rank = rank},
          .file = came ? "rank-" + std::to_string(rank) + ".json" : "",
          .bytes = came ? 1000 : 0,
          .reason = reason};
}

TEST(CaptureReport, SaysHowManyGaveATrace) {
  const CaptureResult all{.outcomes = {Of(0, ""), Of(1, "")}};
  const ReportSet answer = ReportOfCapture(all);
  EXPECT_EQ(answer.verdict.str(), "2 of 2 workers were traced for 500 ms.");
  EXPECT_EQ(answer.reports.front().status, Status::kOk);
}

// As the first profile of a JAX process that imports TensorFlow for it.
TEST(CaptureReport, SaysWhatWasRecordedWhereThatIsMuchMore) {
  CaptureResult all{
      .window = {.duration = 1'000'000'000}, .longest = 20'100'000'000, .outcomes = {Of(0, "")}};
  EXPECT_EQ(ReportOfCapture(all).verdict.str(),
            "1 of 1 workers were traced, for up to 20.1 s where 1.00 s were asked for: the first "
            "profile of a process may load libraries meanwhile. Capture again before comparing "
            "ranks.");
  all.longest = 1'900'000'000;
  EXPECT_EQ(ReportOfCapture(all).verdict.str(), "The worker was traced for 1.00 s.");
}

TEST(CaptureReport, SaysWhyOneIsMissing) {
  const CaptureResult some{.window = {.iterations = 5},
                           .outcomes = {Of(0, ""), Of(1, ""), Of(2, "its own profiler runs")}};
  const ReportSet answer = ReportOfCapture(some);
  EXPECT_EQ(answer.verdict.str(),
            "2 of 3 workers were traced for 5 steps. Rank 2 gave no trace: its own profiler runs.");
  EXPECT_EQ(answer.reports.front().status, Status::kPartial);
  const auto condition = ParseCondition("capture.missing>0");
  ASSERT_TRUE(condition.has_value());
  EXPECT_EQ(Matches(answer, {*condition})->size(), 1u);
}

TEST(CaptureReport, AnAddressKeepsItsLetters) {
  CaptureOutcome none = Of(0, "nothing listens on this port; start a server");
  none.target.rank = -1;
  none.target.address = "localhost:9012";
  EXPECT_EQ(ReportOfCapture({.outcomes = {none}}).verdict.str(),
            "localhost:9012 gave no trace: nothing listens on this port; start a server.");
}

TEST(CaptureReport, NamesRanksThatWereNotFound) {
  CaptureResult result{.outcomes = {Of(0, ""), Of(2, "")}};
  for (CaptureOutcome& outcome : result.outcomes) {
    outcome.file = "rank.json";
    outcome.target.world_size = 4;
  }
  const ReportSet answer = ReportOfCapture(result);
  EXPECT_EQ(
      answer.verdict.str(),
      "2 of 2 workers were traced for 500 ms. Ranks of the job that were not found here: 1, 3.");
  EXPECT_EQ(answer.reports.front().status, Status::kPartial);
}

TEST(CaptureReport, SaysTheReasonOfOneOnce) {
  EXPECT_EQ(ReportOfCapture({.outcomes = {Of(0, "it ended")}}).verdict.str(),
            "Rank 0 gave no trace: it ended.");
}

TEST(CaptureReport, IsUnavailableWithoutAProcess) {
  const ReportSet none = ReportOfCapture({.outcomes = {Of(0, "it ended")}});
  EXPECT_EQ(none.reports.front().status, Status::kPartial);
  EXPECT_EQ(none.reports.front().why.str(), "Rank 0 gave no trace: it ended");
  const ReportSet nobody = ReportOfCapture({});
  EXPECT_EQ(nobody.reports.front().status, Status::kUnavailable);
  EXPECT_EQ(nobody.reports.front().why.str(), "no process was found that can be traced");
}

TEST(CaptureReport, ListsWhoWouldBeTraced) {
  CaptureResult dry{.dry_run = true, .outcomes = {Of(0, "")}};
  dry.outcomes.front().file = "";
  dry.others = {{.address = "pid 9", .chosen = false, .reason = "launcher of pid 100"}};
  const std::string text = Write(ReportOfCapture(dry), Format::kText);
  EXPECT_TRUE(text.contains("1 worker would be traced; not chosen: 1.")) << text;
  EXPECT_TRUE(text.contains("launcher of pid 100")) << text;
}

}  // namespace
}  // namespace stepscope::capture::report_test
