// Tests that snapshots of continuous profiling are windows of one rank.
#include <gtest/gtest.h>

#include <string>

#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/support/sample_xspace.h"

namespace stepscope::snapshots_test {
namespace {

using testing::Ask;
using testing::NoteCount;
using testing::ScratchFolder;

constexpr int64_t kMs = 1'000'000;

// Ten steps of 10 ms from `start` ms on, of which a kernel runs for 6.
std::string Snapshot(int64_t start, int64_t first_step) {
  SampleXSpace file;
  SampleLine& thread = file.Plane("/host:CPU").Line(7, "python");
  SampleLine& stream = file.Plane("/device:GPU:0").Line(7, "Stream #7");
  file.Plane("Task Environment")
      .Stats({{"profile_start_time",
               uint64_t{1'736'000'000'000'000'000} + static_cast<uint64_t>(start * kMs)}});
  for (int64_t step = 0; step < 10; ++step) {
    const int64_t at = step * 10 * kMs, id = first_step + step;
    thread.Event("train", at, 9 * kMs, {{"_r", 1}, {"step_num", id}});
    thread.Event("cuLaunchKernel", at + kMs, kMs, {{"correlation_id", id + 1}});
    stream.Event("gemm", at + 2 * kMs, 6 * kMs, {{"correlation_id", id + 1}});
  }
  return file.Bytes();
}

std::string NameOf(std::string_view process, int number) {
  return "plugins/profile/2026_11_27_00_24_54/" + std::string(process) + ".window-000" +
         std::to_string(number) + ".xplane.pb";
}

TEST(Snapshots, AreWindowsOfTheRankThatRecordedThem) {
  const ScratchFolder folder;
  for (int k = 0; k < 3; ++k) {
    folder.Write(NameOf("a_9012", k + 1), Snapshot(k * 1000, k * 10));
    folder.Write(NameOf("b_9012", k + 1), Snapshot(k * 1000, k * 10));
  }
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->run.ranks, 2);
  EXPECT_EQ(answer->run.files.size(), 6u);
  EXPECT_EQ(NoteCount(*answer, "snapshots"), 6);
  EXPECT_EQ(NoteCount(*answer, "other_profiles"), 0);
  for (const InputFile& file : answer->run.files) {
    EXPECT_EQ(file.rank, file.path.contains("/a_") ? 0 : 1) << file.path;
    EXPECT_TRUE(file.path.contains(".window-000" + std::to_string(file.window + 1))) << file.path;
  }
}

// In each window 4 ms are idle nine times; the 904 ms between two are not counted.
TEST(Snapshots, TheTimeBetweenThemIsNotIdle) {
  const ScratchFolder folder;
  for (int k = 0; k < 3; ++k) folder.Write(NameOf("a", k + 1), Snapshot(k * 1000, k * 10));
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  const auto rows = testing::RowsOf(*answer, "temporal_breakdown", "ranks");
  EXPECT_EQ(testing::SumOf(rows, "idle"), 3 * 9 * 4 * kMs);
}

// As of steps that nothing marks, which each snapshot numbers from 0.
TEST(Snapshots, StepsAreNumberedOn) {
  const ScratchFolder folder;
  for (int k = 0; k < 3; ++k) folder.Write(NameOf("a", k + 1), Snapshot(k * 1000, 0));
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(std::get<int64_t>(testing::MetricOf(*answer, "steps", "steps")), 30);
  const auto rows = testing::RowsOf(*answer, "overview", "steps");
  EXPECT_EQ(rows.back().Int("step"), 29);
}

// Windows of one number were recorded at one time, though a process lacks one before.
TEST(Snapshots, StepsOfRanksKeepTheirNumbersWhereAWindowWasLost) {
  const ScratchFolder folder;
  for (int k = 0; k < 3; ++k) {
    folder.Write(NameOf("a", k + 1), Snapshot(k * 1000, 0));
    if (k != 1) folder.Write(NameOf("b", k + 1), Snapshot(k * 1000, 0));
  }
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(std::get<int64_t>(testing::MetricOf(*answer, "steps", "steps")), 30);
}

TEST(Snapshots, AreCountedOnceWhereAServerKeepsWhatWasFetched) {
  const ScratchFolder folder;
  folder.Write(NameOf("a", 1), Snapshot(0, 0));
  folder.Write(NameOf("a", 2), Snapshot(50, 5));    // the half of it again
  folder.Write(NameOf("a", 3), Snapshot(100, 10));  // 10 to 19 are told by this one
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(std::get<int64_t>(testing::MetricOf(*answer, "overview", "steps")), 20);
  EXPECT_EQ(NoteCount(*answer, "repeated_snapshot"), 1);
}

}  // namespace
}  // namespace stepscope::snapshots_test
