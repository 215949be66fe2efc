// Reads a segment to its end, and says what that shows to be lost of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "goodput/events/event.h"
#include "goodput/events/sequences.h"
#include "goodput/ledger/ledger.h"
#include "goodput/recorder/segment.h"
#include "goodput/recorder/segment_mark.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// What reading a segment showed.
struct SegmentContent {
  int64_t events = 0, bad = 0, lost = 0, holes = 0;
  int64_t first = kUnknown, last = kUnknown;  // times
  uint64_t end = 0;                           // the slot after the last event
  Sequences numbers;                          // of its writer
  bool one_writer = true;                     // who has numbered all of its events
  std::optional<SegmentMark> mark;
  SegmentHeader header;
};

Result<SegmentContent> ReadToEnd(const Ledger& ledger, const std::string& name);

// What its mark says to be there and is nowhere in the ledger. A kill may leave a torn record after
// what was synced: that is no fault.
std::optional<SegmentFault> DamageOf(const Ledger& ledger, const std::string& name,
                                     const SegmentContent& read);

// The slots of a segment up to the last that is not empty, and its two headers before them. Fails
// if it cannot be read.
Result<std::string> SegmentBytes(const Ledger& ledger, const std::string& name);

// Cuts the bytes of a segment behind the last slot that is not empty. REQUIRES: they hold its two
// headers.
void CutToUsed(std::string& bytes);

}  // namespace stepscope::goodput
