// Tests which parts of a trace are kept, and where. For damage, see tests/damage_*_test.cc.
#include "ingest/trace_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace stepscope::trace_reader_test {
namespace {

Trace Read(std::string_view json, const ReadOptions& options = {}) {
  auto trace = ReadTrace(ByteSource::FromMemory(json), options);
  EXPECT_TRUE(trace) << trace.error().what;
  return trace ? std::move(*trace) : Trace{};
}

// A trace of these events, which are JSON objects separated by commas.
Trace ReadEvents(const std::string& events, const ReadOptions& options = {}) {
  return Read("{\"traceEvents\":[" + events + "]}", options);
}

std::optional<std::string_view> TextOfField(const Trace& trace, TextField field, EventId event) {
  const auto id = trace.Texts(field).Find(event);
  if (!id) return std::nullopt;
  return trace.strings[*id];
}

TEST(TraceReader, KeepsKernelsWithTheirStreamsAndTimes) {
  const Trace t = ReadEvents(R"json(
    {"ph":"X","cat":"kernel","name":"gemm","pid":1,"tid":7,"ts":1682725898237042.123,"dur":1.5,
     "args":{"External id":42,"device":1,"stream":7,"correlation":9,"registers per thread":32,
             "grid":[1,2,3],"est. achieved occupancy %":30}},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","pid":1,"tid":7,"ts":5,"dur":2,
     "args":{"device":1,"stream":4294967295,"bytes":4096,"memory bandwidth (GB/s)":2.048}})json");
  ASSERT_EQ(t.size(), 2u);
  EXPECT_EQ(t.starts()[0], 1'682'725'898'237'042'123);
  EXPECT_EQ(t.durations()[0], 1500);
  EXPECT_EQ(t.strings[t.names()[0]], "gemm");
  EXPECT_EQ(t.kinds()[0], Kind::kCompute);
  const Track& track = t.tracks[t.tracks_of()[0]];
  EXPECT_TRUE(track.is_stream);
  EXPECT_EQ(track.device, 1);
  EXPECT_EQ(track.stream, 7);
  EXPECT_EQ(t.Ints(IntField::kCorrelation).Find(0), 9);
  EXPECT_EQ(t.Ints(IntField::kExternalId).Find(0), 42);
  EXPECT_EQ(t.Ints(IntField::kBytes).Find(0), std::nullopt);
  EXPECT_EQ(t.kinds()[1], Kind::kMemcpy);
  EXPECT_EQ(t.tracks[t.tracks_of()[1]].stream, 4294967295);
  EXPECT_EQ(t.Ints(IntField::kBytes).Find(1), 4096);
  EXPECT_EQ(t.Reals(RealField::kBandwidth).Find(1), 2.048);
  EXPECT_EQ(t.events_in_file, 2);
  EXPECT_EQ(t.gpu_events_in_file, 2);
}

TEST(TraceReader, KeepsWhatOperatorsSay) {
  const Trace t = ReadEvents(R"(
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":5,"tid":6,"ts":1,"dur":2,"args":{"External id":3,
     "Sequence number":77,"Fwd thread id":2,"Input Dims":[[8, 4], [], [4, 2]],
     "Input type":["float","","float"],"Input Strides":[[4,1],[],[2,1]],"Ev Idx":12}},
    {"ph":"X","cat":"python_function","name":"train.py(3): step","pid":5,"tid":6,"ts":0,"dur":9,
     "args":{"Python id":8,"Python parent id":7,"Python module id":1,"Python thread":0}})");
  ASSERT_EQ(t.size(), 2u);
  EXPECT_EQ(t.kinds()[0], Kind::kOperator);
  EXPECT_EQ(t.Ints(IntField::kSequence).Find(0), 77);
  EXPECT_EQ(t.Ints(IntField::kForwardThread).Find(0), 2);
  EXPECT_EQ(TextOfField(t, TextField::kInputShapes, 0), "[[8, 4], [], [4, 2]]");
  EXPECT_EQ(TextOfField(t, TextField::kInputTypes, 0), R"(["float","","float"])");
  EXPECT_EQ(TextOfField(t, TextField::kInputStrides, 0), "[[4,1],[],[2,1]]");
  EXPECT_EQ(t.kinds()[1], Kind::kPython);
  EXPECT_EQ(t.tracks_of()[0], t.tracks_of()[1]);
}

