// Takes events from other hosts into segments of this one: what a server does with a batch.
//
// When Take returns, the events it counts as stored are in the kernel's hands, so they outlive this
// process however it ends, and Tick has the disk hold them. An event is told by its (writer,
// sequence): who got no answer sends again, also to the next process on the same folder, and what
// was there counts as a duplicate.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "goodput/events/sequences.h"
#include "goodput/live/metrics.h"
#include "goodput/recorder/segment_file.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

class Ingest {
 public:
  // Makes the folder if need be and reads which events it has. One process at a time takes events
  // into a folder: fails when another one does.
  static Result<std::unique_ptr<Ingest>> Open(std::string folder);
  ~Ingest();  // closes all segments
  Ingest(const Ingest&) = delete;
  Ingest& operator=(const Ingest&) = delete;

  // Lines of JSON as entry.h has them, from any thread. Lines that are no event, and events without
  // a writer and a number, are counted and not taken. With no_room, all or part of the batch is to
  // be sent again.
  IngestCounts Take(std::string_view lines);

  // The sums of all calls.
  IngestCounts counts() const;

  // Has the disk hold what was taken, and closes segments that were silent for ten minutes. Called
  // every second, by one thread. False: the disk could not.
  bool Tick(int64_t now);

  static constexpr size_t kMostWriters = 100'000;
  static constexpr size_t kMostOpen = 5000;  // segments

 private:
  // A segment belongs to one job, attempt and writer.
  using Stream = std::tuple<std::string, std::string, std::string>;
  struct OpenSegment {
    std::unique_ptr<SegmentFile> file;
    uint32_t index = 0;  // of segments of this process
    int64_t used = 0;    // when last, by the monotonic clock
  };
  struct Writer {
    std::mutex mutex;  // over what follows
    Sequences seen;
    std::map<Stream, OpenSegment> open;
  };
  class Batch;

  explicit Ingest(std::string folder);

  Writer* WriterNamed(const std::string& name);
  bool Store(Writer& writer, const Event& event);
  std::unique_ptr<SegmentFile> MakeSegment(const Event& event, uint32_t index);
  bool SyncAndClose(Writer& writer, int64_t now);

  std::string folder_;
  int lock_ = -1;                    // a file
  uint32_t process_;                 // random: in a container all have the same number
  std::atomic<uint32_t> files_ = 0;  // made by this process
  uint32_t synced_files_ = 0;        // of which the disk knows the names
  std::atomic<size_t> open_ = 0;
  std::mutex mutex_;  // over writers_; a writer stays where it is
  std::unordered_map<std::string, Writer> writers_;
  std::atomic<int64_t> stored_ = 0, duplicates_ = 0, unnumbered_ = 0, unreadable_ = 0, no_room_ = 0;
};

}  // namespace stepscope::goodput
