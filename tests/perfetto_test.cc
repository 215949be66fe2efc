// Tests traces in Perfetto's format: what export writes gives the reports of the JSON it came from,
// and what other writers write is read as they mean it.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/gzip.h"
#include "ingest/trace_reader.h"
#include "stepscope/demo.h"
#include "stepscope/export.h"
#include "tests/event_lines.h"
#include "tests/front_door.h"
#include "tests/perfetto_builder.h"
#include "tests/scratch.h"

namespace stepscope::testing::perfetto_test {
namespace {

using Lines = std::vector<std::string>;

std::vector<Recording> Read(const std::string& bytes) {
  auto recordings = ReadRecordings(ByteSource::FromMemory(bytes));
  if (!recordings) throw std::runtime_error(recordings.error().what);
  return std::move(*recordings);
}
Trace ReadOne(const PerfettoBuilder& trace) {
  auto recordings = Read(trace.bytes());
  EXPECT_EQ(recordings.size(), 1u);
  return std::move(recordings.front().trace);
}
int64_t NoteOf(const Recording& recording, std::string_view name) {
  for (const Note& note : recording.notes) {
    if (note.name == name) return note.count;
  }
  return 0;
}

// The full report without names and sizes of files.
std::string Report(const std::string& path) {
  const auto session = Session::Open(std::vector{path});
  if (!session) throw std::runtime_error(session.error().what);
  auto answer = session->Analyze({.most_names = 0});
  if (!answer) throw std::runtime_error(answer.error().what);
  answer->run.name.clear();
  for (InputFile& file : answer->run.files) {
    file.path.clear();
    file.bytes = 0;
  }
  for (Note& note : answer->run.notes) note.where.clear();
  return Write(*answer, Format::kJson);
}

// Exports what is in `folder` both ways, and compares the reports of both.
void ExpectSameReports(const std::string& folder, const ExportOptions& options = {}) {
  const ScratchFolder out;
  std::vector<std::string> reports;
  for (const ExportFormat format : {ExportFormat::kChrome, ExportFormat::kPerfetto}) {
    ExportOptions with = options;
    with.format = format;
    with.folder = out.path() + (format == ExportFormat::kChrome ? "/chrome" : "/perfetto") + "/job";
    const auto written = Export(std::vector{folder}, with);
    ASSERT_TRUE(written) << written.error().what;
    reports.push_back(Report(with.folder));
  }
  EXPECT_EQ(reports[0], reports[1]);
}

// An event with these members after its phase.
std::string Event(std::string_view phase, std::string_view members) {
  return fmt::format(R"({{"ph":"{}",{}}})", phase, members);
}

// One of everything that a Kineto trace holds, in no order.
Lines OneOfEverything() {
  return {
      Event("M", R"j("name":"process_name","pid":9,"tid":0,"args":{"name":"python"})j"),
      Event("M", R"j("name":"thread_name","pid":9,"tid":9,"args":{"name":"thread 9 (python)"})j"),
      Event("X", R"j("cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32","pid":0,"tid":20,)j"
                 R"j("ts":400,"dur":60.5,"args":{"device":0,"stream":20,"correlation":5,)j"
                 R"j("Collective name":"allreduce","In msg nelems":1024,"Out msg nelems":1024,)j"
                 R"j("Group size":2,"dtype":"Float","Process Group Name":"0",)j"
                 R"j("Process Group Ranks":"[0, 1]","grid":[24,1,1],"block":[544,1,1]})j"),
      Event("X", R"j("cat":"kernel","name":"sgemm \"128\"","pid":0,"tid":7,"ts":300,"dur":50,)j"
                 R"j("args":{"device":0,"stream":"7","correlation":1,"External id":11,)j"
                 R"j("registers per thread":64,"shared memory":1024,"grid":[128, 2, 1],)j"
                 R"j("block":[256, 1, 1],"est. achieved occupancy %":37,"blocks per SM":1.5})j"),
      Event("X", R"j("cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":0,"tid":7,)j"
                 R"j("ts":280,"dur":10.125,"args":{"device":0,"stream":7,"correlation":2,)j"
                 R"j("bytes":4096,"memory bandwidth (GB/s)":0.4045})j"),
      Event("X",
            R"j("cat":"gpu_memset","name":"Memset (Device)","pid":0,"tid":7,"ts":292,"dur":1,)j"
            R"j("args":{"device":0,"stream":7,"correlation":3,"bytes":64})j"),
      Event("X", R"j("cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":7,"ts":350,"dur":40,)j"
                 R"j("args":{"device":0,"stream":7,"wait_on_stream":-1,"correlation":8})j"),
      Event("X",
            R"j("cat":"gpu_user_annotation","name":"ProfilerStep#3","pid":0,"tid":7,"ts":280,)j"
            R"j("dur":180,"args":{"External id":3})j"),
      Event("X", R"j("cat":"user_annotation","name":"ProfilerStep#3","pid":9,"tid":9,"ts":200,)j"
                 R"j("dur":300,"args":{"External id":3})j"),
      Event("X", R"j("cat":"cpu_op","name":"aten::mm","pid":9,"tid":9,"ts":210,"dur":60,)j"
                 R"j("args":{"External id":11,"Sequence number":4,"Fwd thread id":0,)j"
                 R"j("Input Dims":[[64,64],[64,64],[]],"Input type":["float","float","Scalar"],)j"
                 R"j("Concrete Inputs":["","","1"],"Call stack":"a.py(1): f;b.py(2): g"})j"),
      Event("X", R"j("cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":220,)j"
                 R"j("dur":5,"args":{"cbid":211,"correlation":1})j"),
      Event("X", R"j("cat":"cuda_runtime","name":"cudaMemcpyAsync","pid":9,"tid":9,"ts":226,)j"
                 R"j("dur":4,"args":{"correlation":2})j"),
      Event("X", R"j("cat":"cuda_runtime","name":"cudaMemsetAsync","pid":9,"tid":9,"ts":231,)j"
                 R"j("dur":2,"args":{"correlation":3})j"),
      Event("X",
            R"j("cat":"cuda_runtime","name":"cudaStreamSynchronize","pid":9,"tid":9,"ts":340,)j"
            R"j("dur":55,"args":{"correlation":8})j"),
      Event("X",
            R"j("cat":"python_function","name":"train.py(10): step","pid":9,"tid":9,"ts":201,)j"
            R"j("dur":290,"args":{"Python id":1,"Python parent id":null})j"),
      Event("X", R"j("cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":)j"
                 R"j("PyTorch Profiler","ts":190,"dur":400,"args":{"Op count":0})j"),
      Event("X", R"j("cat":"made_up","name":"odd","pid":9,"tid":10,"ts":1,"dur":2)j"),
      Event("i", R"j("cat":"cpu_instant_event","s":"t","name":"[memory]","pid":9,"tid":9,)j"
                 R"j("ts":215,"args":{"Total Reserved":1048576,"Total Allocated":4096,)j"
                 R"j("Bytes":4096,"Addr":140000000000000,"Device Id":0,"Device Type":1})j"),
      Event("i",
            R"j("s":"g","name":"Iteration Start: PyTorch Profiler","pid":"Traces","tid":"Trace )j"
            R"j(PyTorch Profiler","ts":190)j"),
      Event("C", R"j("name":"loss","pid":9,"tid":9,"ts":250,"args":{"value":0.25,"other":7})j"),
      Event("s", R"j("id":1,"pid":9,"tid":9,"ts":220,"cat":"ac2g","name":"ac2g")j"),
      Event("f", R"j("id":1,"pid":0,"tid":7,"ts":300,"cat":"ac2g","name":"ac2g","bp":"e")j"),
      Event("s", R"j("id":4,"pid":9,"tid":9,"ts":210,"cat":"fwdbwd","name":"fwdbwd")j"),
  };
}

