// Tests that what a watch records stays out of the job's course, and of other writers' files.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/time_units.h"
#include "goodput/recorder/segment_name.h"
#include "stepscope/goodput.h"
#include "stepscope/goodput_report.h"
#include "stepscope/goodput_watched.h"
#include "tests/scratch.h"

namespace stepscope::goodput::watched_log_test {
namespace {

namespace fs = std::filesystem;
using testing::Content;
using testing::ScratchFolder;

// The bytes of all files, by name.
std::map<std::string, std::string> FilesIn(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& file : fs::directory_iterator(folder)) files[file.path()] = Content(file.path());
  return files;
}

void RecordSteps(const std::string& folder, const std::string& job, bool ends = true) {
  GoodputRecorder recorder({.directory = folder, .job = job});
  recorder.JobStart();
  for (int64_t step = 0; step < 3; ++step) recorder.StepStart(step);
  if (ends) recorder.JobEnd();
}

class WatchedLogOfAJob : public ::testing::TestWithParam<bool> {};  // whether it has ended

TEST_P(WatchedLogOfAJob, IsReadByGoodputAndTouchesNothingElse) {
  const ScratchFolder folder;
  RecordSteps(folder.path(), "llm", GetParam());
  const auto before = FilesIn(folder.path());
  const int64_t at = WallClock() + 6 * kHour;
  const auto alone = GoodputReport({.files = {folder.path()}, .at = at});
  {
    auto log = WatchedLog::Open(folder.path(), "");
    ASSERT_TRUE(log) << log.error().what;
    EXPECT_EQ(log->job(), "llm");
    // Hours after the job: no part of its course.
    ASSERT_TRUE(log->Add(WallClock() + 5 * kHour, "later"));
    for (int k = 0; k < 200; ++k) ASSERT_TRUE(log->Add(WallClock(), std::string(2000, 'x')));
  }
  std::vector<std::string> texts;
  const auto report = GoodputReport(
      {.files = {folder.path()}, .at = at, .on_watched = [&](int64_t, const std::string& t) {
         texts.push_back(t);
       }});
  ASSERT_TRUE(report && alone);
  // A job that has ended was not watched any more.
  ASSERT_EQ(texts.size(), GetParam() ? 0u : 201u);
  if (!GetParam()) {
    EXPECT_EQ(texts[0], "later");
  }
  EXPECT_EQ(report->verdict, alone->verdict);
  for (const auto& [name, bytes] : FilesIn(folder.path())) {
    const auto own = before.find(name);
    if (own != before.end())
      EXPECT_EQ(own->second, bytes) << name;
    else
      EXPECT_EQ(fs::status(name).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  }
}

INSTANTIATE_TEST_SUITE_P(EndedOrNot, WatchedLogOfAJob, ::testing::Bool());

TEST(WatchedLog, NeedsToKnowTheJob) {
  const ScratchFolder folder;
  EXPECT_EQ(WatchedLog::Open(folder.path(), "").error().what,
            "the directory has no events of a job yet");
  EXPECT_TRUE(WatchedLog::Open(folder.path(), "new"));
  RecordSteps(folder.path(), "a");
  RecordSteps(folder.path(), "b");
  EXPECT_EQ(WatchedLog::Open(folder.path(), "").error().what,
            "the directory has events of 2 jobs: a, b");
  EXPECT_FALSE(WatchedLog::Open(folder.path() + "/missing", ""));
}

}  // namespace
}  // namespace stepscope::goodput::watched_log_test
