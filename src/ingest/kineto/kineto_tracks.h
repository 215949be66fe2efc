// Maps the threads and streams of a Kineto trace to tracks of a Trace.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/kineto/ascend_events.h"
#include "ingest/kineto/kineto_text.h"
#include "trace/trace.h"

namespace stepscope {

// The last number in a token such as 7, "7" or "stream 7"; -1 if there is none.
int64_t TrailingNumber(std::string_view token);

class KinetoTracks {
 public:
  // Adds to the tracks of `trace`, which must outlive this.
  explicit KinetoTracks(Trace& trace) : trace_(trace) {}

  // Of an event on a stream of a device, and of one on a thread of the host.
  TrackId Stream(const RawEvent& event);
  TrackId Thread(const RawEvent& event);

  // Takes what a metadata record says: the name of a process or of a thread.
  void TakeName(const RawEvent& record);

  // What the tracks of `later`, which read text behind this one's, are here; by their ids there.
  std::vector<TrackId> Adopt(const KinetoTracks& later);

  // To be called once after the last event: names the tracks.
  void Finish();
  // What metadata records name; valid as long as this.
  AscendNames Names() const;

 private:
  TrackId OfStream(int64_t device, int64_t stream);
  TrackId OfThread(std::string_view process, std::string_view thread);

  Trace& trace_;
  std::string scratch_;
  StringTable threads_;                 // process and thread id, joined by a zero byte
  std::vector<TrackId> thread_tracks_;  // by id in `threads_`
  std::string last_pid_, last_tid_;     // of the thread asked for last, as tokens
  TrackId last_thread_ = 0;
  std::map<std::pair<int64_t, int64_t>, TrackId> stream_tracks_;  // by device and stream
  std::map<std::string, std::string, std::less<>> process_names_, thread_names_;
};

}  // namespace stepscope
