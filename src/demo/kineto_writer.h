// Writes a rank's records as the JSON of PyTorch's profiler, including its white space.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "demo/events.h"
#include "demo/json_text.h"
#include "stepscope/demo.h"

namespace stepscope::demo {

// Writes the trace of one rank, in this order: Header, Body as often as needed, Footer.
class KinetoWriter {
 public:
  // `options` must outlive the writer.
  KinetoWriter(const DemoOptions& options, int rank);

  void Header(JsonText& out) const;
  void Body(const Events& events, JsonText& out);
  void Footer(int64_t trace_start, int64_t trace_end, JsonText& out);

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
  std::string_view TrackOf(Thread thread) const {
    return host_tracks_[static_cast<size_t>(thread)];
  }
  std::string StreamTrack(int stream) const;
  std::string_view TrackOf(int stream) const;

  const DemoOptions& options_;
  int rank_;
  int device_;  // on its host
  int64_t pid_;
  // "pid" and "tid" of every track, as members of an event.
  std::array<std::string, 2> host_tracks_;
  std::string compute_track_, comm_track_, any_stream_track_;
  std::string group_ranks_;  // as collectives carry it
  int64_t ev_index_ = 0;
  int64_t events_ = 0;
};

}  // namespace stepscope::demo