TEST(TraceReader, KeepsWhatCollectivesSayAndKnowsThemByIt) {
  const Trace t = ReadEvents(R"(
    {"ph":"X","cat":"kernel","name":"my_own_reduction","pid":0,"tid":9,"ts":1,"dur":2,"args":{
     "device":0,"stream":9,"Collective name":"allreduce","In msg nelems":1000,"Out msg nelems":1001,
     "Group size":8,"dtype":"BFloat16","Process Group Name":"0","Process Group Description":"default_pg",
     "Process Group Ranks":"[0, 1, 2]","In split size":"[]","Out split size":"[1]","Seq":55}})");
  ASSERT_EQ(t.size(), 1u);
  EXPECT_EQ(t.kinds()[0], Kind::kCommunication);
  EXPECT_EQ(TextOfField(t, TextField::kCollective, 0), "allreduce");
  EXPECT_EQ(t.Ints(IntField::kInElements).Find(0), 1000);
  EXPECT_EQ(t.Ints(IntField::kOutElements).Find(0), 1001);
  EXPECT_EQ(t.Ints(IntField::kGroupSize).Find(0), 8);
  EXPECT_EQ(t.Ints(IntField::kCollectiveSequence).Find(0), 55);
  EXPECT_EQ(TextOfField(t, TextField::kDataType, 0), "BFloat16");
  EXPECT_EQ(TextOfField(t, TextField::kGroupName, 0), "0");
  EXPECT_EQ(TextOfField(t, TextField::kGroupDescription, 0), "default_pg");
  EXPECT_EQ(TextOfField(t, TextField::kGroupRanks, 0), "[0, 1, 2]");
  EXPECT_EQ(TextOfField(t, TextField::kInSplit, 0), "[]");
  EXPECT_EQ(TextOfField(t, TextField::kOutSplit, 0), "[1]");
}

TEST(TraceReader, KeepsFlowsInstantsAndSynchronization) {
  const Trace t = ReadEvents(R"(
    {"ph":"s","id":246,"pid":1,"tid":2,"ts":3,"cat":"ac2g","name":"ac2g"},
    {"ph":"f","id":246,"pid":0,"tid":7,"ts":4,"cat":"ac2g","name":"ac2g","bp":"e"},
    {"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":2,"ts":5,"args":{
     "Total Reserved":2097152,"Total Allocated":512,"Bytes":-512,"Addr":140737488355328,"Device Id":0,"Device Type":1}},
    {"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":7,"ts":6,"dur":1,"args":{"device":0,"stream":7,
     "wait_on_stream":20,"wait_on_cuda_event_record_corr_id":31,"wait_on_cuda_event_id":4}})");
  ASSERT_EQ(t.size(), 4u);
  EXPECT_EQ(t.kinds()[0], Kind::kFlow);
  EXPECT_EQ(t.Ints(IntField::kFlowId).Find(0), 246);
  EXPECT_EQ(t.Ints(IntField::kFlowId).Find(1), 246);
  EXPECT_EQ(t.kinds()[2], Kind::kInstant);
  EXPECT_EQ(t.Ints(IntField::kBytes).Find(2), -512);
  EXPECT_EQ(t.Ints(IntField::kAddress).Find(2), 140737488355328);
  EXPECT_EQ(t.Ints(IntField::kTotalAllocated).Find(2), 512);
  EXPECT_EQ(t.Ints(IntField::kTotalReserved).Find(2), 2097152);
  EXPECT_EQ(t.Ints(IntField::kDeviceType).Find(2), 1);
  EXPECT_EQ(t.Ints(IntField::kDeviceId).Find(2), 0);
  EXPECT_EQ(t.kinds()[3], Kind::kSync);
  EXPECT_EQ(t.Ints(IntField::kWaitStream).Find(3), 20);
  EXPECT_EQ(t.Ints(IntField::kWaitCorrelation).Find(3), 31);
  EXPECT_EQ(t.Ints(IntField::kEventHandle).Find(3), 4);
  EXPECT_EQ(t.gpu_events_in_file, 0);
}

