// Takes batches of events from other hosts and stores them as segments.
//
// When Take returns, the events it counts as stored are in the kernel's hands, so they outlive this
// process however it ends, and Tick has the disk hold them. Their segments are on disk by then, and
// in a manifest: one that is deleted later is missed. (writer, sequence)
// identifies an event. A client without an answer sends again, even to the next process on the same
// directory; events that are stored already count as duplicates.
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
#include <vector>

#include "base/sharing.h"
#include "goodput/events/sequences.h"
#include "goodput/ledger/stored_numbers.h"
#include "goodput/live/ingest_counts.h"
#include "goodput/live/ingest_manifest.h"
#include "goodput/recorder/segment_file.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

class Ingest {
 public:
  // Creates the directory if missing and reads which events it has. Fails if another process
  // already takes events into it.
  static Result<std::unique_ptr<Ingest>> Open(std::string folder, Sharing sharing = Sharing::kOwner,
                                              WritersAre writers = WritersAre::kOfAll);
  ~Ingest();  // closes all segments
  size_t open_segments() const { return open_.load(); }
  Ingest(const Ingest&) = delete;
  Ingest& operator=(const Ingest&) = delete;

  // Takes JSON lines as entry.h defines them; thread-safe. Lines that are not events and events
  // without writer and sequence are counted and skipped. If no_room is not 0, send the batch again.
  // Names of jobs get the prefix "team/" unless they have it or `team` is empty.
  // `known`: what a database has of events, by WriterKey(). Those that the directory lacks are
  // stored in segments of their own, which the database can do without.
  IngestCounts Take(std::string_view lines, const std::string& team = {},
                    const NumbersByWriter* known = nullptr);

  // See StoreIdOf().
  const std::string& store_id() const { return store_id_; }

  // The sums of all calls.
  IngestCounts counts() const;

  // Syncs stored events to disk and closes segments that were idle for ten minutes. Call every
  // second from one thread. False if the sync failed.
  bool Tick(int64_t now);

  static constexpr size_t kMostWriters = 100'000;

  // How many segments may be open, one for each writer that sends: half of the files that the
  // process may open. Beyond it events of other writers find no room until some are idle.
  size_t most_open() const { return most_open_; }
  bool IsCrowded() const { return open_.load() >= most_open_; }

 private:
  // A segment belongs to one job, attempt and writer, and has known events or others.
  using Stream = std::tuple<std::string, std::string, std::string, bool>;
  struct OpenSegment {
    std::unique_ptr<SegmentFile> file;
    uint32_t index = 0;  // of segments of this process
    int64_t used = 0;    // when last, by the monotonic clock
  };
  struct Writer {
    std::mutex mutex;  // guards what follows
    Sequences seen;
    std::map<Stream, OpenSegment> open;
    uint64_t made = 0;  // number of the last segment made for it
  };
  class Batch;

  Ingest(std::string folder, Sharing sharing, WritersAre writers);

  Result<void> ReadStored();
  std::string KeyOf(std::string_view job, const std::string& writer) const {
    return WriterKey(writers_are_, job, writer);
  }
  Writer* WriterNamed(const std::string& key);
  bool Store(Writer& writer, const Event& event, bool is_known);
  std::unique_ptr<SegmentFile> MakeSegment(const Event& event, uint32_t index);
  bool SyncAndClose(Writer& writer, int64_t now);
  void Close(OpenSegment& segment);
  void Note(OpenSegment& segment);

  std::string folder_;
  Sharing sharing_;
  WritersAre writers_are_;
  std::string store_id_;
  int lock_ = -1;                        // a file
  uint32_t process_;                     // random: in containers process ids repeat
  std::atomic<uint32_t> next_file_ = 0;  // number in a name
  std::atomic<uint32_t> files_ = 0;      // made by this process
  uint32_t synced_files_ = 0;            // whose names are synced
  const size_t most_open_;
  std::atomic<size_t> open_ = 0;
  std::mutex mutex_;                                 // over writers_; a writer stays where it is
  std::unordered_map<std::string, Writer> writers_;  // by KeyOf()
  IngestManifest manifest_;
  std::atomic<int64_t> stored_ = 0, duplicates_ = 0, unnumbered_ = 0, unreadable_ = 0, no_room_ = 0;
};

}  // namespace stepscope::goodput
