// Reads segments, whole ones and those that a recorder is still writing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "goodput/events/event.h"
#include "goodput/events/json_lines.h"
#include "goodput/events/oddities.h"
#include "goodput/recorder/segment.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

class SegmentReader {
 public:
  // Gives the bytes of a segment from an offset on, as many as there are up to `size`.
  using Source = std::move_only_function<size_t(char* out, size_t size, uint64_t offset)>;

  // Fails when the file cannot be opened, and when neither copy of its header is whole.
  static Result<SegmentReader> Open(const std::string& path);
  // The same of a segment that is no file; `name` is for errors.
  static Result<SegmentReader> Open(Source source, const std::string& name);

  const SegmentHeader& header() const { return header_; }

  // Whether its recorder has ended it, which cuts it behind the last event, or it was removed.
  bool WasClosed();

  // Gives the events that have come since the last call, mostly in the order they were recorded.
  // What cannot be read may only be unfinished: a later call looks at it again. Stops where 64 KB
  // are empty.
  void Follow(Oddities& oddities, const EventSink& sink);

  // The same in steps of 64 KB, for those who send on what they got; false: there is no more now.
  bool FollowWindow(Oddities& oddities, const EventSink& sink);

  // All slots before this one are done with, and StartAt takes a reader of the same file there.
  // What continues an event that began before it is passed over.
  uint64_t Position() const;
  void StartAt(uint64_t slot) { next_ = slot; }

  // Gives all that Follow has not, to the end of the file. What cannot be read is counted.
  void Finish(Oddities& oddities, const EventSink& sink);

  // The same in steps of 64 KB, for those who read many segments at once; false: that was the end.
  bool FinishWindow(Oddities& oddities, const EventSink& sink);

 private:
  SegmentReader(Source source, SegmentHeader header);

  // Reads slots from number `first` on into window_; how many. Never beyond what the header says,
  // since a file of strangers may be a terabyte of nothing.
  size_t Load(uint64_t first, size_t slots);
  bool WindowIsEmpty(size_t slots) const;
  bool ScanWindow(bool to_end, Oddities& oddities, const EventSink& sink);
  size_t TakeWindow(size_t slots, bool last, Oddities& oddities, const EventSink& sink);
  bool Take(size_t at, size_t slots, Oddities& oddities, const EventSink& sink);
  void GiveUp(size_t count, Oddities& oddities);
  void LookAgain(Oddities& oddities, const EventSink& sink);

  Source source_;
  std::string path_;  // of the file; empty: there is none
  SegmentHeader header_;
  Event event_;
  std::string window_;
  uint64_t window_first_ = 0;
  uint64_t next_ = 0;               // all slots before it were looked at
  std::vector<uint64_t> doubtful_;  // of which these could not be read, or were empty
};

// The bytes of a file, which stays open for as long as this lives.
Result<SegmentReader::Source> OpenSegmentFile(const std::string& path);

// Reads a segment, or every segment of a folder in the order of their names, that is of their
// recorders' starts. Fails when there is no such file or folder; a file in it that cannot be read
// is counted. A file that is empty or all zero was never written to: it holds nothing.
Result<void> ReadSegments(const std::string& path, Oddities& oddities, const EventSink& sink);

}  // namespace stepscope::goodput
