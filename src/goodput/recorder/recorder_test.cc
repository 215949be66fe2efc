// Checks the recorder's guarantees on threads, full disks, forks and files.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "stepscope/goodput.h"
#include "tests/scratch.h"
#include "tests/support/recorded.h"

namespace stepscope::goodput::recorder_test {
namespace {

TEST(Recorder, CloseTruncatesTheFile) {
  const testing::ScratchFolder scratch;
  {
    GoodputRecorder({.directory = scratch.path()}).StepStart(1);
  }
  ASSERT_EQ(CountSegmentsIn(scratch.path()), 1u);
  for (const auto& file : std::filesystem::directory_iterator(scratch.path())) {
    if (file.path().extension() != kSegmentSuffix) continue;
    EXPECT_EQ(file.file_size(), kSlotsBegin + kSlotBytes);
  }
  const testing::ScratchFolder unused;
  {
    GoodputRecorder nothing({.directory = unused.path()});
  }
  EXPECT_TRUE(std::filesystem::is_empty(unused.path()));
}

// Slots, sequence numbers and the change of segments hold when threads race for them.
TEST(Recorder, ThreadsRecordAtOnceThroughManySegments) {
  constexpr int kThreads = 4;
  constexpr int64_t kEach = 20'000;
  const testing::ScratchFolder scratch;
  const auto options = SmallSegmentsIn(scratch.path());
  stepscope_goodput* recorder = stepscope_goodput_open(&options);
  std::vector<std::vector<int64_t>> recorded(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        const std::string text(static_cast<size_t>(t) * 20, 't');
        stepscope_goodput_event event;
        stepscope_goodput_event_init(&event, sizeof event, STEPSCOPE_GOODPUT_CUSTOM_BEGIN);
        event.text = text.c_str();
        for (int64_t k = 0; k < kEach; ++k) {
          event.step = t * kEach + k;
          if (stepscope_goodput_record(recorder, &event) == STEPSCOPE_GOODPUT_OK) {
            recorded[static_cast<size_t>(t)].push_back(event.step);
          } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));  // room is being made
          }
        }
      });
    }
  }
  const int64_t dropped = stepscope_goodput_dropped(recorder);
  stepscope_goodput_close(recorder);
  std::set<int64_t> expected;
  for (const auto& steps : recorded) expected.insert(steps.begin(), steps.end());
  EXPECT_EQ(static_cast<int64_t>(expected.size()) + dropped, kThreads * kEach);
  EXPECT_GT(expected.size(), 2000u);  // beyond the first segment

  const auto all = ReadRecorded(scratch.path());
  std::set<int64_t> read;
  int64_t told = 0;
  for (const Event& event : all.events) {
    if (event.kind == EventKind::kDropped) {
      told += event.counts[0];
    } else {
      EXPECT_EQ(event.text.size(), static_cast<size_t>(event.step / kEach) * 20);
      EXPECT_TRUE(read.insert(event.step).second);
    }
  }
  EXPECT_EQ(read, expected);
  EXPECT_EQ(told, dropped);
  EXPECT_EQ(all.missing, 0);
  EXPECT_EQ(all.duplicates, 0);
  EXPECT_TRUE(all.note_counts.List().empty());
}

