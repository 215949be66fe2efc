// Reads segments, complete ones and those that a recorder still writes.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "goodput/events/event.h"
#include "goodput/events/json_lines.h"
#include "goodput/events/notes.h"
#include "goodput/recorder/segment.h"
#include "goodput/recorder/segment_mark.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// Why a segment cannot be opened.
struct SegmentError : Error {
  enum class Kind : uint8_t {
    kDamaged,       // its bytes are not a segment's
    kNeverWritten,  // empty or all zeros: it may still be in creation
    kGone,          // no file has this name
    kSystem,        // the system cannot open or read it, which says nothing of what it holds
  };
  Kind kind = Kind::kDamaged;
};

class SegmentReader {
 public:
  // Reads `size` bytes of a segment from an offset; fewer at its end. An error is the system's.
  using Source = std::move_only_function<Result<size_t>(char* out, size_t size, uint64_t offset)>;

  // Fails if the file cannot be opened or both copies of its header are damaged.
  static std::expected<SegmentReader, SegmentError> Open(const std::string& path);
  // The same for a segment that is not a file; `name` appears in errors.
  static std::expected<SegmentReader, SegmentError> Open(Source source, const std::string& name);

  const SegmentHeader& header() const { return header_; }
  // Then nothing counts as lost.
  void IgnoreMark() { mark_.reset(); }
  // What was on disk when the segment was last synced or closed; nothing: it is of version 0.1, or
  // was not synced yet.
  const std::optional<SegmentMark>& mark() const { return mark_; }

  // Why the last call read less than there is, if the system could not read on. Nothing counts as
  // lost then, and a later call goes on there.
  const std::optional<Error>& failed() const { return failed_; }

  // Slots before the last event that have none: what a kill or power loss has torn. All of them are
  // known at the end of a segment that was read from its start.
  int64_t holes() const { return end_ - filled_; }

  // The slot after the last event. REQUIRES: as for holes().
  uint64_t end() const { return static_cast<uint64_t>(end_); }

  // True if its recorder has closed it, which cuts it after the last event, or it was removed.
  bool WasClosed();

  // Reads the events added since the last call, mostly in recording order. Unreadable slots may be
  // unfinished, so a later call reads them again. Stops at 64 KB of empty slots.
  void Follow(Notes& note_counts, const EventSink& sink);

  // The same for the next 64 KB. False: no more events now.
  bool FollowWindow(Notes& note_counts, const EventSink& sink);

  // The first slot not yet read. StartAt continues there in a reader of the same file, and skips
  // the rest of an event that began earlier.
  uint64_t Position() const;
  void StartAt(uint64_t slot) {
    next_ = slot;
    from_start_ = slot == 0;
  }

  // Reads everything that Follow has not, to the end of the file. Counts unreadable slots, and what
  // is less than the mark says as lost.
  void Finish(Notes& note_counts, const EventSink& sink);

  // The same for the next 64 KB. False: end of file.
  bool FinishWindow(Notes& note_counts, const EventSink& sink);

 private:
  SegmentReader(Source source, SegmentHeader header, std::optional<SegmentMark> mark);

  // Reads slots from number `first` on into window_ and returns their count. Never reads beyond the
  // header's size, since a hostile file may be a sparse terabyte.
  size_t Load(uint64_t first, size_t slots);
  size_t Read(char* out, size_t size, uint64_t offset);
  bool WindowIsEmpty(size_t slots) const;
  bool ScanWindow(bool to_end, Notes& note_counts, const EventSink& sink);
  size_t TakeWindow(size_t slots, bool last, Notes& note_counts, const EventSink& sink);
  bool Take(size_t at, size_t slots, Notes& note_counts, const EventSink& sink);
  void GiveUp(size_t count, Notes& note_counts);
  void CountLost(Notes& note_counts);
  void Rest();
  void LookAgain(Notes& note_counts, const EventSink& sink);

  Source source_;
  std::optional<Error> failed_;  // of the last window
  std::string path_;             // of the file; empty: there is none
  SegmentHeader header_;
  std::optional<SegmentMark> mark_;
  bool from_start_ = true, ended_ = false;
  int64_t taken_ = 0, lost_ = 0;  // events, and records of synced ones that are unreadable
  int64_t end_ = 0, filled_ = 0;  // the slot after the last event, and slots of all events
  int64_t synced_ = 0;            // of these slots, those that the mark says to be on disk
  Event event_;
  std::string window_;
  uint64_t window_first_ = 0;
  uint64_t next_ = 0;               // first slot not yet read
  std::vector<uint64_t> doubtful_;  // earlier slots that were unreadable or empty
};

// The bytes of a file, which stays open for the lifetime of the result.
std::expected<SegmentReader::Source, SegmentError> OpenSegmentFile(const std::string& path);

// The segments of a directory in the order of names. Fails if the system cannot read it.
Result<std::vector<std::string>> SegmentsIn(const std::string& folder);

// Reads a segment. Counts a damaged one, and one that is gone.
Result<void> ReadSegment(const std::string& path, Notes& note_counts, const EventSink& sink);

// Reads a segment, or every segment of a directory in the order of names, which is that of their
// recorders' starts. Fails if `path` does not exist, or the system cannot read a file. Counts
// damaged files in a directory. A file that is empty or all zeros was never written to and holds no
// events.
Result<void> ReadSegments(const std::string& path, Notes& note_counts, const EventSink& sink);

}  // namespace stepscope::goodput