TEST(Perfetto, ExportGivesTheReportsOfTheJson) {
  const ScratchFolder in;
  in.Write(
      "rank_1.json",
      Document(OneOfEverything(),
               R"("distributedInfo":{"backend":"nccl","rank":1,"world_size":2},)"
               R"("deviceProperties":[{"id":0,"name":"NVIDIA H100","totalGlobalMem":84000000000,)"
               R"("computeMajor":9,"computeMinor":0,"numSms":132}],"host_name":"a17",)"));
  ExpectSameReports(in.path());
}

TEST(Perfetto, TimesBeforeAndNearZeroComeBack) {
  const ScratchFolder in;
  in.Write("rank_0.json",
           DocumentOfRank(0, {Kernel("a", -50, 5), Kernel("b", 3, 20), Kernel("c", 10, 20)}));
  ExpectSameReports(in.path());
}

TEST(Perfetto, JobsGiveTheReportsOfTheirJson) {
  const DemoOptions jobs[] = {
      {.ranks = 3, .steps = 3, .layers = 4},
      {.ranks = 2, .steps = 3, .slow_rank = 1, .clock_spread = 20'000'000, .layers = 3},
      {.ranks = 1, .devices = 2, .steps = 2, .slow_rank = 0, .layers = 3},
  };
  for (const DemoOptions& job : jobs) {
    const ScratchFolder in;
    ASSERT_TRUE(WriteDemo(in.path() + "/job", job));
    ExpectSameReports(in.path() + "/job");
    ExpectSameReports(in.path() + "/job", {.steps = "4"});
  }
}

