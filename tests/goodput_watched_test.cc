// Tests that what a watch saw of a job is told with its goodput, on the command line and the page.
#include "stepscope/goodput_watched.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/time_units.h"
#include "base/wall_clock.h"
#include "server/ledger_answer.h"
#include "stepscope/goodput.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_report.h"
#include "stepscope/watch.h"
#include "tests/scratch.h"
#include "watch/history.h"

namespace stepscope::testing {
namespace {

// Ten windows, of which the last five are slower, from `begin` on.
void RecordWatchedJob(const std::string& folder, int64_t begin, bool ends = false) {
  GoodputRecorder recorder({.directory = folder, .job = "llm"});
  recorder.JobStart();
  for (int64_t step = 0; step < 3; ++step) recorder.StepStart(step);
  if (ends) recorder.JobEnd();
  auto log = WatchedLog::Open(folder, "llm");
  ASSERT_TRUE(log) << log.error().what;
  for (int64_t k = 0; k < 10; ++k) {
    const WatchedWindow window{.time = begin + k * kMinute,
                               .step_time = k < 5 ? 50'000'000 : 100'000'000,
                               .verdict = "Rank 1 is a straggler."};
    ASSERT_TRUE(log->Add(window.time, RecordOf(window, kMostWatchedText)));
  }
}

TEST(GoodputWatched, TheAnswerAboutAJobOfALedgerTellsWhenItWasSlower) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path() + "/events");
  RecordWatchedJob(folder.path() + "/events", 1'800'000'000 * kSecond);
  const std::string store = folder.path() + "/ledger";
  ASSERT_TRUE(GoodputImport(store, {folder.path() + "/events"}));
  const auto answer = server::Ledgers(GoodputReportOptions{}).AskJob(store, "llm");
  ASSERT_TRUE(answer) << answer.error().what;
  const std::string slow = "For 300 s of 10.0 min steps took longer than usual: about 150 s lost";
  EXPECT_TRUE(answer->verdict.str().contains(slow)) << answer->verdict.str();
  const auto watched = std::ranges::find(answer->reports, "watched", &Report::analysis);
  ASSERT_NE(watched, answer->reports.end());
  EXPECT_EQ(watched->tables[0].rows.size(), 1u);
}

// A watch that goes on when its job has ended says nothing of that time.
TEST(GoodputWatched, WindowsBehindThePlannedEndOfTheJobCountForNothing) {
  const ScratchFolder folder;
  const int64_t begin = WallClock() - 4 * kMinute - 30 * kSecond;  // five windows before its end
  RecordWatchedJob(folder.path(), begin, true);
  int64_t windows = 0;
  const auto count = [&](int64_t, const std::string&) { ++windows; };
  ASSERT_TRUE(GoodputReport({.files = {folder.path()}, .on_watched = count}));
  EXPECT_EQ(windows, 5);
}

}  // namespace
}  // namespace stepscope::testing
