// What other languages record: a C program through the shared library.
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "goodput/segment_reader.h"
#include "tests/scratch.h"

namespace stepscope::goodput {
namespace {

std::vector<Event> ReadAll(const std::string& folder) {
  std::vector<Event> events;
  Oddities oddities;
  EXPECT_TRUE(ReadSegments(folder, oddities, [&](const Event& e) { events.push_back(e); }));
  EXPECT_TRUE(oddities.Notes().empty());
  return events;
}

TEST(RecorderC, ACProgramRecords) {
  const testing::ScratchFolder scratch;
  const std::string command = std::string(STEPSCOPE_GOODPUT_C_TEST) + " " + scratch.path();
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto events = ReadAll(scratch.path());
  ASSERT_EQ(events.size(), 202u);
  EXPECT_EQ(events[0].kind, EventKind::kJobStart);
  EXPECT_EQ(events[0].job, "from C");
  EXPECT_EQ(events[200].kind, EventKind::kStepEnd);
  EXPECT_EQ(events[200].step, 99);
  EXPECT_EQ(events[201].text, "gs://bucket");
  EXPECT_EQ(events[201].checkpoint, (CheckpointTimes{.manager = {1, 2}}));
}

}  // namespace
}  // namespace stepscope::goodput
