// Writes a segment: a preallocated, mapped file into which threads store events.
//
// Events are in the page cache when Write returns, so they survive any end of the process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "goodput/recorder/segment.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

class SegmentFile {
 public:
  // Creates and maps a file of these permissions with room for header.slots. Allocates all its
  // blocks, so that later stores cannot run out of disk. Leaves no file on failure.
  static Result<std::unique_ptr<SegmentFile>> Create(const std::string& path,
                                                     const SegmentHeader& header,
                                                     unsigned mode = 0644);

  enum class Written : uint8_t {
    kYes,
    kHalf,  // stored; the first half is now full
    kFull,  // not stored: no room
    kLast,  // not stored, and the first call that found no room
  };

  // Stores the event in `slots` slots and takes its sequence number from `sequence`. Thread-safe;
  // takes no lock, allocates nothing, and enters the kernel only for page faults.
  Written Write(Record& record, size_t slots, std::atomic<int64_t>& sequence);

  size_t capacity() const { return capacity_; }

  // Slots reserved by events that are stored or being stored.
  size_t Used() const;

  // The next segment, once it exists.
  std::atomic<SegmentFile*> next = nullptr;

  // The following calls are for one thread at a time.

  // Faults in the pages that will be written next.
  void Prepare();
  // Syncs earlier events to disk. False on failure, with errno set.
  bool Sync();
  // Stops storing, cuts the file after its last event and syncs it. Removes a file without events.
  void Close();
  // Releases mapping and file of a full or closed segment, unless a thread is still storing; then
  // returns false. The object must stay: a thread may still ask it for room.
  bool Release();

  ~SegmentFile();
  SegmentFile(const SegmentFile&) = delete;
  SegmentFile& operator=(const SegmentFile&) = delete;

 private:
  SegmentFile(std::string path, int file, char* mapped, const SegmentHeader& header);

  std::string path_;
  int file_;
  char* mapped_;
  size_t mapped_bytes_;
  uint32_t salt_;
  size_t capacity_;
  size_t synced_ = 0;
  // Every slot is reserved once and completed once: by its event or, after the last event that
  // fits, by the first that does not.
  alignas(64) std::atomic<uint64_t> given_ = 0;
  std::atomic<uint64_t> done_ = 0;
};

}  // namespace stepscope::goodput
