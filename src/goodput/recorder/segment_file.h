// A segment being written: a preallocated file, mapped, into which threads store their events.
//
// What Write has returned from is in the page cache, so it outlives the process however that ends.
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
  // Makes a new file with room for header.slots and maps it. All its blocks are taken now: storing
  // into it later cannot run out of disk. On failure there is no file.
  static Result<std::unique_ptr<SegmentFile>> Create(const std::string& path,
                                                     const SegmentHeader& header);

  enum class Written : uint8_t {
    kYes,
    kHalf,  // yes, and the first half is used up with it
    kFull,  // no: there is no room
    kLast,  // no, and this is the first call that found no room
  };

  // Stores the event in `slots` slots and takes its sequence number from `sequence`. Called from
  // any thread: no lock, no allocation, no call into the kernel but to bring a page of the file in.
  Written Write(Record& record, size_t slots, std::atomic<int64_t>& sequence);

  size_t capacity() const { return capacity_; }

  // Slots that are given out, of events stored or being stored.
  size_t Used() const;

  // The segment that comes after this one, once there is one.
  std::atomic<SegmentFile*> next = nullptr;

  // The rest is for one thread at a time.

  // Brings the pages that will be written next into memory, ready to be stored to.
  void Prepare();
  // Has the disk hold what was stored before the call. False: the system said no, see errno.
  bool Sync();
  // No event goes in any more, the file ends where the last one does, and the disk holds it. One
  // without any event goes away.
  void Close();
  // Gives back the mapping and the file of a full or closed segment when no thread is in the middle
  // of storing; false: not yet. The object must live on: a thread may still ask it for room.
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
  // Every slot is given out once and then done once, by its event or, behind the last event that
  // fits, by the first that does not.
  alignas(64) std::atomic<uint64_t> given_ = 0;
  std::atomic<uint64_t> done_ = 0;
};

}  // namespace stepscope::goodput