TEST(Perfetto, AFolderOfBothFormatsIsOneRun) {
  const ScratchFolder in, out;
  ASSERT_TRUE(WriteDemo(in.path() + "/job", {.ranks = 2, .steps = 3, .slow_rank = 1, .layers = 3}));
  const std::string mixed = out.path() + "/mixed/job";
  std::filesystem::create_directories(mixed);
  ASSERT_TRUE(Export(std::vector{in.path() + "/job"},
                     {.folder = mixed, .format = ExportFormat::kPerfetto, .ranks = {1}}));
  ASSERT_TRUE(Export(std::vector{in.path() + "/job"}, {.folder = mixed, .ranks = {0}}));
  ASSERT_TRUE(Export(std::vector{in.path() + "/job"}, {.folder = out.path() + "/chrome/job"}));
  EXPECT_EQ(Report(mixed), Report(out.path() + "/chrome/job"));
}

TEST(Perfetto, WhatWasExportedIsExportedAgain) {
  const ScratchFolder in, out;
  in.Write("rank_0.json", Document(Kernels(5)));
  const std::string once = out.path() + "/once", twice = out.path() + "/twice";
  ASSERT_TRUE(Export(std::vector{in.path()}, {.folder = once, .format = ExportFormat::kPerfetto}));
  ASSERT_TRUE(Export(std::vector{once}, {.folder = twice}));
  const auto answer = Ask({twice});
  ASSERT_TRUE(answer);
  EXPECT_EQ(GpuEvents(*answer), 5);
}

PerfettoBuilder Threads() {
  PerfettoBuilder trace;
  trace.Process(1, 4711, "python").Thread(2, 1, 4711, 12, "main");
  return trace;
}

TEST(Perfetto, ReadsSlicesMomentsAndCounters) {
  auto trace = Threads();
  trace.Slice(2, "cpu_op", "aten::mm", 100, 180)
      .Slice(2, "kernel", "gemm", 110, 150,
             Proto()
                 .Message(perfetto::kAnnotation, Annotated("device", 1))
                 .Message(perfetto::kAnnotation, Annotated("stream", 7)))
      .Event(
          perfetto::kInstant, 2, 130,
          Proto().Text(perfetto::kCategory, "cpu_instant_event").Text(perfetto::kName, "[memory]"))
      .Packet(Proto().Message(perfetto::kTrackDescriptor,
                              Proto()
                                  .Number(perfetto::kUuid, 3)
                                  .Number(perfetto::kParent, 1)
                                  .Text(perfetto::kTrackName, "power")
                                  .Message(perfetto::kCounterTrack, Proto())))
      .Event(perfetto::kCounter, 3, 140, Proto().Real(perfetto::kDoubleCounter, 2.5));
  const Trace read = ReadOne(trace);
  EXPECT_EQ(EventLines(read),
            (Lines{"operator aten::mm 100+80 @4711:12", "compute gemm 110+40 @1/7",
                   "instant [memory] 130+0 @4711:12", "counter power 140+0 @4711:power"}));
  EXPECT_EQ(read.tracks[0].name, "python: main");
  EXPECT_EQ(read.Reals(RealField::kCounterValue).value(0), 2.5);
}

