// Tests profiles of JAX and TensorFlow against what others found in them: ../shared/goldens/xplane,
// decoded with protobuf's own reader and worked out from the TensorFlow Profiler's rules.
//
// Every line, event, name, kernel and allocator is compared, and of the profile with steps every
// category of every step. Not compared, for they are not in a trace: planes that hold no work
// ("/host:metadata", "Task Environment"), numbers of names and stats, and "step_db_head", the
// profiler's newer rules, which see no waiting for input on GPUs. Of "overview_classic" the copies
// differ: it takes CUPTI's for compute. Memory events are moments: whatever they are said to last.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/intervals.h"
#include "ingest/trace_reader.h"
#include "stepscope/export.h"
#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/invariants.h"
#include "tests/shared_data.h"

namespace stepscope::testing::xplane_test {
namespace {

using nlohmann::json;

constexpr const char* kJax =
    "traces/xplane/jax_conv_mi300/plugins/profile/2025_01_01_00_00_00/mi300x-host.xplane.pb";
constexpr const char* kTensorFlow =
    "traces/xplane/tf2_gpu_synthetic/plugins/profile/2025_01_01_00_00_00/gpu-host.xplane.pb";

json Golden(const std::string& name) {
  std::ifstream file(Shared("goldens/xplane/" + name));
  return json::parse(file);
}

Trace ReadAll(const std::string& path) {
  auto source = ByteSource::Open(Shared(path));
  EXPECT_TRUE(source);
  auto trace = ReadTrace(std::move(*source));
  EXPECT_TRUE(trace);
  return std::move(*trace);
}

// The events of one line, or of a plane, that a test asks about.
struct Totals {
  int64_t events = 0;
  int64_t sum = 0;  // ns
  int64_t first = INT64_MAX;
  int64_t last = INT64_MIN;

