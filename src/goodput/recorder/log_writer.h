// Writes events that come from elsewhere into segments of a ledger: one log of one job, in the
// order in which they come.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "goodput/events/event.h"
#include "goodput/recorder/segment.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

class LogWriter {
 public:
  // Takes a segment that is full, or the last one.
  using Sink = std::function<Result<void>(const std::string& name, const SegmentHeader& header,
                                          std::string_view bytes)>;

  // `prefix` begins the names of segments.
  LogWriter(Sink sink, std::string prefix, std::string job);

  // Of an event that went through MakeFit. Fails when there is no room for a segment: what was
  // taken before stays.
  Result<void> Write(const Event& event);

  // Gives what is left.
  Result<void> Finish();

 private:
  Result<void> BeginSegment(const Event& event);
  size_t Used() const { return (bytes_.size() - kSlotsBegin) / kSlotBytes; }

  Sink sink_;
  std::string prefix_;
  SegmentHeader header_;
  std::string bytes_;  // of the segment; empty: there is none
  int64_t count_ = 0;  // sequence numbers of events that have none
  uint32_t next_index_ = 0;
};

// Changes of the event what a segment cannot hold: texts and names are cut, and an identity that no
// recorder writes is none. True: nothing had to be.
bool MakeFit(Event& event);

}  // namespace stepscope::goodput
