// Checks that each method records its event, and what a recorder refuses.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "stepscope/goodput.h"
#include "tests/scratch.h"
#include "tests/support/recorded.h"

namespace stepscope::goodput::recorder_methods_test {
namespace {

// Of RecordEverything(), in its order.
constexpr auto kEverything = [] {
  using enum EventKind;
  return std::to_array({kJobStart,
                        kAcceleratorInitBegin,
                        kAcceleratorInitEnd,
                        kTrainingPrepBegin,
                        kTrainingPrepEnd,
                        kResumeFrom,
                        kDataLoadingBegin,
                        kDataLoadingEnd,
                        kStepStart,
                        kStepEnd,
                        kActivity,
                        kCheckpointCommit,
                        kCustomBegin,
                        kCustomEnd,
                        kPreemptionNotice,
                        kResources,
                        kSpareSwap,
                        kElasticSlices,
                        kElasticWaitBegin,
                        kElasticWaitEnd,
                        kElasticReinitBegin,
                        kElasticReinitEnd,
                        kCheckpointSaveBegin,
                        kCheckpointSaveEnd,
                        kCheckpointRestoreBegin,
                        kCheckpointRestoreEnd,
                        kLabel,
                        kJobSubmitted,
                        kJobEnd});
}();

void RecordEverything(const std::string& folder) {
  GoodputRecorder r({.directory = folder, .job = "j", .attempt = "a", .rank = 3});
  EXPECT_TRUE(r.JobStart() && r.AcceleratorInitBegin() && r.AcceleratorInitEnd());
  EXPECT_TRUE(r.TrainingPrepBegin() && r.TrainingPrepEnd() && r.ResumeFrom(41));
  EXPECT_TRUE(r.DataLoadingBegin() && r.DataLoadingEnd() && r.StepStart(41) && r.StepEnd(41));
  EXPECT_TRUE(r.Work(41, 4096) && r.CheckpointCommit(41, "local"));
  EXPECT_TRUE(r.CustomBegin("eval") && r.CustomEnd("eval") && r.PreemptionNotice());
  EXPECT_TRUE(r.Resources(8, 8, 7) && r.SpareSwap("n3 for n9") && r.ElasticSlices(3, 4, 3));
  EXPECT_TRUE(r.ElasticWaitBegin("scale_up") && r.ElasticWaitEnd("scale_up"));
  EXPECT_TRUE(r.ElasticReinitBegin() && r.ElasticReinitEnd());
  EXPECT_TRUE(r.CheckpointSaveBegin(40) && r.CheckpointSaveEnd(40, "disk"));
  EXPECT_TRUE(r.CheckpointRestoreBegin() && r.CheckpointRestoreEnd(40) && r.Label("team", "x"));
  EXPECT_TRUE(r.JobSubmitted(5) && r.JobEnd(7) && r.Flush());
  EXPECT_EQ(r.dropped(), 0);
}

TEST(Recorder, EveryMethodRecordsItsEvent) {
  const testing::ScratchFolder scratch;
  const std::string folder = scratch.path() + "/made/on/the/way";
  RecordEverything(folder);
  const auto all = ReadRecorded(folder);
  std::vector<EventKind> kinds;
  for (const Event& event : all.events) kinds.push_back(event.kind);
  EXPECT_EQ(kinds, std::vector(kEverything.begin(), kEverything.end()));
  EXPECT_EQ(all.events[5].step, 41);
  EXPECT_EQ(all.events[10].counts[0], 4096);
  EXPECT_EQ(all.events[10].counts[1], kUnknown);
  EXPECT_EQ(all.events[11].text, "local");
  EXPECT_EQ(all.events[15].counts[2], 7);
  EXPECT_EQ(all.events[23].text, "disk");
  EXPECT_EQ(all.events[24].step, kUnknown);
  EXPECT_EQ(all.events[26].text, "team=x");
  EXPECT_EQ(all.events[27].time, 5);
  EXPECT_EQ(all.events[27].monotonic, kUnknown);  // of another time
  for (const Event& event : all.events) {
    EXPECT_EQ(event.job, "j");
    EXPECT_EQ(event.attempt, "a");
    EXPECT_NE(event.writer.find("/3/"), std::string::npos) << event.writer;
  }
  EXPECT_TRUE(all.note_counts.List().empty());
  EXPECT_EQ(all.missing, 0);
}

TEST(Recorder, DisabledRecorderDoesNothing) {
  const testing::ScratchFolder scratch;
  GoodputRecorder off({.directory = scratch.path(), .enabled = false});
  EXPECT_FALSE(off.StepStart(1) || off.JobEnd() || off.Flush());
  EXPECT_EQ(CountSegmentsIn(scratch.path()), 0u);
  EXPECT_EQ(stepscope_goodput_mark(nullptr, 999), STEPSCOPE_GOODPUT_OFF);
}

TEST(Recorder, RejectsUnknownKinds) {
  const testing::ScratchFolder scratch;
  GoodputRecorder r({.directory = scratch.path()});
  for (const int kind : {-1, 0, 29, 255, 256 + STEPSCOPE_GOODPUT_JOB_START}) {
    EXPECT_EQ(stepscope_goodput_mark(r.c(), kind), STEPSCOPE_GOODPUT_WRONG);
  }
}

// A program built with an older header passes shorter structs.
TEST(Recorder, AcceptsShorterStructs) {
  const testing::ScratchFolder scratch;
  auto options = SmallSegmentsIn(scratch.path());
  options.size = offsetof(stepscope_goodput_options, rank);
  options.segment_bytes = -5;  // beyond what such a caller knows
  stepscope_goodput* recorder = stepscope_goodput_open(&options);
  stepscope_goodput_event event;
  stepscope_goodput_event_init(&event, offsetof(stepscope_goodput_event, counts),
                               STEPSCOPE_GOODPUT_STEP_END);
  event.step = 5;
  event.text = reinterpret_cast<const char*>(1);
  EXPECT_EQ(stepscope_goodput_record(recorder, &event), STEPSCOPE_GOODPUT_OK);
  stepscope_goodput_close(recorder);
  const auto all = ReadRecorded(scratch.path());
  ASSERT_EQ(all.events.size(), 1u);
  EXPECT_EQ(all.events[0].step, 5);
  EXPECT_EQ(all.events[0].text, "");
}

}  // namespace
}  // namespace stepscope::goodput::recorder_methods_test