TEST(TraceReader, KeepsCountersWhereverTheirKeysStand) {
  const Trace t = ReadEvents(R"(
    {"ph":"C","name":"power","pid":0,"tid":0,"ts":1,"args":{"watts":250.5}},
    {"args":{"watts":260},"name":"power","pid":0,"tid":0,"ts":2,"ph":"C"},
    {"args":{"sm__cycles":7,"note":"x"},"ts":3,"dur":4,"name":"range","pid":0,"tid":0,"cat":"cuda_profiler_range","ph":"X"},
    {"args":{"blocks":7},"ts":8,"dur":1,"name":"aten::mm","pid":0,"tid":0,"cat":"cpu_op","ph":"X"})");
  ASSERT_EQ(t.size(), 5u);
  EXPECT_EQ(t.kinds()[0], Kind::kCounter);
  EXPECT_EQ(t.Reals(RealField::kCounterValue).Find(0), 250.5);
  EXPECT_EQ(t.Reals(RealField::kCounterValue).Find(1), 260);
  EXPECT_EQ(t.kinds()[2], Kind::kCounterRange);
  EXPECT_EQ(t.kinds()[3], Kind::kCounter);
  EXPECT_EQ(t.strings[t.names()[3]], "sm__cycles");
  EXPECT_EQ(t.Reals(RealField::kCounterValue).Find(3), 7);
  EXPECT_EQ(t.kinds()[4], Kind::kOperator);
  EXPECT_EQ(t.Reals(RealField::kCounterValue).Find(4), std::nullopt);
}

TEST(TraceReader, NamesHostThreads) {
  const Trace t = ReadEvents(R"(
    {"ph":"X","cat":"cpu_op","name":"a","pid":"Spans","tid":"PyTorch Profiler","ts":1,"dur":1},
    {"ph":"X","cat":"cpu_op","name":"a","pid":12,"tid":34,"ts":1,"dur":1},
    {"ph":"M","name":"process_name","pid":12,"tid":0,"args":{"name":"python"}},
    {"ph":"M","name":"thread_name","pid":12,"tid":34,"args":{"name":"thread 34 [autograd]"}})");
  ASSERT_EQ(t.tracks.size(), 2u);
  EXPECT_EQ(t.tracks[0].process, "Spans");
  EXPECT_EQ(t.tracks[0].thread, "PyTorch Profiler");
  EXPECT_EQ(t.tracks[0].name, "");
  EXPECT_EQ(t.tracks[1].name, "python: thread 34 [autograd]");
  EXPECT_EQ(t.events_in_file, 4) << "metadata records too";
}

TEST(TraceReader, KnowsWhatTheRecordingSaysOfItself) {
  const Trace t =
      Read(R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA H100"},{"name":"x"}],
    "distributedInfo":{"backend":"nccl","rank":3,"world_size":"16"},"traceEvents":[]})");
  EXPECT_EQ(t.meta.rank, 3);
  EXPECT_EQ(t.meta.world_size, 16);
  EXPECT_EQ(t.meta.device_name, "NVIDIA H100");
  EXPECT_EQ(Read("[]").meta.rank, std::nullopt);
}

TEST(TraceReader, KnowsWhatDevicesAre) {
  const Trace t = Read(R"({"deviceProperties":[{"id":1,"name":"NVIDIA A100","totalGlobalMem":
    42505273344,"computeMajor":8,"computeMinor":0,"numSms":108,"maxThreadsPerMultiprocessor":2048},
    {"id":-2,"name":7,"totalGlobalMem":1e30,"numSms":99999999999}],"traceEvents":[]})");
  ASSERT_EQ(t.meta.devices.size(), 2u);
  EXPECT_EQ(t.meta.devices[0], (DeviceProperties{.device = 1,
                                                 .name = "NVIDIA A100",
                                                 .memory_bytes = 42505273344,
                                                 .compute_major = 8,
                                                 .compute_minor = 0,
                                                 .multiprocessors = 108,
                                                 .threads_per_multiprocessor = 2048}));
  EXPECT_EQ(t.meta.devices[1], DeviceProperties{}) << "nothing in it is what it should be";
  EXPECT_FALSE(t.meta.lists_no_device);
  EXPECT_TRUE(Read(R"({"deviceProperties":[],"traceEvents":[]})").meta.lists_no_device);
  EXPECT_FALSE(Read(R"({"traceEvents":[]})").meta.lists_no_device) << "it says nothing";
}

