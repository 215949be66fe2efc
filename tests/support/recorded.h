// Reads what a recorder wrote into a folder, and gives options for short tests of it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "goodput/accounting/duplicates.h"
#include "goodput/recorder/segment_reader.h"
#include "stepscope/goodput.h"

namespace stepscope::goodput {

inline constexpr int64_t kSmallestSegment = 64 << 10;  // bytes of a segment: 1,792 slots

struct RecordedEvents {
  std::vector<Event> events;
  Notes note_counts;
  int64_t missing = 0;
  int64_t duplicates = 0;
};

inline RecordedEvents ReadRecorded(const std::string& folder) {
  RecordedEvents recorded;
  Duplicates duplicates;
  EXPECT_TRUE(ReadSegments(folder, recorded.note_counts, [&](const Event& event) {
    recorded.duplicates += duplicates.Seen(event) ? 1 : 0;
    recorded.events.push_back(event);
  }));
  recorded.missing = duplicates.Missing();
  return recorded;
}

inline stepscope_goodput_options SmallSegmentsIn(const std::string& folder) {
  stepscope_goodput_options options;
  stepscope_goodput_defaults(&options, sizeof options);
  options.directory = folder.c_str();
  options.job = "job";
  options.segment_bytes = kSmallestSegment;
  options.heartbeat_ns = 0;
  return options;
}

inline size_t CountSegmentsIn(const std::string& folder) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    count += entry.path().extension() == kSegmentSuffix ? 1 : 0;
  }
  return count;
}

}  // namespace stepscope::goodput