  void Add(const Trace& t, EventId e) {
    ++events;
    sum += t.durations()[e];
    first = std::min(first, t.starts()[e]);
    last = std::max(last, t.starts()[e] + t.durations()[e]);
  }
};

// Total durations in the goldens are in picoseconds; ours lose up to one ns for each event.
void ExpectSum(int64_t ours_ns, const json& theirs_ps, int64_t events, const std::string& what) {
  EXPECT_NEAR(static_cast<double>(ours_ns), theirs_ps.get<double>() / 1000,
              static_cast<double>(events))
      << what;
}

int64_t Union(const Trace& t, int64_t device) {
  std::vector<std::pair<int64_t, int64_t>> spans;
  for (EventId e = 0; e < t.size(); ++e) {
    const Track& track = t.tracks[t.tracks_of()[e]];
    if (track.is_stream && track.device == device)
      spans.emplace_back(t.starts()[e], t.starts()[e] + t.durations()[e]);
  }
  std::ranges::sort(spans);
  int64_t covered = 0;
  int64_t behind = INT64_MIN;
  for (const auto& [start, end] : spans) {
    if (end > behind) covered += end - std::max(start, behind);
    behind = std::max(behind, end);
  }
  return covered;
}

std::string LineOf(const Track& track) {
  if (track.is_stream) return std::to_string(track.stream);
  return track.thread.substr(0, track.thread.find(' '));  // without " async"
}

// The goldens cut long names.
std::string NameOf(const Trace& t, EventId e) {
  return std::string(t.strings[t.names()[e]].substr(0, 400));
}

class XPlaneGolden : public SharedDataTest {};

TEST_F(XPlaneGolden, EveryLineOfAJaxProfile) {
  const json golden = Golden("jax_conv_mi300.json");
  const Trace t = ReadAll(kJax);
  EXPECT_EQ(t.events_in_file, golden["total_events"]);
  // It marks no steps: executions of its largest program are, and add a marker each.
  const int64_t markers = t.notes.Count(NoteKind::kStepsFromModule);
  EXPECT_EQ(static_cast<int64_t>(t.size()) - markers, golden["total_events"]);
  EXPECT_EQ(markers, 5);
  std::map<std::pair<int64_t, std::string>, Totals> ours;  // by device (-1: host) and line
  for (EventId e = 0; e < t.size(); ++e) {
    const Track& track = t.tracks[t.tracks_of()[e]];
    if (track.process == "steps") continue;
    ours[{track.is_stream ? track.device : -1, LineOf(track)}].Add(t, e);
  }
  int64_t compared = 0;
  std::optional<int64_t> profile_start;
  for (const json& plane : golden["planes"]) {
    const auto name = plane["name"].get<std::string>();
    const int64_t device = name.starts_with("/device:GPU:") ? std::stoll(name.substr(12)) : -1;
    for (const json& line : plane["lines"]) {
      const auto at = ours.find({device, line["id"].get<std::string>()});
      ASSERT_NE(at, ours.end()) << name << line["name"];
      EXPECT_EQ(at->second.events, line["num_events"]) << line["name"];
      const int64_t begins = line["first_begin_ps"].get<int64_t>() / 1000;
      if (!profile_start) profile_start = at->second.first - begins;
      EXPECT_EQ(at->second.first - *profile_start, begins) << line["name"];
      ExpectSum(at->second.sum, line["sum_duration_ps"], at->second.events, line["name"]);
      ours.erase(at);
      ++compared;
    }
    if (device >= 0) ExpectSum(Union(t, device), plane["busy_union_all_lines_ps"], 1, name);
  }
  EXPECT_TRUE(ours.empty());
  EXPECT_EQ(compared, 22);
}

TEST_F(XPlaneGolden, EveryNameOfAJaxProfile) {
  const json golden = Golden("jax_conv_mi300.json");
  const Trace t = ReadAll(kJax);
  std::map<std::pair<int64_t, std::string>, Totals> names, ops;
  for (EventId e = 0; e < t.size(); ++e) {
    const Track& track = t.tracks[t.tracks_of()[e]];
    const int64_t device = track.is_stream ? track.device : -1;
    names[{device, NameOf(t, e)}].Add(t, e);
    const auto op = t.Texts(TextField::kHloOp).Find(e);
    if (op) ops[{device, std::string(t.strings[*op])}].Add(t, e);
  }
  int64_t compared = 0;
  const auto compare = [&](const json& theirs, auto& ours, int64_t device) {
    for (const json& row : theirs) {
      const Totals& own = ours[{device, row["name"].get<std::string>()}];
      EXPECT_EQ(own.events, row["count"]) << row["name"];
      ExpectSum(own.sum, row["total_ps"], own.events, row["name"]);
      ++compared;
    }
  };
  for (const json& plane : golden["planes"]) {
    const auto name = plane["name"].get<std::string>();
    const int64_t device = name.starts_with("/device:GPU:") ? std::stoll(name.substr(12)) : -1;
    compare(plane["top_events_by_total_ps"], names, device);
    if (plane.contains("by_hlo_op")) compare(plane["by_hlo_op"], ops, device);
  }
  EXPECT_EQ(compared, 1 + 5 + 4 + 30);
}

TEST_F(XPlaneGolden, CopiesKernelsAndDevicesOfAJaxProfile) {
  const json golden = Golden("jax_conv_mi300.json");
  const Trace t = ReadAll(kJax);
  int64_t copied = 0;
  std::map<std::string, std::array<int32_t, 3>> grids;
  for (EventId e = 0; e < t.size(); ++e) {
    if (t.kinds()[e] == Kind::kMemcpy) copied += t.Ints(IntField::kBytes).Find(e).value_or(0);
    const auto config = t.Ints(IntField::kLaunchConfig).Find(e);
    if (config) {
      const LaunchConfig& launch = t.launch_configs[static_cast<size_t>(*config)];
      grids[NameOf(t, e)] = launch.grid;
      EXPECT_EQ(launch.registers, -1) << "the file's numbers cannot be";
    }
  }
  EXPECT_EQ(copied, golden["planes"][1]["memcpy_by_name"][0]["bytes"]);
  for (const json& row : golden["planes"][8]["kernel_stats_rows"]) {
    const auto& grid = grids[row["name"].get<std::string>()];
    const std::string text = "grid:" + std::to_string(grid[0]) + ',' + std::to_string(grid[1]) +
                             ',' + std::to_string(grid[2]);
    EXPECT_TRUE(row["kernel_details"].get<std::string>().contains(text)) << text;
  }
  EXPECT_EQ(grids.size(), 5u);
  ASSERT_EQ(t.meta.devices.size(), 8u);
  const json& stats = golden["planes"][1]["plane_stats"];
  for (const DeviceProperties& device : t.meta.devices) {
    EXPECT_EQ(device.memory_bytes, stats["memory_size"]);
    EXPECT_EQ(device.multiprocessors, stats["core_count"]);
    EXPECT_EQ(device.memory_bandwidth, stats["memory_bandwidth"].get<double>());
    EXPECT_EQ(device.clock_hz, stats["clock_rate"].get<double>() * 1000);
  }
}

TEST_F(XPlaneGolden, MemoryOfAJaxProfile) {
  struct Memory {
    int64_t allocations = 0, deallocations = 0, allocated = 0, freed = 0, peak = 0, lifetime = 0;
  };
  const json golden = Golden("jax_conv_mi300.json");
  const Trace t = ReadAll(kJax);
  std::map<std::string, Memory> ours;
  for (EventId e = 0; e < t.size(); ++e) {
    const auto allocator = t.Texts(TextField::kAllocator).Find(e);
    if (!allocator) continue;
    Memory& memory = ours[std::string(t.strings[*allocator])];
    const int64_t bytes = t.Ints(IntField::kBytes).Find(e).value_or(0);
    const bool taken = t.strings[t.names()[e]] == "MemoryAllocation";
    ++(taken ? memory.allocations : memory.deallocations);
    (taken ? memory.allocated : memory.freed) += taken ? bytes : -bytes;
    memory.peak = std::max(memory.peak, t.Ints(IntField::kTotalAllocated).Find(e).value_or(0));
    memory.lifetime =
        std::max(memory.lifetime, t.Ints(IntField::kLifetimePeak).Find(e).value_or(0));
  }
  const json& theirs = golden["planes"][9]["memory"];
  EXPECT_EQ(ours.size(), theirs.size());
  for (const auto& [allocator, memory] : theirs.items()) {
    const Memory& own = ours[allocator];
    EXPECT_EQ(own.allocations, memory["num_allocations"]) << allocator;
    EXPECT_EQ(own.deallocations, memory["num_deallocations"]) << allocator;
    EXPECT_EQ(own.peak, memory["peak_usage_bytes_in_window(reserved+allocated)"]) << allocator;
    EXPECT_EQ(own.lifetime, memory["max_peak_bytes_in_use_stat"]) << allocator;
    EXPECT_EQ(own.allocated, memory["sum_allocation_bytes"]) << allocator;
    EXPECT_EQ(own.freed, memory["sum_deallocation_bytes"]) << allocator;
  }
}

TEST_F(XPlaneGolden, DevicesOfAJaxProfileThroughTheFrontDoor) {
  const json golden = Golden("jax_conv_mi300.json");
  const auto answer = Ask({Shared("traces/xplane/jax_conv_mi300")});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(BrokenInvariants(*answer), std::vector<std::string>{});
  std::map<int64_t, Row> devices;
  for (const Row& row : RowsOf(*answer, "temporal_breakdown", "ranks"))
    devices.emplace(row.Int("device"), row);
  for (const json& device : golden["device_summary"]) {
    const int64_t number = std::stoll(device["plane"].get<std::string>().substr(12));
    ASSERT_TRUE(devices.contains(number));
    const Row& row = devices.at(number);
    ExpectSum(row.Int("busy"), device["busy_union_ps"], 1, "busy");
    ExpectSum(row.Int("span"), device["span_ps"], 1, "span");
    ExpectSum(row.Int("idle"), device["idle_ps"], 2, "idle");
  }
  EXPECT_EQ(devices.size(), golden["device_summary"].size());
}

TEST_F(XPlaneGolden, EveryStepOfATensorFlowProfile) {
  const json golden = Golden("tf2_gpu_synthetic.json");
  const Trace t = ReadAll(kTensorFlow);
  std::map<int64_t, std::pair<int64_t, int64_t>> steps;
  std::optional<int64_t> start;
  for (EventId e = 0; e < t.size(); ++e) {
    const auto number = t.Ints(IntField::kStep).Find(e);
    if (t.kinds()[e] != Kind::kAnnotation || !number) continue;
    EXPECT_TRUE(steps.try_emplace(*number, t.starts()[e], t.durations()[e]).second);
  }
  ASSERT_EQ(steps.size(), golden["step_db_product"].size());
  for (const json& step : golden["step_db_product"]) {
    const int64_t number = std::stoll(step["step_name"].get<std::string>().substr(6));
    ASSERT_TRUE(steps.contains(number)) << number;
    const int64_t begins = step["begin_ps"].get<int64_t>() / 1000;
    if (!start) start = steps[number].first - begins;
    EXPECT_EQ(steps[number].first - *start, begins);
    EXPECT_EQ(steps[number].second, step["duration_ps"].get<int64_t>() / 1000);
  }
}

TEST_F(XPlaneGolden, WhatTheStepsOfATensorFlowProfileGoTo) {
  const json golden = Golden("tf2_gpu_synthetic.json");
  const auto answer = Ask({Shared("traces/xplane/tf2_gpu_synthetic")});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(BrokenInvariants(*answer), std::vector<std::string>{});
  std::map<std::string, int64_t> means;
  for (const Row& row : RowsOf(*answer, "overview", "step_time"))
    means[row.Text("category")] = row.Int("mean");
  const json& theirs = golden["overview_product"]["breakdown_avg_ms"];
  constexpr std::pair<const char*, const char*> kCategories[] = {
      {"device compute", "device_compute"},
      {"device collectives", "device_collectives"},
      {"input", "input"},
      {"output", "output"},
      {"kernel launch", "kernel_launch"},
      {"all others", "unknown"},
  };
  for (const auto& [our_name, their_name] : kCategories) {
    ASSERT_TRUE(means.contains(our_name)) << our_name;
    EXPECT_NEAR(static_cast<double>(means[our_name]), theirs[their_name].get<double>() * 1e6, 1)
        << our_name;
  }
}

TEST_F(XPlaneGolden, InputAndPrecisionOfATensorFlowProfile) {
  const json golden = Golden("tf2_gpu_synthetic.json");
  const json& theirs = golden["overview_product"];
  const auto answer = Ask({Shared("traces/xplane/tf2_gpu_synthetic")});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_NEAR(std::get<double>(MetricOf(*answer, "overview", "precision_16_ratio")) * 100,
              theirs["device_compute_16bit_percent"], 1e-9);
  EXPECT_NEAR(std::get<double>(MetricOf(*answer, "overview", "precision_32_ratio")) * 100,
              theirs["device_compute_32bit_percent"], 1e-9);
  EXPECT_NEAR(std::get<double>(MetricOf(*answer, "input_pipeline", "input_ratio")) * 100,
              theirs["input_percent"], 1e-9);
  // Theirs has 49 executions on the host: it counts memory events as executions of the operator
  // they name, which are 7.
  const double on_host = golden["op_placement"]["num_host_tf_ops"].get<double>() - 7;
  const double on_device = golden["op_placement"]["num_device_tf_ops"];
  EXPECT_NEAR(std::get<double>(MetricOf(*answer, "overview", "host_op_ratio")),
              on_host / (on_host + on_device), 1e-9);
  std::map<std::string, int64_t> host;
  for (const Row& row : RowsOf(*answer, "input_pipeline", "host"))
    host[row.Text("category")] = row.Int("time");
  const json& scaled = golden["input_pipeline_host"]["scaled"];
  EXPECT_EQ(host["reading data from files in advance"],
            scaled["Advanced file read"].get<double>() * 1000);
  EXPECT_EQ(host["data preprocessing"], scaled["Preprocessing"].get<double>() * 1000);
  EXPECT_EQ(host["reading data from files on demand"], 0);
}

TEST_F(XPlaneGolden, ExportedTheyAreTheSameToLookAt) {
  for (const char* path : {kJax, kTensorFlow}) {
    const ScratchFolder folder;
    const std::vector<std::string> paths = {Shared(path)};
    ASSERT_TRUE(Export(paths, {.folder = folder.path()}));
    const auto ours = Ask(paths);
    const auto again = Ask({folder.path()});
    ASSERT_TRUE(ours && again);
    const auto before = RowsOf(*ours, "temporal_breakdown", "ranks");
    const auto after = RowsOf(*again, "temporal_breakdown", "ranks");
    ASSERT_EQ(before.size(), after.size());
    EXPECT_FALSE(before.empty());
    for (size_t i = 0; i < before.size(); ++i) {
      for (const char* column : {"device", "span", "busy", "compute", "non_compute"})
        EXPECT_EQ(before[i].Int(column), after[i].Int(column)) << column;
    }
  }
}

}  // namespace
}  // namespace stepscope::testing::xplane_test