TEST(TraceReader, KeepsHowKernelsWereLaunchedOnceEach) {
  const std::string kernel =
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1,"args":)";
  const std::string events = kernel + R"({"grid":[5,2,1],"block":[256,1,1],"shared memory":1024,
      "registers per thread":32,"blocks per SM":0.25,"est. achieved occupancy %":30}},)" +
                             kernel + R"({"grid":[99999999999,-1],"block":"no"}},)" + kernel +
                             R"({"grid":[5,2,1],"block":[256,1,1],"shared memory":1024,
      "registers per thread":32,"blocks per SM":0.25,"est. achieved occupancy %":30}})";
  const Trace t = ReadEvents(events);
  ASSERT_EQ(t.launch_configs.size(), 2u);
  EXPECT_EQ(t.launch_configs[0], (LaunchConfig{.grid = {5, 2, 1},
                                               .block = {256, 1, 1},
                                               .registers = 32,
                                               .shared_memory = 1024,
                                               .blocks_per_sm = 0.25F,
                                               .occupancy = 0.3F}));
  EXPECT_EQ(t.launch_configs[1].block, (std::array<int32_t, 3>{-1, -1, -1}));
  EXPECT_EQ(t.Ints(IntField::kLaunchConfig).Find(2), 0);
  const Trace without = ReadEvents(events, {.keep = kDeviceActivity});
  EXPECT_EQ(without.launch_configs.size(), 0u) << "nobody asked";
}

TEST(TraceReader, KnowsStepsByTheirNames) {
  const Trace t = ReadEvents(R"(
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#12","pid":1,"tid":1,"ts":1,"dur":5},
    {"ph":"X","cat":"user_annotation","name":"my step","pid":1,"tid":1,"ts":2,"dur":1})");
  EXPECT_EQ(t.Ints(IntField::kStep).Find(0), 12);
  EXPECT_EQ(t.Ints(IntField::kStep).Find(1), std::nullopt);
}

TEST(TraceReader, KnowsTracesOfAscend) {
  const Trace t = ReadEvents(R"(
    {"ph":"M","name":"process_name","pid":800,"args":{"name":"Ascend Hardware"}},
    {"ph":"X","name":"MatMul","pid":800,"tid":2,"ts":1,"dur":1})");
  EXPECT_EQ(t.meta.recorded_by, RecordedBy::kAscend);
  EXPECT_EQ(ReadEvents("").meta.recorded_by, RecordedBy::kFramework);
}

TEST(TraceReader, SaysWhatAnExecutionTraceIs) {
  const auto trace = ReadTrace(ByteSource::FromMemory(
      R"({"schema":"1.0.1","pid":5,"nodes":[{"name":"aten::mm","id":2}],"finish_ts":7})"));
  ASSERT_FALSE(trace);
  EXPECT_TRUE(trace.error().what.contains("execution trace")) << trace.error().what;
  EXPECT_TRUE(trace.error().hint.contains("profiler")) << trace.error().hint;
}

TEST(TraceReader, UnknownCategoriesAreCountedWithAnExample) {
  const std::string events = R"(
    {"ph":"X","cat":"quantum","name":"a","pid":0,"tid":0,"ts":1,"dur":1},
    {"ph":"X","cat":"quantum","name":"b","pid":0,"tid":0,"ts":1,"dur":1},
    {"ph":"X","name":"no category","pid":0,"tid":0,"ts":1,"dur":1})";
  for (const KindSet keep : {KindSet::All(), kDeviceActivity}) {
    const Trace t = ReadEvents(events, {.keep = keep});
    EXPECT_EQ(t.notes.Count(NoteKind::kUnknownCategory), 3);
    EXPECT_EQ(t.notes.Detail(NoteKind::kUnknownCategory), "quantum");
    EXPECT_EQ(t.events_in_file, 3);
  }
}

}  // namespace
}  // namespace stepscope::trace_reader_test