// At the pace of a training loop no event is lost to the change of segments.
TEST(Recorder, RotatesAheadOfTime) {
  const testing::ScratchFolder scratch;
  const auto options = SmallSegmentsIn(scratch.path());
  stepscope_goodput* recorder = stepscope_goodput_open(&options);
  for (int64_t step = 0; step < 6000; ++step) {
    EXPECT_EQ(stepscope_goodput_step_start(recorder, step), STEPSCOPE_GOODPUT_OK);
    if (step % 20 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(stepscope_goodput_dropped(recorder), 0);
  stepscope_goodput_close(recorder);
  EXPECT_EQ(CountSegmentsIn(scratch.path()), 4u);  // 6,000 / 1,792
  const auto all = ReadRecorded(scratch.path());
  ASSERT_EQ(all.events.size(), 6000u);
  for (int64_t step = 0; step < 6000; ++step) {
    const Event& event = all.events[static_cast<size_t>(step)];
    EXPECT_EQ(event.step, step);
    EXPECT_EQ(event.sequence, step);
  }
}

// Without a thread only tick makes room: dropped events are counted and recorded later.
TEST(Recorder, CountsAndRecordsDroppedEvents) {
  const testing::ScratchFolder scratch;
  auto options = SmallSegmentsIn(scratch.path());
  options.no_thread = 1;
  stepscope_goodput* recorder = stepscope_goodput_open(&options);
  int64_t dropped = 0;
  for (int64_t step = 0; step < 2000; ++step) {
    dropped += stepscope_goodput_step_start(recorder, step) == STEPSCOPE_GOODPUT_DROPPED ? 1 : 0;
  }
  EXPECT_EQ(dropped, 2000 - 1792);
  EXPECT_EQ(stepscope_goodput_dropped(recorder), dropped);
  stepscope_goodput_tick(recorder);
  EXPECT_EQ(stepscope_goodput_step_start(recorder, 2000), STEPSCOPE_GOODPUT_OK);
  stepscope_goodput_close(recorder);
  const auto all = ReadRecorded(scratch.path());
  ASSERT_EQ(all.events.size(), 1792u + 2);
  EXPECT_EQ(all.events[1792].kind, EventKind::kDropped);
  EXPECT_EQ(all.events[1792].counts[0], dropped);
  EXPECT_EQ(all.events[1793].step, 2000);
  EXPECT_EQ(all.missing, 0);
}

// A limit on the size of files stands in for a full disk: a disk would have to be filled.
TEST(Recorder, FullDiskDropsEvents) {
  const testing::ScratchFolder scratch;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = 32 << 10, .rlim_max = before.rlim_max};
  std::vector<std::string> problems;
  auto options = SmallSegmentsIn(scratch.path());
  options.no_thread = 1;
  options.context = &problems;
  options.on_problem = [](void* context, const char* sentence) {
    static_cast<std::vector<std::string>*>(context)->push_back(sentence);
  };
  setrlimit(RLIMIT_FSIZE, &small);
  stepscope_goodput* recorder = stepscope_goodput_open(&options);
  for (int64_t step = 0; step < 50; ++step) {
    EXPECT_EQ(stepscope_goodput_step_start(recorder, step), STEPSCOPE_GOODPUT_DROPPED);
    stepscope_goodput_tick(recorder);
  }
  EXPECT_EQ(stepscope_goodput_flush(recorder), STEPSCOPE_GOODPUT_DROPPED);
  setrlimit(RLIMIT_FSIZE, &before);
  stepscope_goodput_tick(recorder);
  EXPECT_EQ(stepscope_goodput_step_start(recorder, 50), STEPSCOPE_GOODPUT_OK);
  stepscope_goodput_close(recorder);
  ASSERT_EQ(problems.size(), 1u);  // told once
  EXPECT_NE(problems[0].find("File too large"), std::string::npos) << problems[0];
  const auto all = ReadRecorded(scratch.path());
  ASSERT_EQ(all.events.size(), 2u);
  EXPECT_EQ(all.events[0].kind, EventKind::kDropped);
  EXPECT_EQ(all.events[0].counts[0], 50);
  EXPECT_EQ(all.events[1].step, 50);
}

TEST(Recorder, UnwritableDirectoryIsReported) {
  const testing::ScratchFolder scratch;
  const std::string file = scratch.Write("file", "");
  int told = 0;
  auto options = SmallSegmentsIn(file);
  options.context = &told;
  options.on_problem = [](void* context, const char*) { ++*static_cast<int*>(context); };
  stepscope_goodput* recorder = stepscope_goodput_open(&options);
  EXPECT_EQ(stepscope_goodput_step_start(recorder, 1), STEPSCOPE_GOODPUT_DROPPED);
  stepscope_goodput_close(recorder);
  EXPECT_GE(told, 1);
}

TEST(Recorder, ForkedChildWritesItsOwnFiles) {
  const testing::ScratchFolder scratch;
  const auto options = SmallSegmentsIn(scratch.path());
  stepscope_goodput* recorder = stepscope_goodput_open(&options);
  EXPECT_EQ(stepscope_goodput_step_start(recorder, 0), STEPSCOPE_GOODPUT_OK);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool good = true;
    for (int64_t step = 100; step < 200; ++step) {
      good = stepscope_goodput_step_start(recorder, step) == STEPSCOPE_GOODPUT_OK && good;
    }
    good = stepscope_goodput_dropped(recorder) == 0 && good;
    stepscope_goodput_close(recorder);
    _exit(good ? 0 : 1);
  }
  for (int64_t step = 1; step < 100; ++step) stepscope_goodput_step_start(recorder, step);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  stepscope_goodput_close(recorder);
  const auto all = ReadRecorded(scratch.path());
  std::map<std::string, std::vector<int64_t>> steps;
  for (const Event& event : all.events) steps[event.writer].push_back(event.step);
  ASSERT_EQ(steps.size(), 2u);
  for (const auto& [writer, of_writer] : steps) {
    ASSERT_EQ(of_writer.size(), 100u);
    EXPECT_TRUE(std::ranges::is_sorted(of_writer));
    EXPECT_EQ(of_writer.front() % 100, 0);
    EXPECT_EQ(of_writer.back() - of_writer.front(), 99);
  }
  EXPECT_EQ(all.missing, 0);
}

