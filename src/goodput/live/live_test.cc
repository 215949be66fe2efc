// Checks a growing directory: new events, new files, closed recorders, invalid files.
#include "goodput/live/live.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/time_units.h"
#include "goodput/recorder/recorder.h"
#include "tests/scratch.h"
#include "tests/support/files_limit.h"

namespace stepscope::goodput::live_test {
namespace {

constexpr int64_t kBegin = 1'780'000'000 * kSecond;

// A recorder of events at times of our own, in seconds from kBegin.
class Recording {
 public:
  Recording(const std::string& folder, const std::string& name)
      : recorder_({.directory = folder,
                   .job = name,
                   .attempt = "a1",
                   .segment_bytes = 64 << 10,
                   .heartbeat = 0,
                   .background = false}) {}

  void Say(EventKind kind, int64_t at, int64_t step = kUnknown) {
    Record record{.kind = kind, .time = kBegin + at * kSecond, .step = step};
    ASSERT_TRUE(recorder_.Write(record));
  }
  void Tick() { recorder_.Tick(MonotonicClock()); }
  void Close() { recorder_.Close(); }

 private:
  Recorder recorder_;
};

TEST(Live, FollowsAddedEvents) {
  const testing::ScratchFolder scratch;
  Recording a(scratch.path(), "a");
  Live live(scratch.path());
  const int64_t now = kBegin + 100 * kSecond;
  a.Say(EventKind::kJobStart, 0);
  a.Say(EventKind::kStepStart, 10, 0);
  ASSERT_TRUE(live.Poll(now));
  EXPECT_EQ(live.jobs().at("a").step, 0);
  EXPECT_EQ(live.jobs().at("a").events(), 2);
  a.Say(EventKind::kStepStart, 20, 1);
  a.Say(EventKind::kCheckpointCommit, 21, 0);
  Recording b(scratch.path(), "b");
  b.Say(EventKind::kJobStart, 30);
  ASSERT_TRUE(live.Poll(now));
  ASSERT_TRUE(live.Poll(now));
  LiveJob& job = live.jobs().at("a");
  EXPECT_EQ(job.events(), 4);
  EXPECT_EQ(job.step, 1);
  EXPECT_EQ(job.latest, kBegin + 21 * kSecond);
  EXPECT_EQ(job.checkpoint_step, 0);
  const Partition partition = job.accounting().Query({.at = now});
  EXPECT_EQ(partition.At(Bucket::kProductive), 10 * kSecond);
  EXPECT_EQ(partition.At(Bucket::kInProgress), 80 * kSecond);
  EXPECT_EQ(partition.total(), 100 * kSecond);
  EXPECT_EQ(live.jobs().at("b").events(), 1);
}

// A server answers between pieces.
TEST(Live, ReadsInPieces) {
  const testing::ScratchFolder scratch;
  const int64_t now = kBegin + 1'000'000 * kSecond;
  constexpr int64_t kSteps = 8'000;  // five files of 64 KB
  Recording a(scratch.path(), "a");
  for (int64_t step = 0; step < kSteps; ++step) {
    a.Say(EventKind::kStepStart, step, step);
    if (step % 500 == 0) a.Tick();
  }
  a.Close();
  Live live(scratch.path());
  int pieces = 1;
  for (auto all = live.PollFor(now, 0); !*all; all = live.PollFor(now, 0)) {
    ASSERT_TRUE(all);
    ASSERT_LT(++pieces, 100);
  }
  EXPECT_GE(pieces, 5);
  EXPECT_EQ(live.jobs().at("a").events(), kSteps);
  // In the midst of a round, Poll reads what files have that were passed before.
  Recording b(scratch.path(), "b");
  for (int64_t step = 0; step < 100; ++step) b.Say(EventKind::kStepStart, step, step);
  const auto some = live.PollFor(now, 0);
  ASSERT_TRUE(some);
  b.Say(EventKind::kStepStart, 100, 100);
  ASSERT_TRUE(live.Poll(now));
  EXPECT_EQ(live.jobs().at("b").events(), 101);
}

TEST(Live, FollowsNewFilesAndClosedOnes) {
  const testing::ScratchFolder scratch;
  Live live(scratch.path());
  Recording a(scratch.path(), "a");
  const int64_t now = kBegin + 1'000'000 * kSecond;
  constexpr int64_t kSteps = 20'000;  // several files of 64 KB
  for (int64_t step = 0; step < kSteps; ++step) {
    a.Say(EventKind::kStepStart, step, step);
    if (step % 500 == 0) a.Tick();
    if (step % 1700 == 0) {
      ASSERT_TRUE(live.Poll(now));
    }
  }
  a.Say(EventKind::kJobEnd, kSteps);
  a.Close();
  ASSERT_TRUE(live.Poll(now));
  ASSERT_TRUE(live.Poll(now));
  EXPECT_EQ(live.jobs().at("a").events(), kSteps + 1);
  EXPECT_EQ(live.jobs().at("a").accounting().Query().At(Bucket::kProductive), kSteps * kSecond);
  // The first file under another name, as a copy into the folder would be: nothing counts twice.
  std::string first;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path())) {
    const std::string path = entry.path();
    if (path.ends_with(".goodput") && (first.empty() || path < first)) first = path;
  }
  std::filesystem::copy_file(first, first + ".copy.goodput");
  ASSERT_TRUE(live.Poll(now));
  EXPECT_EQ(live.jobs().at("a").events(), kSteps + 1);
  EXPECT_GT(live.jobs().at("a").note_counts().Count(NoteKind::kDuplicate), 0);
}

TEST(Live, ReadsMoreSegmentsThanMayBeOpen) {
  const testing::ScratchFolder scratch;
  for (int job = 0; job < 150; ++job) {
    Recording recording(scratch.path(), fmt::format("job{}", job));
    recording.Say(EventKind::kJobStart, 0);
    recording.Say(EventKind::kStepStart, 10, 0);
    recording.Close();
  }
  const testing::FilesLimit limit(100);
  Live live(scratch.path());
  ASSERT_TRUE(live.Poll(kBegin + 100 * kSecond));
  EXPECT_EQ(live.jobs().size(), 150u);
  for (const auto& [name, job] : live.jobs()) EXPECT_EQ(job.events(), 2) << name;
}

TEST(Live, CountsInvalidSegmentsAndClocks) {
  const testing::ScratchFolder scratch;
  scratch.Write("bad.goodput", "no segment at all");
  scratch.Write("empty.goodput", "");
  scratch.Write("other.txt", "left alone");
  Recording a(scratch.path(), "a");
  a.Say(EventKind::kJobStart, 0);
  a.Say(EventKind::kHeartbeat, 90'000);  // a day ahead
  Live live(scratch.path());
  for (int poll = 0; poll < 5; ++poll) ASSERT_TRUE(live.Poll(kBegin + kSecond));
  EXPECT_EQ(live.note_counts().Count(NoteKind::kBadSegment), 1);
  const LiveJob& job = live.jobs().at("a");
  EXPECT_EQ(job.latest, kBegin);
  EXPECT_EQ(job.note_counts().Count(NoteKind::kAfterQuery), 1);
  EXPECT_FALSE(Live("/nowhere/at/all").Poll(0));
}

}  // namespace
}  // namespace stepscope::goodput::live_test
