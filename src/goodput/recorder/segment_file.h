// Writes a segment: a preallocated, mapped file into which threads store events.
//
// Events are in the page cache when Write returns, so they survive any end of the process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/sharing.h"
#include "goodput/recorder/manifest.h"
#include "goodput/recorder/segment.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

class SegmentFile {
 public:
  // Creates and maps a file of these permissions with room for header.slots. Allocates all its
  // blocks, so that later stores cannot run out of disk. Leaves no file on failure.
  static Result<std::unique_ptr<SegmentFile>> Create(const std::string& path,
                                                     const SegmentHeader& header,
                                                     Sharing sharing = Sharing::kOwner);

  enum class Written : uint8_t {
    kYes,
    kHalf,  // stored; the first half is now full
    kFull,  // not stored: no room
    kLast,  // not stored, and the first call that found no room
  };

  // Stores the event of the header's writer in `slots` slots and takes its sequence number from
  // `sequence`. Thread-safe; takes no lock, allocates nothing, and enters the kernel only for page
  // faults.
  Written Write(Record& record, size_t slots, std::atomic<int64_t>& sequence);

  size_t capacity() const { return capacity_; }

  // The closing record is written.
  bool closed() const { return closing_.has_value(); }

  // Slots reserved by events that are stored or being stored.
  size_t Used() const;

  // The next segment, once it exists.
  std::atomic<SegmentFile*> next = nullptr;

  // The following calls are for one thread at a time.

  // Faults in the pages that will be written next.
  void Prepare();
  // Syncs earlier events to disk and marks those of the sync before. False on failure, with errno
  // set.
  bool Sync();
  // Stops storing, syncs the file, writes its closing record and cuts it after its last event.
  // Removes a file without events that no manifest may have.
  void Close();
  // Releases mapping and file of a full or closed segment, unless a thread is still storing; then
  // returns false. The object must stay: a thread may still ask it for room.
  bool Release();
  // What a manifest has not been told: once that events are on disk, and once the closing record.
  // The directory must be synced before a manifest says it.
  std::optional<ManifestEntry> News();
  // What a manifest may be told before the first event, whose number is `first`, once header and
  // name are on disk. The file then stays, also without events.
  ManifestEntry Made(int64_t first);

  ~SegmentFile();
  SegmentFile(const SegmentFile&) = delete;
  SegmentFile& operator=(const SegmentFile&) = delete;

 private:
  SegmentFile(std::string path, int file, char* mapped, const SegmentHeader& header);
  size_t Complete() const;
  void Mark(const SegmentMark& mark);
  void WriteClosingRecord(size_t used);

  std::string path_;
  int file_;
  char* mapped_;
  size_t mapped_bytes_;
  uint32_t salt_;
  std::string job_;
  size_t capacity_;
  size_t synced_ = 0;     // slots that a sync began with
  size_t durable_ = 0;    // leading slots that are stored and on disk
  size_t marked_ = 0;     // of these, those that the mark says
  size_t next_copy_ = 0;  // of the header, for the next mark
  std::optional<SegmentMark> closing_;
  Contents contents_;  // of a closed segment; before, what is known of it
  bool removed_ = false, told_made_ = false, told_open_ = false, told_closed_ = false;
  // Every slot is reserved once and completed once: by its event or, after the last event that
  // fits, by the first that does not.
  alignas(64) std::atomic<uint64_t> given_ = 0;
  std::atomic<uint64_t> done_ = 0;
};

}  // namespace stepscope::goodput
