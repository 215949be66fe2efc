// Tests which segments are read for sending, and from where on.
#include "goodput/live/send_source.h"

#include <gtest/gtest.h>

#include <string>

#include "goodput/live/ingest.h"
#include "tests/scratch.h"

namespace stepscope::goodput::send_source_test {
namespace {

std::string Line(int writer, int sequence) {
  return R"({"job_name": "j", "event": "step_start", "time_ns": 1780000000000000000, "step": )" +
         std::to_string(sequence) + R"(, "writer": "w)" + std::to_string(writer) +
         R"(", "sequence": )" + std::to_string(sequence) + "}\n";
}

// Files that were closed since too many are open get more events, which are to be sent too.
TEST(SegmentSource, FilesBeyondThoseThatMayBeOpenAreReadOn) {
  const testing::ScratchFolder scratch;
  auto ingest = Ingest::Open(scratch.path());
  ASSERT_TRUE(ingest.has_value());
  SendCursor cursor(scratch.path() + "/cursor");
  int64_t sent = 0;
  SendBatch batch(cursor, [&](const std::string&, int64_t events) {
    sent += events;
    return Result<void>();
  });
  SegmentSource source(scratch.path(), true, 2);
  Notes note_counts;
  for (int round = 0; round < 3; ++round) {
    for (int writer = 0; writer < 5; ++writer)
      EXPECT_EQ((*ingest)->Take(Line(writer, round)).stored, 1);
    ASSERT_TRUE(source.Poll(cursor, batch, note_counts).has_value());
    EXPECT_EQ(sent, 5 * (round + 1));
  }
}

}  // namespace
}  // namespace stepscope::goodput::send_source_test
