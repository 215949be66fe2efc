// Keeps the tracks of a Perfetto trace: what their descriptors say, and which slices are open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/string_table.h"

namespace stepscope::perfetto {

using TrackIndex = uint32_t;
inline constexpr uint32_t kNoRow = UINT32_MAX;

// A slice begins (`row`: which, kNoRow: one that is not kept) or ends.
struct Mark {
  int64_t time = 0;
  uint32_t row = kNoRow;
  bool begins = false;
};

struct PerfettoTrack {
  uint64_t uuid = 0, parent = 0;
  std::string name;
  std::optional<int64_t> process, thread;  // their numbers
  std::string process_name, thread_name;
  // As export writes it: the process and thread of the trace it was made from, and their names.
  bool has_identity = false, later = false;
  std::string pid, tid, counter;
  bool is_counter = false;
  int64_t multiplier = 1;    // of a counter's values
  bool incremental = false;  // a counter's values are changes
  double level = 0;          // of such a counter

  std::vector<Mark> marks;
  uint32_t recording = UINT32_MAX;  // the first that had an event here
};

// Whose thread a track stands for.
struct Place {
  std::string pid, tid, process_name, thread_name;
  std::string track_name;
};

// The stream that a track's name stands for: "COMPUTE AGENT [4] QUEUE [2] (GPU)" and "COPY to AGENT
// [4] THREAD [0] (GPU)" of rocprofv3, "rank 3 compute" and "rank 3 io" of xpu_timer.
struct NamedStream {
  int64_t device = 0, stream = 0;
};
std::optional<NamedStream> StreamOfName(std::string_view name);

class TrackTable {
 public:
  TrackIndex Of(uint64_t uuid) {
    if (uuid == last_uuid_ && !tracks_.empty()) return last_;
    return Find(uuid);
  }
  PerfettoTrack& operator[](TrackIndex track) { return tracks_[track]; }
  const std::vector<PerfettoTrack>& all() const { return tracks_; }

  // Takes a TrackDescriptor, and of older writers a ProcessDescriptor or ThreadDescriptor of its
  // own.
  void TakeDescriptor(std::string_view message);

  // By its own descriptor and those of its parents, of which there may be a cycle.
  Place PlaceOf(TrackIndex track) const;

 private:
  TrackIndex Find(uint64_t uuid);

  std::vector<PerfettoTrack> tracks_;
  std::unordered_map<uint64_t, TrackIndex> by_uuid_;
  std::unordered_map<int64_t, std::string> process_names_;  // of processes' own tracks
  uint64_t last_uuid_ = 0;
  TrackIndex last_ = 0;
};

}  // namespace stepscope::perfetto
