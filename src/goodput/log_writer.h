// Writes events that come from elsewhere into segments of a ledger: one log of one job, in the
// order in which they come.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "goodput/event.h"
#include "goodput/segment_file.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

class LogWriter {
 public:
  // Files are made in `folder` when the first event comes; `prefix` begins their names.
  LogWriter(std::string folder, std::string prefix, std::string job);

  // Of an event that went through MakeFit. Fails when there is no room for it: nothing was written
  // then, and what was written before stays.
  Result<void> Write(const Event& event);

  // Has the disk hold all of it.
  Result<void> Finish();

 private:
  Result<void> MakeSegment(const Event& event);

  std::string folder_, prefix_;
  SegmentHeader header_;
  std::unique_ptr<SegmentFile> segment_;
  int64_t count_ = 0;  // sequence numbers of events that have none
  uint32_t next_index_ = 0;
};

// Changes of the event what a segment cannot hold: texts and names are cut, and an identity that no
// recorder writes is none. True: nothing had to be.
bool MakeFit(Event& event);

}  // namespace stepscope::goodput
