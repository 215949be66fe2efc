// Writes the text before and after a trace's events: the machine, the job, the names of tracks.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "demo/kineto_writer.h"

namespace stepscope::demo {
namespace {

constexpr int64_t kBaseTime = 1'759'276'800'000'000'000;  // ns since 1970: 2025-10-01
constexpr int kDevicesPerHost = 8;
constexpr int kMultiprocessors = 132;

std::string DeviceProperties(int devices) {
  std::string text;
  for (int i = 0; i < devices; ++i) {
    text += fmt::format(R"(
    {{
      "id": {}, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85017755648,
      "computeMajor": 9, "computeMinor": 0,
      "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048,
      "regsPerBlock": 65536, "warpSize": 32,
      "sharedMemPerBlock": 49152, "numSms": {}
    , "regsPerMultiprocessor": 65536, "sharedMemPerBlockOptin": 232448, "sharedMemPerMultiprocessor": 233472
    }}{})",
                        i, kMultiprocessors, i + 1 < devices ? "," : "");
  }
  return text;
}

}  // namespace

KinetoWriter::KinetoWriter(const DemoOptions& options, int rank)
    : options_(options),
      rank_(rank),
      pid_(4210 + rank % kDevicesPerHost),
      groups_(GroupsOf(options, rank)) {
  for (const ProcessGroup& group : groups_) listed_.push_back(group.Listed());
  for (int device = 0; device < options.devices; ++device) places_.push_back(MakePlace(device));
}

KinetoWriter::Place KinetoWriter::MakePlace(int device) const {
  const auto track = [](int64_t process, int64_t thread) {
    return fmt::format(R"("pid": {}, "tid": {})", process, thread);
  };
  const bool alone = options_.devices == 1;
  Place place{.device = alone ? rank_ % kDevicesPerHost : device,
              .threads = {pid_ + device, pid_ + 390 + device}};
  for (size_t t = 0; t < place.threads.size(); ++t)
    place.host_tracks[t] = track(pid_, place.threads[t]);
  for (size_t lane = 0; lane < kLanes; ++lane)
    place.lane_tracks.push_back(track(place.device, StreamOf(static_cast<Lane>(lane))));
  place.any_stream_track = track(place.device, -1);
  return place;
}

std::string_view KinetoWriter::TrackOf(int stream) const {
  const Place& place = places_[at_];
  for (size_t lane = 0; lane < kLanes; ++lane) {
    if (StreamOf(static_cast<Lane>(lane)) == stream) return place.lane_tracks[lane];
  }
  return place.any_stream_track;
}

// What the rank's device may have streams for.
std::vector<Lane> KinetoWriter::Lanes() const {
  std::vector<Lane> lanes = {Lane::kCompute};
  const auto add = [&](Lane lane, bool used) {
    if (used) lanes.push_back(lane);
  };
  const bool parallel = HasParallelGroups(options_);
  const bool spreads_experts =
      options_.expert_groups > 1 && ReplicasOf(options_) > options_.expert_groups;
  const int stage = parallel ? PlaceOf(options_, rank_).stage : 0;
  add(Lane::kData, !parallel || ReplicasOf(options_) > 1);
  add(Lane::kTensor, options_.tensor > 1);
  add(Lane::kPipeline, options_.pipeline > 1);
  add(Lane::kExpert, options_.expert_groups > 1);
  add(Lane::kExpertData, spreads_experts);
  add(Lane::kNext, stage + 1 < options_.pipeline);
  add(Lane::kPrevious, stage > 0);
  return lanes;
}

