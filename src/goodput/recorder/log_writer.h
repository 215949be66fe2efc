// Writes imported events into segments of a ledger: one log of one job, in input order.
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
  // Receives a full segment, or the last one.
  using Sink = std::function<Result<void>(const std::string& name, const SegmentHeader& header,
                                          std::string_view bytes)>;

  // `prefix` begins the names of segments; no other log's may be the same.
  LogWriter(Sink sink, std::string prefix, std::string job);

  // Adds an event that FitToSegment has adjusted. Fails if a segment cannot be stored; earlier ones
  // stay.
  Result<void> Write(const Event& event);

  // Writes the last segment.
  Result<void> Finish();

 private:
  Result<void> BeginSegment(const Event& event);
  size_t Used() const { return slots_.size() / kSlotBytes; }

  Sink sink_;
  std::string prefix_;
  SegmentHeader header_;
  std::string slots_;  // of the segment; empty: there is none
  int64_t count_ = 0;  // sequence numbers of events that have none
  uint32_t next_index_ = 0;
};

// Adjusts the event to a segment's limits: cuts texts and names, and clears an identity that no
// recorder writes. True if nothing changed.
bool FitToSegment(Event& event);

}  // namespace stepscope::goodput