// The innermost slice that is open ends; what has no end ends with the recording.
TEST(Perfetto, SlicesNest) {
  auto trace = Threads();
  const auto name = [](std::string_view text) {
    return Proto().Text(perfetto::kCategory, "cpu_op").Text(perfetto::kName, text);
  };
  trace.Event(perfetto::kEnd, 2, 5)
      .Event(perfetto::kBegin, 2, 10, name("outer"))
      .Event(perfetto::kBegin, 2, 20, name("inner"))
      .Event(perfetto::kEnd, 2, 30)
      .Event(perfetto::kBegin, 2, 40, name("open"))
      .Event(perfetto::kInstant, 2, 90, name("last"));
  const auto read = Read(trace.bytes());
  EXPECT_EQ(EventLines(read[0].trace),
            (Lines{"operator outer 10+80 @4711:12", "operator inner 20+10 @4711:12",
                   "operator open 40+50 @4711:12", "instant last 90+0 @4711:12"}));
  EXPECT_EQ(NoteOf(read[0], "end_alone"), 1);
  EXPECT_EQ(NoteOf(read[0], "without_end"), 2);
}

// PyTorch's monitor tells all beginnings of a kind, then all ends in the same order.
TEST(Perfetto, EndsInTheOrderOfBeginnings) {
  auto trace = Threads();
  const auto op = [](std::string_view text) {
    return Proto().Text(perfetto::kCategory, "cpu_op").Text(perfetto::kName, text);
  };
  trace.Event(perfetto::kBegin, 2, 0, op("a"))
      .Event(perfetto::kBegin, 2, 10, op("b"))
      .Event(perfetto::kBegin, 2, 30, op("c"))
      .Event(perfetto::kEnd, 2, 10)
      .Event(perfetto::kEnd, 2, 25)
      .Event(perfetto::kEnd, 2, 31);
  EXPECT_EQ(
      EventLines(ReadOne(trace)),
      (Lines{"operator a 0+10 @4711:12", "operator b 10+15 @4711:12", "operator c 30+1 @4711:12"}));
}

Proto Interned(uint32_t field, uint64_t iid, std::string_view text) {
  return Proto().Message(
      perfetto::kInterned,
      Proto().Message(field,
                      Proto().Number(perfetto::kIid, iid).Text(perfetto::kInternedText, text)));
}

// Numbers name what the sequence has defined since it was cleared; without that there is no name.
TEST(Perfetto, NamesAreThoseOfTheSequence) {
  auto trace = Threads();
  const auto packet = [&](uint64_t sequence, uint64_t flags, const Proto& more) {
    trace.Packet(Proto()
                     .Number(perfetto::kSequence, sequence)
                     .Number(perfetto::kSequenceFlags, flags)
                     .Append(more));
  };
  const auto moment = [](uint64_t time) {
    return Proto()
        .Number(perfetto::kTimestamp, time)
        .Message(perfetto::kTrackEvent, Proto()
                                            .Number(perfetto::kType, perfetto::kInstant)
                                            .Number(perfetto::kTrackUuid, 2)
                                            .Number(perfetto::kNameIid, 1));
  };
  packet(1, perfetto::kStateCleared, Interned(perfetto::kNames, 1, "of one"));
  packet(2, perfetto::kStateCleared, Interned(perfetto::kNames, 1, "of two"));
  packet(1, perfetto::kNeedsState, moment(10));
  packet(2, perfetto::kNeedsState, moment(20));
  packet(1, perfetto::kStateCleared, Interned(perfetto::kNames, 1, "again"));
  packet(1, perfetto::kNeedsState, moment(30));
  packet(1, perfetto::kNeedsState,
         Proto().Number(perfetto::kPreviousDropped, 1).Append(moment(40)));
  packet(3, perfetto::kNeedsState, moment(50));
  const auto read = Read(trace.bytes());
  EXPECT_EQ(EventLines(read[0].trace),
            (Lines{"instant of one 10+0 @4711:12", "instant of two 20+0 @4711:12",
                   "instant again 30+0 @4711:12"}));
  EXPECT_EQ(NoteOf(read[0], "lost_packets"), 2);
}