void KinetoWriter::Header(JsonText& out) const {
  std::vector<std::string> groups;
  for (const ProcessGroup& group : groups_) {
    if (group.count > 1 || groups.empty()) groups.push_back(group.Config());
  }
  const int devices =
      options_.devices == 1 ? std::min(options_.ranks, kDevicesPerHost) : options_.devices;
  out.Text(fmt::format(
      R"(
{{
  "schemaVersion": 1,
  "deviceProperties": [{}
  ],
  "cupti_version": 24,
  "cuda_runtime_version": 12060,
  "cuda_driver_version": 12060,
  "distributedInfo": {{"backend": "nccl", "rank": {}, "world_size": {}, "pg_count": {}, "pg_config": [{}], "nccl_version": "2.21.5"}},
  "profile_memory": 1,
)",
      DeviceProperties(devices), rank_, options_.ranks, groups.size(), fmt::join(groups, ", ")));
  if (options_.ranks_per_host > 1)
    out.Text(fmt::format("  \"host_name\": \"host-{:04}\",\n", rank_ / options_.ranks_per_host));
  if (options_.stacks) out.Text("  \"record_shapes\": 1,\n  \"with_stack\": 1,\n");
  out.Text("  \"traceEvents\": [\n");
}

void KinetoWriter::WriteMetadata(std::string_view name, std::string_view track, int64_t time,
                                 std::string_view key, std::string_view value, JsonText& out) {
  out.Text("  {\n    \"name\": \"").Text(name).Text("\", \"ph\": \"M\", \"ts\": ").Micros(time);
  out.Text(", ").Text(track).Text(",\n    \"args\": {\n      \"").Text(key).Text("\": ");
  out.Text(value).Text("\n    }\n  },\n");
  ++events_;
}

void KinetoWriter::WriteThread(std::string_view name, std::string_view track, int64_t time,
                               int64_t sort_index, JsonText& out) {
  WriteMetadata("thread_name", track, time, "name", fmt::format("\"{}\"", name), out);
  WriteMetadata("thread_sort_index", track, time, "sort_index", fmt::format("{}", sort_index), out);
}

void KinetoWriter::WriteProcess(std::string_view name, std::string_view label, int64_t pid,
                                int64_t sort_index, int64_t time, JsonText& out) {
  const std::string track = fmt::format(R"("pid": {}, "tid": 0)", pid);
  WriteMetadata("process_name", track, time, "name", fmt::format("\"{}\"", name), out);
  WriteMetadata("process_labels", track, time, "labels", fmt::format("\"{}\"", label), out);
  WriteMetadata("process_sort_index", track, time, "sort_index", fmt::format("{}", sort_index),
                out);
}

// Names the device that is written about and the threads that drive it.
void KinetoWriter::WriteTracks(int64_t time, JsonText& out) {
  WriteProcess("python3", fmt::format("GPU {}", Device()), Device(), 5'000'000 + Device(), time,
               out);
  for (const Lane lane : Lanes()) {
    const int stream = StreamOf(lane);
    WriteThread(fmt::format("stream {} ", stream), TrackOf(stream), time, stream, out);
  }
  const auto [own, autograd] = places_[at_].threads;
  WriteThread(fmt::format("thread {} (python3)", own), TrackOf(Thread::kMain), time, own, out);
  WriteThread(fmt::format("thread {} (pt_autograd_{})", autograd, at_), TrackOf(Thread::kAutograd),
              time, autograd, out);
}

void KinetoWriter::Footer(int64_t trace_start, int64_t trace_end, JsonText& out) {
  const int64_t time = trace_start + 1'000;
  WriteProcess("python3", "CPU", pid_, pid_, time, out);
  for (at_ = 0; at_ < places_.size(); ++at_) WriteTracks(time, out);
  at_ = 0;
  out.Text("  {\n    \"ph\": \"X\", \"cat\": \"Trace\", \"ts\": ").Micros(trace_start);
  out.Text(", \"dur\": ").Micros(trace_end - trace_start).Text(R"json(,
    "pid": "Spans", "tid": "PyTorch Profiler",
    "name": "PyTorch Profiler (0)",
    "args": {
      "Op count": 0
    }
  },
)json");
  WriteMetadata("process_sort_index", R"("pid": "Spans", "tid": 0)", trace_start, "sort_index",
                "536870912", out);
  out.Text(R"(  {
    "name": "Iteration Start: PyTorch Profiler", "ph": "i", "s": "g",
    "pid": "Traces", "tid": "Trace PyTorch Profiler", "ts": )");
  out.Micros(trace_start).Text(R"(
  },
  {
    "name": "Record Window End", "ph": "i", "s": "g",
    "pid": "", "tid": "", "ts": )");
  out.Micros(trace_end).Text("\n  }\n  ],\n  \"traceName\": \"rank-").Int(rank_);
  out.Text(".pt.trace.json\",\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": ");
  out.Int(kBaseTime).Text("\n}\n");
  events_ += 3;
}

}  // namespace stepscope::demo