TEST(Recorder, IdleForkedChildLeavesNoTrace) {
  const testing::ScratchFolder scratch;
  GoodputRecorder recorder({.directory = scratch.path()});
  EXPECT_TRUE(recorder.StepStart(1));
  const pid_t child = fork();
  if (child == 0) {
    stepscope_goodput_close(recorder.c());
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(recorder.StepStart(2));
  EXPECT_EQ(ReadRecorded(scratch.path()).events.size(), 2u);
}

TEST(Recorder, WritesHeartbeats) {
  const testing::ScratchFolder scratch;
  auto options = SmallSegmentsIn(scratch.path());
  options.heartbeat_ns = 20'000'000;
  options.sync_ns = 10'000'000;
  stepscope_goodput* recorder = stepscope_goodput_open(&options);
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  stepscope_goodput_close(recorder);
  const auto all = ReadRecorded(scratch.path());
  EXPECT_GE(all.events.size(), 3u);
  EXPECT_LE(all.events.size(), 20u);
  for (const Event& event : all.events) EXPECT_EQ(event.kind, EventKind::kHeartbeat);
}

// The recorder writes down what the clock says. That it stepped back shows beside the other clock.
TEST(Recorder, KeepsDecreasingTimes) {
  const testing::ScratchFolder scratch;
  {
    GoodputRecorder recorder({.directory = scratch.path()});
    EXPECT_TRUE(recorder.JobStart(1000) && recorder.JobEnd(500) && recorder.StepStart(1));
    EXPECT_TRUE(recorder.JobSubmitted(-1) && recorder.StepStart(2));
  }
  const auto all = ReadRecorded(scratch.path());
  ASSERT_EQ(all.events.size(), 5u);
  EXPECT_EQ(all.events[0].time, 1000);
  EXPECT_EQ(all.events[1].time, 500);
  EXPECT_EQ(all.events[3].time, -1);
  EXPECT_GT(all.events[2].monotonic, 0);
  EXPECT_GE(all.events[4].monotonic, all.events[2].monotonic);
}

}  // namespace
}  // namespace stepscope::goodput::recorder_test