Proto Snapshot(std::initializer_list<Proto> clocks) {
  Proto snapshot;
  for (const Proto& clock : clocks) snapshot.Message(perfetto::kClock, clock);
  return Proto().Number(perfetto::kSequence, 1).Message(perfetto::kClockSnapshot, snapshot);
}
Proto Reading(uint64_t clock, uint64_t time) {
  return Proto().Number(perfetto::kSnapshotClock, clock).Number(perfetto::kSnapshotTime, time);
}

// As Perfetto's own library writes: microseconds since the packet before, from a snapshot on.
TEST(Perfetto, ClocksAreRelatedBySnapshots) {
  auto trace = Threads();
  const auto moment = [&](uint64_t clock, uint64_t time, std::string_view name) {
    Proto packet;
    packet.Number(perfetto::kTimestamp, time).Number(perfetto::kSequence, 1);
    if (clock > 0) packet.Number(perfetto::kClockId, clock);
    trace.Packet(
        packet.Message(perfetto::kTrackEvent, Proto()
                                                  .Number(perfetto::kType, perfetto::kInstant)
                                                  .Number(perfetto::kTrackUuid, 2)
                                                  .Text(perfetto::kName, name)));
  };
  trace.Packet(Snapshot({Reading(perfetto::kBoottime, 1000), Reading(perfetto::kRealtime, 501000),
                         Reading(64, 7)
                             .Number(perfetto::kClockIncremental, 1)
                             .Number(perfetto::kClockMultiplier, 1000),
                         Reading(3, 100)}));
  trace.Packet(Proto()
                   .Number(perfetto::kSequence, 1)
                   .Message(perfetto::kDefaults, Proto().Number(perfetto::kDefaultClock, 64)));
  moment(0, 1, "first");   // 1 us later
  moment(0, 2, "second");  // 3 us later
  moment(3, 150, "monotonic");
  moment(perfetto::kBoottime, 1600, "boot");
  moment(99, 5, "nobody's");
  const auto read = Read(trace.bytes());
  EXPECT_EQ(EventLines(read[0].trace),
            (Lines{"instant first 502000+0 @4711:12", "instant second 504000+0 @4711:12",
                   "instant monotonic 501050+0 @4711:12", "instant boot 501600+0 @4711:12",
                   "instant nobody's 500005+0 @4711:12"}));
  EXPECT_EQ(NoteOf(read[0], "unknown_clock"), 1);
}

TEST(Perfetto, ValuesOfAllTypesAreArguments) {
  auto trace = Threads();
  const auto array = [](std::initializer_list<int> numbers) {
    Proto value;
    for (const int number : numbers)
      value.Message(perfetto::kArrayValue,
                    Proto().Number(perfetto::kInt, static_cast<uint64_t>(number)));
    return value;
  };
  Proto shapes;
  shapes.Text(perfetto::kAnnotationName, "Input Dims")
      .Message(perfetto::kArrayValue, array({2, 3}))
      .Message(perfetto::kArrayValue, array({3}));
  Proto grid = Proto().Text(perfetto::kAnnotationName, "grid");
  trace.Slice(2, "cpu_op", "aten::mm", 0, 10, Proto().Message(perfetto::kAnnotation, shapes))
      .Slice(2, "kernel", "k", 20, 30,
             Proto()
                 .Message(perfetto::kAnnotation, grid.Append(array({4, 2, 1})))
                 .Message(perfetto::kAnnotation, Annotated("stream", "7"))
                 .Message(perfetto::kAnnotation, Annotated("device", 0))
                 .Message(perfetto::kAnnotation, Proto()
                                                     .Text(perfetto::kAnnotationName, "correlation")
                                                     .Number(perfetto::kUint, 12))
                 .Message(perfetto::kAnnotation,
                          Proto()
                              .Text(perfetto::kAnnotationName, "memory bandwidth (GB/s)")
                              .Real(perfetto::kReal, 1.5)));
  const Trace read = ReadOne(trace);
  EXPECT_EQ(read.strings[read.Texts(TextField::kInputShapes).value(0)], "[[2, 3], [3]]");
  EXPECT_EQ(read.launch_configs[0].grid, (std::array<int32_t, 3>{4, 2, 1}));
  EXPECT_EQ(read.Ints(IntField::kCorrelation).value(0), 12);
  EXPECT_EQ(read.Reals(RealField::kBandwidth).value(0), 1.5);
}

