// Checks that the numbers of a segment are those of its events.
#include "goodput/recorder/segment_numbers.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "goodput/recorder/recorder.h"
#include "goodput/recorder/segment_reader.h"
#include "tests/scratch.h"

namespace stepscope::goodput::segment_numbers_test {
namespace {

NumbersByWriter Read(const std::string& path) {
  NumbersByWriter numbers;
  Notes note_counts;
  EXPECT_TRUE(ReadSegment(path, note_counts, [&](const Event& event) {
    numbers[event.writer].Insert(event.sequence);
  }));
  return numbers;
}

void ExpectSame(const std::string& path) {
  const auto found = NumbersIn(path, int64_t{1} << 40);
  ASSERT_TRUE(found && found->header);
  EXPECT_EQ(found->header->job, "llm");
  const NumbersByWriter read = Read(path), &numbers = found->by_writer;
  ASSERT_EQ(numbers.size(), read.size());
  for (const auto& [writer, seen] : read) {
    ASSERT_TRUE(numbers.contains(writer));
    EXPECT_EQ(numbers.at(writer).ranges(), seen.ranges()) << writer;
  }
}

TEST(SegmentNumbers, AreThoseOfTheEvents) {
  const testing::ScratchFolder scratch;
  {
    Recorder recorder({.directory = scratch.path(),
                       .job = "llm",
                       .segment_bytes = 4 << 20,
                       .heartbeat = 0,
                       .background = false});
    const std::string long_text(2000, 'x');
    for (int64_t k = 0; k < 40'000; ++k) {
      Record record{.kind = EventKind::kStepStart, .time = k, .step = k};
      if (k % 5 == 0)
        record.text = std::string_view(long_text).substr(0, static_cast<size_t>(k % 2000));
      if (k % 70 == 0) record.writer = "other";
      ASSERT_TRUE(recorder.Write(record));
      if (k % 100 == 0) recorder.Tick(MonotonicClock());
    }
  }
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(scratch.path())) {
    if (file.path().extension() != kSegmentSuffix) continue;
    ++files;
    ExpectSame(file.path());
    // Damaged slots in between.
    std::fstream damaged(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    for (const int at : {9000, 70'000, 1'048'576, 1'100'000}) {
      damaged.seekp(at);
      damaged.put('\x55');
    }
    damaged.close();
    ExpectSame(file.path());
  }
  EXPECT_GT(files, 0);
  EXPECT_FALSE(NumbersIn(scratch.path() + "/none", 1)->header);
}

}  // namespace
}  // namespace stepscope::goodput::segment_numbers_test
