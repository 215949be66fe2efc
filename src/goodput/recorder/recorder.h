// Records the events of one process into segments. Its public face is
// include/stepscope/goodput_c.h.
//
// Training threads call only Write. It stores into the current segment; the first thread that finds
// it full switches to the next one, which exists already. Tick does the rest: it makes segments
// ahead, syncs, writes heartbeats and records the number of dropped events.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/sharing.h"
#include "base/time_units.h"
#include "goodput/recorder/manifest.h"
#include "goodput/recorder/segment_file.h"
#include "goodput/recorder/segment_name.h"

namespace stepscope::goodput {

struct RecorderOptions {
  std::string directory;  // created if missing
  std::string job;
  std::string attempt;
  int64_t rank = -1;                                            // -1: not known
  int64_t segment_bytes = int64_t{4} << 20;                     // of a file, 64 KB to 1 GB
  int64_t heartbeat = 10'000'000'000;                           // ns between two; 0: none
  int64_t sync = kSecond;                                       // ns between two syncs to disk
  bool background = true;                                       // a thread that calls Tick
  bool group_readable = false;                                  // new files, for the owner's group
  std::function<void(const std::string& sentence)> on_problem;  // called once per sentence
};

class Recorder {
 public:
  // Never fails. Without a segment, events count as dropped until one can be created.
  explicit Recorder(RecorderOptions options);
  ~Recorder();  // Close
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Stores the event. False if there was no room; the event then counts as dropped. Unknown times
  // become now. Takes no lock, allocates nothing, does not block.
  bool Write(Record& record);

  // Does the background thread's work once, for callers with their own timer. `now` is monotonic.
  void Tick(int64_t now);

  // Syncs all events written before to disk. False on failure.
  bool Flush();

  // Ends the thread and closes the segment. No event is stored afterwards.
  void Close();

  // True in a forked child of the recorder's process. Then only forked() may be called, not even
  // the destructor.
  bool forked() const { return guard_ != nullptr && guard_->load(std::memory_order_relaxed) == 0; }

  int64_t dropped() const { return dropped_ever_.load(std::memory_order_relaxed); }
  const std::string& writer() const { return writer_; }

 private:
  void Run();
  void MakeSegmentAhead();
  std::unique_ptr<SegmentFile> MakeSegment();
  Sharing sharing() const { return options_.group_readable ? Sharing::kGroup : Sharing::kOwner; }
  void RecordDropped();
  void SyncAll();
  void TellManifest();
  void ReleaseFull();
  static void CloseSegment(SegmentFile& segment);
  void Problem(const std::string& sentence);
  bool WriteNow(EventKind kind, int64_t count);

  RecorderOptions options_;
  std::string writer_;
  std::string file_prefix_;
  std::atomic<int>* guard_ = nullptr;  // on a page of its own that a fork fills with zeros

  std::atomic<SegmentFile*> current_ = nullptr;
  std::atomic<int64_t> sequence_ = 0;
  std::atomic<int64_t> dropped_ = 0;  // not yet recorded
  std::atomic<int64_t> dropped_ever_ = 0;
  sem_t wake_;

  std::mutex mutex_;  // guards what follows; Write does not take it
  std::vector<std::unique_ptr<SegmentFile>> segments_;  // earlier ones stay, unmapped
  size_t released_ = 0;                                 // how many of the first ones these are
  std::optional<ManifestFile> manifest_;
  std::vector<ManifestEntry> untold_;  // for the manifest
  size_t told_ = 0;                    // segments before it are closed in the manifest
  int64_t last_heartbeat_ = 0;
  int64_t last_sync_ = 0;
  bool folder_synced_ = false;
  bool closed_ = false;
  std::vector<std::string> problems_;  // already reported
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace stepscope::goodput