// zlib's bytes of two packets: see InflateZlib's test for how they are made.
TEST(Perfetto, CompressedPacketsAreReadAndDamagedOnesCounted) {
  auto trace = Threads();
  trace.Slice(2, "cpu_op", "whole", 0, 10)
      .Packet(Proto().Text(perfetto::kCompressedPackets, "\x78\x9cno deflate"));
  const auto read = Read(trace.bytes());
  EXPECT_EQ(EventLines(read[0].trace), (Lines{"operator whole 0+10 @4711:12"}));
  EXPECT_EQ(NoteOf(read[0], "damaged_packets"), 1);

  // A zlib stream of one stored block.
  const std::string inner = PerfettoBuilder().Slice(2, "cpu_op", "inner", 20, 30).bytes();
  uint32_t a = 1, b = 0;
  for (const char c : inner) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  const auto size = static_cast<uint16_t>(inner.size());
  const auto byte = [](uint32_t value) { return static_cast<char>(value & 0xff); };
  std::string zlib = "\x78\x01\x01";
  zlib += {byte(size), byte(size >> 8u), byte(~uint32_t{size}), byte(~uint32_t{size} >> 8)};
  zlib += inner;
  for (const uint32_t half : {b, a}) zlib += {byte(half >> 8), byte(half)};
  auto compressed = Threads();
  compressed.Packet(Proto().Text(perfetto::kCompressedPackets, zlib));
  EXPECT_EQ(EventLines(ReadOne(compressed)), (Lines{"operator inner 20+10 @4711:12"}));
}

// PyTorch's CUPTI monitor: launches without categories, and stages for what devices did.
TEST(Perfetto, ReadsPyTorchsOwn) {
  auto trace = Threads();
  const auto interned = [&](uint32_t field, uint64_t iid, std::string_view text) {
    trace.Packet(Proto().Number(perfetto::kSequence, 1).Append(Interned(field, iid, text)));
  };
  interned(perfetto::kNames, 1, "gemm");
  interned(perfetto::kGpuSpecifications, 1, "Kernel");
  interned(perfetto::kGpuSpecifications, 107, "stream 07");
  const auto size = [](uint64_t x) { return Proto().Number(1, x).Number(2, 1).Number(3, 1); };
  trace
      .Slice(2, "", "cudaLaunchKernel", 100, 110,
             Proto()
                 .Message(perfetto::kAnnotation, Annotated("cbid", 211))
                 .Message(perfetto::kAnnotation, Annotated("correlation", 5)))
      .Slice(2, "", "aten::mm", 90, 95,
             Proto().Message(perfetto::kAnnotation, Annotated("External id", 3)))
      .Packet(Proto()
                  .Number(perfetto::kTimestamp, 200)
                  .Number(perfetto::kSequence, 1)
                  .Message(perfetto::kGpuStageEvent,
                           Proto()
                               .Number(perfetto::kStageEventId, 5)
                               .Number(perfetto::kStageDuration, 50)
                               .Number(perfetto::kStageGpu, 1)
                               .Number(perfetto::kStageQueueIid, 107)
                               .Number(perfetto::kStageIid, 1)
                               .Number(perfetto::kStageNameIid, 1)
                               .Message(perfetto::kStageLaunch,
                                        Proto().Message(perfetto::kLaunchGrid, size(64)))));
  const auto read = Read(trace.bytes());
  EXPECT_EQ(EventLines(read[0].trace),
            (Lines{"runtime cudaLaunchKernel 100+10 @4711:12", "operator aten::mm 90+5 @4711:12",
                   "compute gemm 200+50 @1/7"}));
  EXPECT_EQ(NoteOf(read[0], "kinds_inferred"), 2);
  EXPECT_EQ(read[0].trace.Ints(IntField::kCorrelation).value(1), 5);
  EXPECT_EQ(read[0].trace.launch_configs[0].grid, (std::array<int32_t, 3>{64, 1, 1}));
}

