// Kills recording processes; every event whose call had returned must be present.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "goodput/accounting/duplicates.h"
#include "goodput/recorder/segment_reader.h"
#include "stepscope/goodput.h"
#include "tests/scratch.h"

namespace stepscope::goodput::recorder_kill_test {
namespace {

#ifdef __SANITIZE_THREAD__
constexpr bool kUnderThreadSanitizer = true;
#else
constexpr bool kUnderThreadSanitizer = false;
#endif

constexpr size_t kThreads = 2;
constexpr int64_t kStride = int64_t{1} << 32;  // between the steps of threads

// How far each thread of the child has come, in memory that outlives it.
using Progress = std::array<std::atomic<int64_t>, kThreads>;

Progress* SharedProgress() {
  void* memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return new (memory) Progress();
}

// Steps, and now and then an event of several slots.
void RecordForEver(stepscope_goodput* recorder, int64_t thread, std::atomic<int64_t>& done) {
  for (int64_t k = 0;; ++k) {
    stepscope_goodput_event event;
    stepscope_goodput_event_init(&event, sizeof event, STEPSCOPE_GOODPUT_STEP_START);
    event.step = thread * kStride + k;
    if (k % 10 == 0) event.text = "a text that takes more than one further slot of a segment";
    while (stepscope_goodput_record(recorder, &event) != STEPSCOPE_GOODPUT_OK) usleep(100);
    done.store(k + 1);
    if (k % 64 == 0) usleep(50);
  }
}

[[noreturn]] void Child(const std::string& folder, Progress& progress) {
  stepscope_goodput_options options;
  stepscope_goodput_defaults(&options, sizeof options);
  options.directory = folder.c_str();
  options.job = "killed";
  options.segment_bytes = 256 << 10;
  options.sync_ns = 20'000'000;
  stepscope_goodput* recorder = stepscope_goodput_open(&options);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back(
        [=, &progress] { RecordForEver(recorder, static_cast<int64_t>(t), progress[t]); });
  }
  while (true) pause();
}

void KillInTheMiddle(const std::string& folder, Progress& progress, int64_t microseconds) {
  for (auto& done : progress) done.store(0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) Child(folder, progress);
  while (progress[0].load() == 0) usleep(100);
  usleep(static_cast<useconds_t>(microseconds));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(RecorderKill, LosesNoReturnedCall) {
  Progress& progress = *SharedProgress();
  std::mt19937 random(20'261'121);
  int64_t total = 0;
  for (int round = 0; round < 100; ++round) {
    const testing::ScratchFolder scratch;
    KillInTheMiddle(scratch.path(), progress, random() % 40'000);
    std::array<std::vector<int64_t>, kThreads> steps;
    Notes note_counts;
    Duplicates duplicates;
    ASSERT_TRUE(ReadSegments(scratch.path(), note_counts, [&](const Event& event) {
      EXPECT_FALSE(duplicates.Seen(event));
      if (event.kind != EventKind::kStepStart) return;
      steps[static_cast<size_t>(event.step / kStride)].push_back(event.step % kStride);
    }));
    for (size_t t = 0; t < kThreads; ++t) {
      const int64_t returned = progress[t].load();
      total += returned;
      // Each thread's steps are there without a gap, and at most the call that was cut off beyond.
      ASSERT_GE(static_cast<int64_t>(steps[t].size()), returned) << "round " << round;
      ASSERT_LE(static_cast<int64_t>(steps[t].size()), returned + 1);
      for (size_t k = 0; k < steps[t].size(); ++k) {
        ASSERT_EQ(steps[t][k], static_cast<int64_t>(k));
      }
    }
    // A call cut off may leave a torn record or a number that is missing, one by thread.
    ASSERT_LE(note_counts.Count(NoteKind::kBadRecord), static_cast<int64_t>(kThreads));
    ASSERT_LE(duplicates.Missing(), static_cast<int64_t>(kThreads));
    ASSERT_EQ(note_counts.Count(NoteKind::kBadSegment), 0);
  }
  EXPECT_GT(total, 10'000);
}

TEST(RecorderKill, ProcessesShareAFolder) {
  if (kUnderThreadSanitizer) GTEST_SKIP() << "it cannot follow forks of several threads";
  const testing::ScratchFolder scratch;
  Progress& one = *SharedProgress();
  Progress& two = *SharedProgress();
  std::thread other([&] { KillInTheMiddle(scratch.path(), two, 30'000); });
  KillInTheMiddle(scratch.path(), one, 30'000);
  other.join();
  KillInTheMiddle(scratch.path(), one, 1000);  // and a restart of the first
  std::set<std::string> writers;
  Notes note_counts;
  Duplicates duplicates;
  ASSERT_TRUE(ReadSegments(scratch.path(), note_counts, [&](const Event& event) {
    writers.insert(event.writer);
    EXPECT_FALSE(duplicates.Seen(event));
  }));
  EXPECT_EQ(writers.size(), 3u);
}

}  // namespace
}  // namespace stepscope::goodput::recorder_kill_test
