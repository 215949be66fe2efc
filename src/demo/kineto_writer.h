// Writes a rank's records as the JSON of PyTorch's profiler, including its white space.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "demo/events.h"
#include "demo/groups.h"
#include "demo/json_text.h"
#include "stepscope/demo.h"

namespace stepscope::demo {

// Writes the trace of one rank, in this order: Header, Body as often as needed, Footer. A body has
// the records of one of the rank's devices and the threads that drive it.
class KinetoWriter {
 public:
  // `options` must outlive the writer.
  KinetoWriter(const DemoOptions& options, int rank);

  void Header(JsonText& out) const;
  // `device`: of the rank, counted.
  void Body(const Events& events, int device, JsonText& out);
  void Footer(int64_t trace_start, int64_t trace_end, JsonText& out);

  // The number that a device of the rank has in the trace.
  int DeviceOf(int device) const { return places_[static_cast<size_t>(device)].device; }

  // Records written so far, those that describe processes and threads among them.
  int64_t events() const { return events_; }

 private:
  void Write(const HostRange& range, JsonText& out);
  void Write(const PythonFrame& frame, JsonText& out);
  void Write(const MemoryChange& change, JsonText& out);
  void Write(const RuntimeCall& call, JsonText& out);
  void Write(const DeviceActivity& work, JsonText& out);
  void Write(const GpuRange& range, JsonText& out);
  void Write(const SyncRecord& sync, JsonText& out);
  void WriteName(const Node& node, int64_t number, JsonText& out) const;
  void WriteFlow(std::string_view kind, bool begins, int64_t id, std::string_view track,
                 int64_t time, JsonText& out);
  void WriteMetadata(std::string_view name, std::string_view track, int64_t time,
                     std::string_view key, std::string_view value, JsonText& out);
  void WriteThread(std::string_view name, std::string_view track, int64_t time, int64_t sort_index,
                   JsonText& out);
  void WriteProcess(std::string_view name, std::string_view label, int64_t pid, int64_t sort_index,
                    int64_t time, JsonText& out);
  void WriteTracks(int64_t time, JsonText& out);

  // A device and the threads that drive it; tracks are "pid" and "tid", as members of an event.
  struct Place {
    int device = 0;  // on its host
    std::array<int64_t, 2> threads = {};
    std::array<std::string, 2> host_tracks = {};
    std::vector<std::string> lane_tracks = {};  // of the lanes that are used, by their number
    std::string any_stream_track = {};
  };
  Place MakePlace(int device) const;
  std::string_view TrackOf(Thread thread) const {
    return places_[at_].host_tracks[static_cast<size_t>(thread)];
  }
  std::string_view TrackOf(int stream) const;
  int Device() const { return places_[at_].device; }
  static void WriteEnds(const Message& message, JsonText& out);
  void WriteGroup(const Message& message, JsonText& out) const;
  std::vector<Lane> Lanes() const;
  const ProcessGroup& GroupOf(const Message& message) const {
    return groups_[static_cast<size_t>(message.group)];
  }

  const DemoOptions& options_;
  int rank_;
  int64_t pid_;
  std::vector<Place> places_;
  size_t at_ = 0;                     // the place that is written about
  std::vector<ProcessGroup> groups_;  // of the rank
  std::vector<std::string> listed_;   // of each, its members as collectives carry them
  int64_t ev_index_ = 0;
  int64_t events_ = 0;
};

}  // namespace stepscope::demo
