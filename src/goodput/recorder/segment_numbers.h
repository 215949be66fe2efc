// Reads which sequence numbers a segment has, several times as fast as its events.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "goodput/events/sequences.h"
#include "goodput/recorder/segment.h"
#include "goodput/recorder/segment_mark.h"
#include "goodput/recorder/segment_reader.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

using NumbersByWriter = std::map<std::string, Sequences>;

struct SegmentNumbers {
  std::optional<SegmentHeader> header;  // absent: damaged, never written to, or gone
  std::optional<SegmentMark> mark;
  NumbersByWriter by_writer;
};

// The numbers below `limit` of all events that a reader of the whole segment finds, also of kinds
// that it does not know. Fails if the system cannot read it.
Result<SegmentNumbers> NumbersIn(const std::string& path, int64_t limit);
Result<SegmentNumbers> NumbersIn(SegmentReader::Source& source, int64_t limit);

}  // namespace stepscope::goodput