// Kineto's writer: a track for each event below its thread's, arguments as one text of JSON.
TEST(Perfetto, ReadsKinetosOwn) {
  auto trace = Threads();
  trace.Track(50, 2, "main")
      .Slice(50, "", "aten::mm", 10, 30,
             Proto().Message(perfetto::kAnnotation,
                             Annotated("metadata", R"("External id": 7, "Sequence number": 2)")))
      .Event(perfetto::kInstant, 1, 0,
             Proto()
                 .Text(perfetto::kName, "trace_metadata")
                 .Message(perfetto::kAnnotation,
                          Annotated("distributedInfo", R"({"rank": 3, "world_size": 8})")));
  const Trace read = ReadOne(trace);
  EXPECT_EQ(EventLines(read), (Lines{"operator aten::mm 10+20 @4711:12"}));
  EXPECT_EQ(read.Ints(IntField::kExternalId).value(0), 7);
  EXPECT_EQ(read.meta.rank, 3);
}

TEST(Perfetto, ReadsRocprofv3) {
  PerfettoBuilder trace;
  trace.Thread(2, 0, 7, 7, "THREAD 0")
      .Track(30, 0, "COMPUTE AGENT [4] QUEUE [2] (GPU) ")
      .Slice(2, "hip_api", "hipLaunchKernel", 0, 5,
             Proto()
                 .Fixed(perfetto::kFlow, 99)
                 .Message(perfetto::kAnnotation, Annotated("corr_id", 1)))
      .Slice(30, "kernel_dispatch", "gemm", 10, 20,
             Proto()
                 .Fixed(perfetto::kFlow, 99)
                 .Message(perfetto::kAnnotation, Annotated("corr_id", 1))
                 .Message(perfetto::kAnnotation, Annotated("agent", 4)));
  const Trace read = ReadOne(trace);
  EXPECT_EQ(EventLines(read)[0], "runtime hipLaunchKernel 0+5 @7:7");
  EXPECT_TRUE(EventLines(read).back().ends_with("@4/2") || EventLines(read)[2].ends_with("@4/2"));
  EXPECT_EQ(read.Ints(IntField::kCorrelation).size(), 2u);
}

// One file of all ranks, named by their tracks.
TEST(Perfetto, ReadsXpuTimer) {
  PerfettoBuilder trace;
  for (const int64_t rank : {0, 1}) {
    const auto base = static_cast<uint64_t>(100 * (rank + 1));
    trace
        .Thread(base + 1, 0, 0, static_cast<int64_t>(base) + 1,
                fmt::format("rank {} compute", rank))
        .Thread(base + 2, 0, 0, static_cast<int64_t>(base) + 2, fmt::format("rank {} io", rank))
        .Slice(base + 1, "matmul", "mm", 10, 20)
        .Slice(base + 2, "nccl", "AllReduce", 20, 40);
  }
  const auto read = Read(trace.bytes());
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[1].trace.meta.rank, 1);
  EXPECT_EQ(EventLines(read[1].trace),
            (Lines{"compute mm 10+10 @0/1", "communication AllReduce 20+20 @0/2"}));
}

}  // namespace
}  // namespace stepscope::testing::perfetto_test
