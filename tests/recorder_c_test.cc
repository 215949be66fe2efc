// Checks recordings of other languages: a C program through the shared library, and Python.
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "goodput/recorder/segment_reader.h"
#include "stepscope/goodput_ledger.h"
#include "tests/paths.h"
#include "tests/scratch.h"

namespace stepscope::goodput::recorder_c_test {
namespace {

std::vector<Event> ReadAll(const std::string& folder) {
  std::vector<Event> events;
  Notes note_counts;
  EXPECT_TRUE(ReadSegments(folder, note_counts, [&](const Event& e) { events.push_back(e); }));
  EXPECT_TRUE(note_counts.List().empty());
  return events;
}

TEST(RecorderC, CProgramRecords) {
  const testing::ScratchFolder scratch;
  const std::string command = testing::GoodputCTest() + " " + scratch.path();
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto events = ReadAll(scratch.path());
  ASSERT_EQ(events.size(), 204u);
  EXPECT_EQ(events[0].kind, EventKind::kJobStart);
  EXPECT_EQ(events[0].job, "from C");
  EXPECT_EQ(events[200].kind, EventKind::kStepEnd);
  EXPECT_EQ(events[200].step, 99);
  EXPECT_EQ(events[201].text, "gs://bucket");
  EXPECT_EQ(events[201].checkpoint, (CheckpointTimes{.manager = {1, 2}}));
  EXPECT_EQ(events[202].kind, EventKind::kCheckpointSaveBegin);
  EXPECT_EQ(events[203].kind, EventKind::kCheckpointSaveEnd);
  EXPECT_EQ(events[203].step, 99);
}

TEST(RecorderC, PythonRecordsTheSame) {
  if (testing::Python().empty()) GTEST_SKIP() << "no Python here";
  const testing::ScratchFolder scratch;
  const std::string script = testing::SourceDir() + "/tests/record_everything.py";
  const std::string command = testing::Python() + " " + script + " " + scratch.path();
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::vector<Event> events;
  Notes note_counts;
  ASSERT_TRUE(
      ReadSegments(scratch.path(), note_counts, [&](const Event& e) { events.push_back(e); }));
  EXPECT_EQ(note_counts.Count(NoteKind::kCutText), 1);
  EXPECT_EQ(note_counts.List().size(), 1u);
  ASSERT_EQ(events.size(), 1706u);
  const Event start{.kind = EventKind::kJobStart,
                    .time = 1'250'000'000,
                    .job = "from Python",
                    .attempt = "second",
                    .writer = events[0].writer,
                    .sequence = 0};
  EXPECT_EQ(events[0], start);
  EXPECT_EQ(events[1].counts[0], 8);
  EXPECT_EQ(events[1].counts[1], kUnknown);
  EXPECT_EQ(events[1].counts[2], 7);
  EXPECT_EQ(events[2].text, "évaluation");
  EXPECT_EQ(events[3].text, std::string(kMaxText, 'x'));
  EXPECT_EQ(events[4].step, -3);
  EXPECT_EQ(events[5].kind, EventKind::kCheckpointEmergencyRestore);
  EXPECT_EQ(events[5].text, "/ckpt");
  EXPECT_EQ(events[5].checkpoint, (CheckpointTimes{.manager = {2'000'000'000, 500'000'000},
                                                   .broadcast = {3'000'000'000, kUnknown}}));
  for (size_t k = 6; k < events.size(); ++k) {
    EXPECT_EQ(events[k].step, static_cast<int64_t>(k) - 6);
    EXPECT_EQ(events[k].sequence, static_cast<int64_t>(k));
    EXPECT_GT(events[k].monotonic, 0);
  }
  // Each segment has a closing record that holds, and stands in the manifest.
  const auto checked = GoodputCheck(scratch.path());
  ASSERT_TRUE(checked) << checked.error().what;
  for (const Metric& metric : checked->reports.at(0).metrics) {
    if (metric.key == "faults" || metric.key == "unlisted") {
      EXPECT_EQ(metric.value, Cell(int64_t{0})) << metric.key;
    }
  }
}

}  // namespace
}  // namespace stepscope::goodput::recorder_c_test
