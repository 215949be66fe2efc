// Records the events of one process into segments. include/stepscope/goodput_c.h is its public
// face, and says what it promises.
//
// Training threads meet nothing but Write: they store into the current segment, and the first that
// finds it full makes the next one current, which is there already. All else is done by Tick:
// making segments ahead of time, syncing, heartbeats, and saying how many events had no room.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "goodput/recorder/segment_file.h"
#include "goodput/recorder/segment_name.h"

namespace stepscope::goodput {

struct RecorderOptions {
  std::string directory;  // made if need be
  std::string job;
  std::string attempt;
  int64_t rank = -1;                                            // -1: not known
  int64_t segment_bytes = int64_t{4} << 20;                     // of a file, 64 KB to 1 GB
  int64_t heartbeat = 10'000'000'000;                           // ns between two; 0: none
  int64_t sync = 1'000'000'000;                                 // ns between two syncs to disk
  bool background = true;                                       // a thread that calls Tick
  std::function<void(const std::string& sentence)> on_problem;  // called once for each sentence
};

class Recorder {
 public:
  // Never fails: without a segment, events are counted as dropped until one can be made.
  explicit Recorder(RecorderOptions options);
  ~Recorder();  // Close
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Stores the event; false: there was no room, and it is counted. Unknown times become now. Takes
  // no lock, allocates nothing, does not block.
  bool Write(Record& record);

  // What the background thread does now and then; for a caller with a timer of his own. `now` is of
  // the monotonic clock.
  void Tick(int64_t now);

  // Has the disk hold all that was written before. False: it could not.
  bool Flush();

  // Ends the thread and the segment. No event goes in any more.
  void Close();

  // Whether this is a child that its parent's recorder was forked into: then nothing but forked()
  // may be called, not even the destructor.
  bool forked() const { return guard_ != nullptr && guard_->load(std::memory_order_relaxed) == 0; }

  int64_t dropped() const { return dropped_ever_.load(std::memory_order_relaxed); }
  const std::string& writer() const { return writer_; }

 private:
  void Run();
  void MakeSegmentAhead();
  std::unique_ptr<SegmentFile> MakeSegment();
  void TellDropped();
  void SyncAll();
  void ReleaseFull();
  void Problem(const std::string& sentence);
  bool WriteNow(EventKind kind, int64_t count);

  RecorderOptions options_;
  std::string writer_;
  std::string file_prefix_;
  std::atomic<int>* guard_ = nullptr;  // on a page of its own that a fork fills with zeros

  std::atomic<SegmentFile*> current_ = nullptr;
  std::atomic<int64_t> sequence_ = 0;
  std::atomic<int64_t> dropped_ = 0;  // not yet told
  std::atomic<int64_t> dropped_ever_ = 0;
  sem_t wake_;

  std::mutex mutex_;                                    // over what follows; Write does not take it
  std::vector<std::unique_ptr<SegmentFile>> segments_;  // those of before stay, without mapping
  size_t released_ = 0;                                 // how many of the first ones these are
  int64_t last_heartbeat_ = 0;
  int64_t last_sync_ = 0;
  bool folder_synced_ = false;
  bool closed_ = false;
  std::vector<std::string> problems_;  // that were told
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace stepscope::goodput
