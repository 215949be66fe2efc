// Tests which events of a profile are kept and as what: kernels, copies, memory, pipelines.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <tuple>

#include "ingest/trace_reader.h"
#include "tests/support/read_profile.h"
#include "tests/support/sample_hlo.h"
#include "tests/support/sample_xspace.h"

namespace stepscope::xplane_events_test {
namespace {

std::string_view Text(const Trace& trace, TextField field, EventId event) {
  const auto id = trace.Texts(field).Find(event);
  return id ? trace.strings[*id] : "(none)";
}

TEST(XPlaneEvents, LinesThatRepeatOthersAreLeftOut) {
  SampleXSpace file;
  SamplePlane& gpu = file.Plane("/device:GPU:0");
  gpu.Line(1, "Stream #1(Kernel)").Event("k", 0, 5);
  for (const char* derived : {"Steps", "XLA Modules", "XLA Ops", "Framework Ops", "Source code",
                              "TensorFlow Ops", "Launch Stats"}) {
    gpu.Line(2, derived).Event("shadow", 0, 5);
  }
  for (const char* plane : {"/host:metadata", "/device:CUSTOM:Megascale Trace", "Host CPUs"})
    file.Plane(plane).Line(1, "line").Event("shadow", 0, 5);
  const Trace t = ReadProfile(file.Bytes());
  ASSERT_EQ(t.size(), 1u);
  EXPECT_EQ(NameOf(t, 0), "k");
  EXPECT_EQ(t.notes.Count(NoteKind::kUnknownCategory), 3) << "events of planes that are not read";
}

// Made from the description of such planes; none was ever seen in a recorded file.
TEST(XPlaneEvents, ASparseCoreIsPartOfItsDevice) {
  SampleXSpace file;
  file.Plane("/device:TPU:3").Line(1, "XLA Ops").Event("fusion.1", 0, 5);
  SamplePlane& core = file.Plane("/device:TPU:3 SparseCore 1");
  core.Line(1, "Sparse Core Steps").Event("7", 0, 9);
  core.Line(2, "Sparse Core Ops").Event("gather.4", 5, 5);
  const Trace t = ReadProfile(file.Bytes());
  ASSERT_EQ(t.size(), 2u);
  EXPECT_EQ(NameOf(t, 1), "gather.4");
  const Track& track = t.tracks[t.tracks_of()[1]];
  EXPECT_EQ(std::tuple(track.is_stream, track.device, track.stream), std::tuple(true, 3, 201));
  EXPECT_EQ(t.meta.devices.size(), 1u);
}

TEST(XPlaneEvents, PlanesOfACollectorAreOfTheHost) {
  SampleXSpace file;
  file.Plane("/host:CUPTI")
      .Line(10, "thread/10")
      .Event("cuLaunchKernel", 0, 5, {{"correlation_id", 9}});
  file.Plane("/host:NVTX-CUPTI").Line(10, "thread/10/NVTX").Event("forward", 0, 9);
  const Trace t = ReadProfile(file.Bytes());
  ASSERT_EQ(t.size(), 2u);
  EXPECT_EQ(t.kinds()[0], Kind::kRuntime);
  EXPECT_EQ(t.kinds()[1], Kind::kAnnotation);
}

TEST(XPlaneEvents, AProfileInARiegeliContainerIsTold) {
  constexpr std::string_view kBytes("\x83\xaf\x70\xd1\x0d\x88\x4a\x3f\0\0\0\0\0\0\0\0\x40", 17);
  const auto trace = ReadTrace(ByteSource::FromMemory(kBytes));
  ASSERT_FALSE(trace);
  EXPECT_TRUE(trace.error().what.contains("riegeli")) << trace.error().what;
}

TEST(XPlaneEvents, CopiesAndSetsAreKnownByNameOrByWhatTheySay) {
  struct Case {
    const char* name;
    SampleStats stats;
    Kind kind;
    CopyPath path;
  };
  const Case cases[] = {
      {"MemcpyH2D", {}, Kind::kMemcpy, CopyPath::kHostToDevice},  // CUPTI
      {"MemcpyD2H", {}, Kind::kMemcpy, CopyPath::kDeviceToHost},
      {"MemcpyD2D", {}, Kind::kMemcpy, CopyPath::kDeviceToDevice},
      {"MemcpyP2P", {}, Kind::kMemcpy, CopyPath::kPeer},
      {"MemcpyOther", {}, Kind::kMemcpy, CopyPath::kOther},
      {"MEMCPYHtoD", {}, Kind::kMemcpy, CopyPath::kHostToDevice},            // TensorFlow 1
      {"CopyDeviceToDevice", {}, Kind::kMemcpy, CopyPath::kDeviceToDevice},  // ROCm
      {"__amd_rocclr_copyBuffer.kd", {}, Kind::kCompute, CopyPath::kDeviceToDevice},
      {"odd", {{"memcpy_details", "size:8"}}, Kind::kMemcpy, CopyPath::kOther},
      {"Memset 0", {{"memset_details", "num_bytes:8"}}, Kind::kMemset, CopyPath::kSet},
      {"ncclDevKernel_AllReduce", {}, Kind::kCommunication, CopyPath::kOther},
      {"fusion.kd", {}, Kind::kCompute, CopyPath::kOther},
  };
  SampleXSpace file;
  SampleLine& line = file.Plane("/device:GPU:0").Line(1, "Stream #1");
  int64_t at = 0;
  for (const Case& c : cases) line.Event(c.name, ++at * 10, 5, c.stats);
  const Trace t = ReadProfile(file.Bytes());
  ASSERT_EQ(t.size(), std::size(cases));
  for (EventId e = 0; e < t.size(); ++e) {
    EXPECT_EQ(t.kinds()[e], cases[e].kind) << cases[e].name;
    if (IsMemory(cases[e].kind)) {
      EXPECT_EQ(PathOfCopy(t.kinds()[e], NameOf(t, e)), cases[e].path) << cases[e].name;
    }
  }
}

TEST(XPlaneEvents, KernelsOfUnknownNameAreKnownByTheirProgramOrTheCallAroundTheirLaunch) {
  struct Case {
    const char* name;
    SampleStats stats;
    Kind kind;
  };
  const Case cases[] = {
      {"ring_v2", {{"hlo_op", "all-reduce.3"}}, Kind::kCommunication},
      {"ring_v2", {{"hlo_op", "ragged-all-to-all.1"}}, Kind::kCommunication},
      {"ring_v2", {{"hlo_op", "loop_all_gather_fusion"}}, Kind::kCompute},
      {"ring_v2", {{"hlo_op", "copy-start.1"}}, Kind::kCompute},
      {"ring_v2", {{"nvtx_range", "ncclAllGather"}}, Kind::kCommunication},
      {"ring_v2", {{"nvtx_range", "all_gather of the user"}}, Kind::kCompute},
      {"ampere_sgemm_64x64_nn", {{"hlo_op", "all-reduce.3"}}, Kind::kCompute},
  };
  SampleXSpace file;
  SampleLine& line = file.Plane("/device:GPU:0").Line(1, "Stream #1");
  int64_t at = 0;
  for (const Case& c : cases) line.Event(c.name, ++at * 10, 5, c.stats);
  const Trace t = ReadProfile(file.Bytes());
  ASSERT_EQ(t.size(), std::size(cases));
  for (EventId e = 0; e < t.size(); ++e) EXPECT_EQ(t.kinds()[e], cases[e].kind) << e;
}

TEST(XPlaneEvents, KernelsAndCopiesSayWhatTheyAre) {
  SampleXSpace file;
  SamplePlane& gpu = file.Plane("/device:GPU:0");
  SampleLine& line = gpu.Line(1, "Stream #1");
  line.Event("gemm", 0, 5,
             {{"kernel_details", SampleRef{"regs:32 static_shared:16 dynamic_shared:4096 "
                                           "grid:80,2,1 block:256,1,1 occ_pct:50"}},
              {"tf_op", SampleRef{"model/dense/MatMul:MatMul"}},
              {"hlo_op", "fusion.3"},
              {"hlo_module", "jit_step"}});
  line.Event("copy", 9, 5,
             {{"memcpy_details", "kind_src:pageable kind_dst:device size:262144 dest:0 async:1"}});
  line.Event("old copy", 19, 5, {{"memcpy_details", "num_bytes:777\nother:1"}});
  line.Event("rocm", 29, 5,
             {{"kernel_details", "regs:2191500840 private_mem:0 group_mem:64 occ_pct:0"},
              {"theoretical_occupancy_pct", 25.0},
              {"tf_op", "XlaModule:"}});
  gpu.Stats({{"device_vendor", "AMD"},
             {"clock_rate", 2'100'000},
             {"core_count", 304},
             {"memory_bandwidth", uint64_t{2'662'400'000'000}},
             {"memory_size", uint64_t{206'141'652'992}},
             {"compute_cap_major", 9},
             {"compute_cap_minor", 4}});
  const Trace t = ReadProfile(file.Bytes());
  ASSERT_EQ(t.size(), 4u);
  const auto config = [&](EventId e) {
    const auto number = t.Ints(IntField::kLaunchConfig).Find(e);
    return number ? t.launch_configs[static_cast<size_t>(*number)] : LaunchConfig{};
  };
  EXPECT_EQ(config(0), (LaunchConfig{.grid = {80, 2, 1},
                                     .block = {256, 1, 1},
                                     .registers = 32,
                                     .shared_memory = 4112,
                                     .occupancy = 0.5F}));
  EXPECT_EQ(Text(t, TextField::kFrameworkOp, 0), "model/dense/MatMul:MatMul");
  EXPECT_EQ(Text(t, TextField::kHloOp, 0), "fusion.3");
  EXPECT_EQ(Text(t, TextField::kHloModule, 0), "jit_step");
  EXPECT_EQ(t.Ints(IntField::kBytes).Find(1), 262'144);
  EXPECT_EQ(t.Ints(IntField::kBytes).Find(2), 777);
  EXPECT_EQ(config(3), LaunchConfig{.occupancy = 0.25F}) << "registers that cannot be are unknown";
  EXPECT_EQ(Text(t, TextField::kFrameworkOp, 3), "(none)");
  ASSERT_EQ(t.meta.devices.size(), 1u);
  EXPECT_EQ(t.meta.devices[0], (DeviceProperties{.device = 0,
                                                 .name = "AMD GPU",
                                                 .memory_bytes = 206'141'652'992,
                                                 .compute_major = 9,
                                                 .compute_minor = 4,
                                                 .multiprocessors = 304,
                                                 .clock_hz = 2.1e9,
                                                 .memory_bandwidth = 2.6624e12}));
}

TEST(XPlaneEvents, MemoryEventsSayWhoHoldsWhat) {
  SampleXSpace file;
  SampleLine& line = file.Plane("/host:CPU").Line(1, "python");
  line.Event("MemoryAllocation", 10, 0,
             {{"allocator_name", "GPU_3_bfc"},
              {"bytes_reserved", 100},
              {"bytes_allocated", 900},
              {"bytes_available", 5000},
              {"fragmentation", 0.25},
              {"peak_bytes_in_use", 1500},
              {"requested_bytes", 250},
              {"allocation_bytes", 256},
              {"addr", uint64_t{0xffff'0000'0000'1000}},
              {"tf_op", "dense/MatMul"},
              {"region_type", "temp"},
              {"data_type", 14},
              {"shape", "[4,4]"}});
  line.Event("MemoryDeallocation", 20, 0,
             {{"allocator_name", "gpu_host_bfc"}, {"allocation_bytes", 256}});
  const Trace t = ReadProfile(file.Bytes());
  ASSERT_EQ(t.size(), 2u);
  EXPECT_EQ(t.kinds()[0], Kind::kInstant);
  const auto number = [&](IntField field, EventId e) { return t.Ints(field).Find(e).value_or(-7); };
  EXPECT_EQ(number(IntField::kBytes, 0), 256);
  EXPECT_EQ(number(IntField::kTotalAllocated, 0), 1000);
  EXPECT_EQ(number(IntField::kDeviceType, 0), 1);
  EXPECT_EQ(number(IntField::kDeviceId, 0), 3);
  EXPECT_EQ(number(IntField::kRequestedBytes, 0), 250);
  EXPECT_EQ(number(IntField::kStackBytes, 0), 100);
  EXPECT_EQ(number(IntField::kAvailableBytes, 0), 5000);
  EXPECT_EQ(number(IntField::kLifetimePeak, 0), 1500);
  EXPECT_EQ(number(IntField::kAddress, 0), 0x7fff'0000'0000'1000);
  EXPECT_EQ(Text(t, TextField::kFrameworkOp, 0), "dense/MatMul");
  EXPECT_EQ(Text(t, TextField::kRegion, 0), "temp");
  EXPECT_EQ(Text(t, TextField::kDataType, 0), "bfloat16");
  EXPECT_EQ(Text(t, TextField::kShape, 0), "[4,4]");
  EXPECT_EQ(t.Reals(RealField::kFragmentation).Find(0), 0.25);
  EXPECT_EQ(number(IntField::kBytes, 1), -256);
  EXPECT_EQ(number(IntField::kDeviceType, 1), 0) << "of the host";
  EXPECT_EQ(number(IntField::kAddress, 1), -7) << "not said";
}

TEST(XPlaneEvents, PipelinesAndEagerOperatorsAreMarked) {
  SampleXSpace file;
  SampleLine& line = file.Plane("/host:CPU").Line(1, "python");
  line.Event("EagerExecute: MatMul", 0, 100, {{"is_func", 0}});
  line.Event("MatMul:MatMul", 10, 20);
  line.Event("EagerExecute: __inference_step", 200, 100, {{"is_func", 1}});
  line.Event("model/Relu:Relu", 210, 20);
  line.Event("Iterator::Prefetch", 400, 9, {{"id", 5}});
  line.Event("Iterator::Prefetch::Map", 401, 7, {{"id", 6}, {"parent_id", 5}});
  const Trace t = ReadProfile(file.Bytes());
  ASSERT_EQ(t.size(), 6u);
  const auto eager = [&](EventId e) { return t.Ints(IntField::kEager).Find(e).value_or(0); };
  EXPECT_EQ(eager(0), 1);
  EXPECT_EQ(eager(1), 1);
  EXPECT_EQ(eager(2), 0);
  EXPECT_EQ(eager(3), 0);
  EXPECT_EQ(t.Ints(IntField::kIterator).Find(5), 6);
  EXPECT_EQ(t.Ints(IntField::kIteratorParent).Find(5), 5);
  EXPECT_EQ(t.Ints(IntField::kIteratorParent).Find(4), std::nullopt);
}

TEST(XPlaneEvents, OperationsOfTheHostSayTheirDeviceAndWhatTheyAreInTheProgram) {
  SampleXSpace file;
  SampleLine& pool = file.Plane("/host:CPU").Line(9, "tf_XLAEigen/9");
  const auto stats = [](const char* op) {
    return SampleStats{{"hlo_op", SampleRef{op}},
                       {"hlo_module", SampleRef{"pmap_step"}},
                       {"run_id", -7},
                       {"device_ordinal", 3}};
  };
  pool.Event("psum.5", 0, 90, stats("psum.5"));
  pool.Event(
      "Rendezvous", 10, 70,
      {{"name", "all reduce RendezvousKey{run_id=RunId: 7, global_devices=[1,3], op_id=3}"}});
  pool.Event("dot.3", 100, 50, stats("dot.3"));
  pool.Event("Rendezvous", 110, 20, {{"name", "RendezvousKey{global_devices=[0,1]}"}});
  file.Plane("/host:metadata")
      .Metadata(
          "pmap_step(5)",
          {{"Hlo Proto",
            SampleBytes{HloProgram({SampleComputation(
                1, {SampleInstruction("p", "parameter", 1, SampleShape({8}), {}),
                    SampleInstruction("dot.3", "dot", 2, SampleShape({8}), {1}),
                    SampleInstruction("psum.5", "all-reduce", 3, SampleShape({8}), {2})})})}}});
  const Trace t = ReadProfile(file.Bytes());
  ASSERT_EQ(t.size(), 4u);
  EXPECT_EQ(t.Ints(IntField::kDeviceId).Find(0), 3);
  EXPECT_EQ(t.Ints(IntField::kDeviceId).Find(2), 3);
  EXPECT_EQ(Text(t, TextField::kCollective, 0), "all-reduce");
  EXPECT_EQ(Text(t, TextField::kGroupRanks, 0), "[1,3]");
  EXPECT_EQ(t.Ints(IntField::kGroupSize).Find(0), 2);
  EXPECT_EQ(t.Ints(IntField::kInElements).Find(0), 8);
  EXPECT_EQ(Text(t, TextField::kDataType, 0), "Float");
  EXPECT_EQ(Text(t, TextField::kHloCategory, 2), "dot");
  EXPECT_EQ(Text(t, TextField::kGroupRanks, 2), "(none)") << "it is no collective";
}

TEST(XPlaneEvents, WhatIsAsynchronousGetsATrackOfItsOwn) {
  SampleXSpace file;
  SampleLine& line = file.Plane("/host:CPU").Line(9, "worker");
  line.Event("a", 0, 10);
  line.Event("later", 5, 50, {{"_a", 1}});
  line.Event("b", 20, 10);
  const Trace t = ReadProfile(file.Bytes());
  ASSERT_EQ(t.size(), 3u);
  EXPECT_EQ(t.tracks_of()[0], t.tracks_of()[2]);
  EXPECT_NE(t.tracks_of()[0], t.tracks_of()[1]);
}

TEST(XPlaneEvents, OnlyWhatIsWantedIsKept) {
  SampleXSpace file;
  SampleLine& host = file.Plane("/host:CPU").Line(1, "python");
  host.Event("$a.py:1 f", 0, 9);
  host.Event("train", 0, 9, {{"_r", 1}});
  file.Plane("/device:GPU:0")
      .Line(1, "Stream #1")
      .Event("k", 1, 2, {{"hlo_op", "fusion"}, {"kernel_details", "regs:9"}});
  const Trace t = ReadProfile(file.Bytes(), {.keep = kDeviceActivity});
  ASSERT_EQ(t.size(), 1u);
  EXPECT_EQ(NameOf(t, 0), "k");
  EXPECT_EQ(t.events_in_file, 3);
  EXPECT_EQ(Text(t, TextField::kHloOp, 0), "(none)");
  EXPECT_EQ(t.Ints(IntField::kLaunchConfig).Find(0), std::nullopt);
}

TEST(XPlaneEvents, AsTextTheyAreTheSameEvents) {
  SampleXSpace file;
  SampleLine& host = file.Plane("/host:CPU").Line(1, "pyth\"on");
  host.Event("train", -1500, 900, {{"_r", 1}, {"step_num", 3}});
  host.Event("cuLaunchKernel", 10, 5, {{"correlation_id", 7}});
  host.Event("model/Relu:Relu \xff", 20, 5);
  host.Event(
      "MemoryAllocation", 30, 0,
      {{"allocator_name", "GPU_1_bfc"}, {"allocation_bytes", 256}, {"bytes_allocated", 512}});
  SampleLine& stream = file.Plane("/device:GPU:1").Line(9, "Stream #9");
  stream.Event("gemm", 1'000'123, 5, {{"correlation_id", 7}, {"hlo_op", "dot.1"}});
  stream.Event("MemcpyH2D", 1'000'200, 5, {{"memcpy_details", "size:64"}});
  std::string text = R"({"traceEvents":[)";
  RawEventObserver observer;
  observer.event = [&](const ObservedEvent& event) {
    text += text.ends_with('}') ? "," : "";
    text += event.text;
  };
  const Trace t = ReadProfile(file.Bytes(), {.keep = {}, .observer = &observer});
  const Trace again = ReadProfile(text + "]}");
  ASSERT_EQ(t.size(), 6u);
  ASSERT_EQ(again.size(), t.size());
  for (EventId e = 0; e < t.size(); ++e) {
    EXPECT_EQ(again.starts()[e], t.starts()[e]);
    EXPECT_EQ(again.durations()[e], t.durations()[e]);
    EXPECT_EQ(again.kinds()[e], t.kinds()[e]) << NameOf(t, e);
    const Track& track = again.tracks[again.tracks_of()[e]];
    const Track& own = t.tracks[t.tracks_of()[e]];
    EXPECT_EQ(std::tuple(track.is_stream, track.device, track.stream),
              std::tuple(own.is_stream, own.device, own.stream));
  }
  EXPECT_EQ(NameOf(again, 4), "gemm");
  EXPECT_EQ(again.tracks[again.tracks_of()[0]].name, "pyth\"on");
  EXPECT_EQ(again.Ints(IntField::kCorrelation).Find(4), 7);
  EXPECT_EQ(again.Ints(IntField::kBytes).Find(3), 256);
  EXPECT_EQ(again.Ints(IntField::kTotalAllocated).Find(3), 512);
  EXPECT_EQ(again.Ints(IntField::kBytes).Find(5), 64);
}

}  // namespace
}  // namespace stepscope::xplane_events_test
