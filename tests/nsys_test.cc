// Tests reports of Nsight Systems that are made row by row.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ingest/common/report_notes.h"
#include "stepscope/export.h"
#include "stepscope/language.h"
#include "tests/answer.h"
#include "tests/event_lines.h"
#include "tests/front_door.h"
#include "tests/nsys_report.h"
#include "tests/scratch.h"

namespace stepscope::testing::nsys_test {
namespace {

std::vector<std::string> Events(const Trace& trace) { return EventLines(trace); }

using Lines = std::vector<std::string>;

TEST(Nsys, ReadsWhatADeviceAndItsHostDid) {
  NsysReport report;
  report.Kernel("void gemm<float>(int)", 100, 150, 5)
      .Kernel("ncclDevKernel_AllReduce_Sum_f32(args)", 160, 200, 6)
      .Call("cudaLaunchKernel_v7000", 90, 95, 5)
      .Call("cudaMemcpyAsync_v3020", 96, 98, 7);
  report.Run(
      fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (210, 220, 0, 7, 7, {}, "
                  "4096, 1, 1, 2)",
                  kProcess));
  report.Run(
      fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (230, 240, 0, 7, 8, {}, "
                  "64, 2)",
                  kProcess));
  const auto traces = report.Read();
  ASSERT_EQ(traces.size(), 1u);
  const Trace& trace = traces.front().trace;
  EXPECT_EQ(Events(trace), (Lines{"runtime cudaLaunchKernel 90+5 @144:161",
                                  "runtime cudaMemcpyAsync 96+2 @144:161",
                                  "compute void gemm<float>(int) 100+50 @0/7",
                                  "communication ncclDevKernel_AllReduce_Sum_f32(args) 160+40 @0/7",
                                  "memcpy Memcpy HtoD (Pinned -> Device) 210+10 @0/7",
                                  "memset Memset (Device) 230+10 @0/7"}));
  EXPECT_EQ(trace.Ints(IntField::kCorrelation).Find(2), 5);
  EXPECT_EQ(trace.Ints(IntField::kBytes).Find(4), 4096);
  EXPECT_EQ(trace.Reals(RealField::kBandwidth).Find(4), 409.6);
  const LaunchConfig& config = trace.launch_configs[0];
  EXPECT_EQ(config.grid, (std::array{8, 2, 1}));
  EXPECT_EQ(config.block, (std::array{128, 1, 1}));
  EXPECT_EQ(config.registers, 32);
  EXPECT_EQ(config.shared_memory, 1536);
}

TEST(Nsys, RangesAreOperatorsStepsAndAnnotations) {
  NsysReport report;
  report.Kernel("gemm", 100, 150);
  report.Range("aten::mul, seq = 3, op_id = 7, sizes = [[2, 3], []]", 10, "20")
      .Range("autograd::engine::evaluate_function: MulBackward0, seq = 3, op_id = 9", 21, "22")
      .Range("Optimizer.step#Adam.step, op_id = 8", 23, "24")
      .Range("ProfilerStep#4, op_id = 2", 5, "40")
      .Range("my forward", 25, "26");
  const auto traces = report.Read();
  ASSERT_EQ(traces.size(), 1u);
  const Trace& trace = traces.front().trace;
  EXPECT_EQ(Events(trace),
            (Lines{"operator aten::mul 10+10 @144:161",
                   "operator autograd::engine::evaluate_function: MulBackward0 21+1 @144:161",
                   "annotation Optimizer.step#Adam.step 23+1 @144:161",
                   "annotation ProfilerStep#4 5+35 @144:161", "annotation my forward 25+1 @144:161",
                   "compute gemm 100+50 @0/7"}));
  EXPECT_EQ(trace.Ints(IntField::kSequence).Find(0), 3);
  EXPECT_EQ(trace.strings[*trace.Texts(TextField::kInputShapes).Find(0)], "[[2, 3], []]");
  EXPECT_EQ(trace.Ints(IntField::kStep).Find(3), 4);
}

TEST(Nsys, StepsAreRangesThatAreNamedSo) {
  for (const auto& [name, step] :
       std::initializer_list<std::pair<const char*, std::optional<int64_t>>>{
           {"step 12", 12},
           {"Step_12", 12},
           {"train_step_12", 12},
           {"iteration12", 12},
           {"Iteration: 12", 12},
           {"iteration[12,13)", 12},
           {"iter=12", 12},
           {"global_step_12", 12},
           {"step", std::nullopt},
           {"step_12_fwd", std::nullopt},
           {"moveData12", std::nullopt},
           {"iteration 12 - overlap", std::nullopt}}) {
    NsysReport report;
    report.Kernel("gemm", 100, 150).Range(name, 10, "20");
    const auto traces = report.Read();
    ASSERT_EQ(traces.size(), 1u);
    EXPECT_EQ(traces.front().trace.Ints(IntField::kStep).Find(0), step) << name;
  }
}

TEST(Nsys, ARangeWithoutAnEndEndsWithTheRecording) {
  NsysReport report;
  report.Kernel("gemm", 100, 150).Call("cudaLaunchKernel", 90, 95, 1).Range("open", 10, "NULL");
  const auto traces = report.Read();
  EXPECT_EQ(Events(traces.front().trace)[1], "annotation open 10+85 @144:161");
  EXPECT_EQ(traces.front().notes.at(0).name, "without_end");
}

TEST(Nsys, NamesHaveTheirDomainWhereverItIsRegistered) {
  NsysReport report;
  report.Kernel("gemm", 100, 150);
  report.Run(
      fmt::format("INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 'scan', {0}, NULL, NULL, 3, "
                  "NULL, NULL), (3, NULL, 75, 'CCCL', {0}, NULL, NULL, 3, NULL, NULL)",
                  kThread));
  EXPECT_EQ(Events(report.Read().front().trace)[0], "annotation CCCL: scan 1+1 @144:161");
}

TEST(Nsys, TimesAreThoseOfTheClockOnTheWall) {
  const auto start = [](const std::string& sql) {
    NsysReport report;
    report.Kernel("gemm", 100, 150).Run(sql);
    return report.Read().front().trace.starts()[0];
  };
  const std::string utc =
      fmt::format("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES ({}, 70);", kUtc);
  EXPECT_EQ(start(""), 100);
  EXPECT_EQ(start(utc), kUtc + 100) << "from the session's start";
  EXPECT_EQ(start(utc + "INSERT INTO ANALYSIS_DETAILS VALUES (500, 70, 570);"), kUtc + 30)
      << "the session began at 70 on the clock that events have";
  EXPECT_EQ(start(utc + "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PARAM_TIME_NORMALIZE', "
                        "'true');"),
            100)
      << "as they are";
}

TEST(Nsys, EachProcessWithADeviceIsARank) {
  NsysReport report;
  const int64_t second = kProcess + (1 << 24);
  report.Kernel("b", 100, 150, 1, 1, kProcess)
      .Kernel("a", 100, 150, 1, 0, second)
      .Range("launcher", 1, "2", "NULL", kProcess + (9 << 24));
  const auto answer = Ask({report.path()});
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->run.files.size(), 2u);
  EXPECT_EQ(answer->run.ranks, 2);
  EXPECT_EQ(answer->run.files[1].rank, 1);
  EXPECT_EQ(NoteCount(*answer, "rank_from_device"), 2);
  EXPECT_EQ(NoteCount(*answer, "rank_from_order"), 0);
  EXPECT_EQ(NoteCount(*answer, "other_processes"), 1);
  const auto kernels = report.Read();
  EXPECT_EQ(Events(kernels[0].trace), (Lines{"compute a 100+50 @0/7"})) << "of the first device";
}

// Of nodes whose sessions began 7 s apart, and whose events are of one moment.
TEST(Nsys, ReportsOfSeveralNodesAreOneJobOnOneClock) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (int64_t node = 0; node < 2; ++node) {
    NsysReport report;
    const int64_t late = node * 7'000'000'000;
    report.Run(
        fmt::format("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES ({}, 70)", kUtc - late));
    for (int64_t i = 0; i < 20; ++i) {
      const int64_t at = late + i * 1'000'000;
      report.Kernel("gemm", at + 100, at + 400'000 - node * 100'000)
          .Kernel("ncclDevKernel_AllReduce_Sum_f32(args)", at + 400'100 - node * 100'000,
                  at + 600'000);
    }
    paths.push_back(folder.path() + fmt::format("/node{}.sqlite", node));
    std::filesystem::copy_file(report.path(), paths.back());
  }
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->run.ranks, 2);
  EXPECT_EQ(answer->run.files[0].path, paths[0]) << "numbered by the names of files";
  EXPECT_EQ(std::get<double>(MetricOf(*answer, "collectives", "match_rate")), 1.0);
  EXPECT_LE(std::get<int64_t>(MetricOf(*answer, "collectives", "clock_offset_max")), 100'000);
  EXPECT_EQ(RowsOf(*answer, "temporal_breakdown", "ranks")[0].Int("span"), 19'599'900);
}

TEST(Nsys, RanksAreThoseOfTheLargestCommunicator) {
  NsysReport report;
  const int64_t second = kProcess + (1 << 24);
  report.Kernel("a", 100, 150, 1, 0, kProcess).Kernel("b", 100, 150, 1, 1, second);
  const auto joins = [](int ranks, int rank) {
    return fmt::format(R"('{{"NCCL communicator ID":{},"No. of ranks":{},"Rank":{}}}')", ranks,
                       ranks, rank);
  };
  report.Range("ncclCommInitRank", 1, "2", joins(16, 13), kThread)
      .Range("ncclCommSplit", 3, "4", joins(2, 0), kThread)
      .Range("ncclCommInitRank", 1, "2", joins(16, 12), second + 5);
  const auto traces = report.Read();
  ASSERT_EQ(traces.size(), 2u);
  EXPECT_EQ(traces[0].trace.meta.rank, 13);
  EXPECT_EQ(traces[1].trace.meta.rank, 12);
  EXPECT_EQ(traces[0].notes.at(0).name, "rank_from_communicator");
}

TEST(Nsys, TheEnvironmentGivesTheRankOfOneProcessAndNothingElse) {
  NsysReport report;
  report.Kernel("gemm", 100, 150)
      .Run(
          "INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ENVIRONMENT_1', 'RANK=3'), "
          "('PROCESS_0:ENVIRONMENT_2', 'WORLD_SIZE=8'), "
          "('PROCESS_0:ENVIRONMENT_3', 'SECRET_TOKEN=hunter2')");
  report.Text("TOKEN=hunter2");
  const auto answer = Ask({report.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->run.files[0].rank, 3);
  EXPECT_FALSE(ToJson(*answer).contains("hunter2"));
  const auto traces = report.Read();
  EXPECT_EQ(traces.front().trace.meta.world_size, 8);
  for (StringId id = 0; id < traces.front().trace.strings.size(); ++id)
    EXPECT_FALSE(traces.front().trace.strings[id].contains("hunter2"));
}

// What is said of each kernel: "allreduce in=4096 out=4096 group=2a size=2".
Lines Collectives(const Trace& trace) {
  Lines lines;
  for (EventId e = 0; e < trace.size(); ++e) {
    if (trace.kinds()[e] != Kind::kCommunication) continue;
    const auto text = [&](TextField field) {
      const auto id = trace.Texts(field).Find(e);
      return id ? std::string(trace.strings[*id]) : "-";
    };
    const auto number = [&](IntField field) { return trace.Ints(field).Find(e).value_or(-1); };
    lines.push_back(fmt::format("{} in={} out={} group={} size={}", text(TextField::kCollective),
                                number(IntField::kInElements), number(IntField::kOutElements),
                                text(TextField::kGroupName), number(IntField::kGroupSize)));
  }
  return lines;
}

TEST(Nsys, CollectivesAreWhatNcclSaysOfThem) {
  NsysReport report;
  report.Kernel("ncclDevKernel_AllReduce_Sum_f32(args)", 100, 150, 5)
      .Kernel("ncclDevKernel_SendRecv(args)", 200, 250, 6)
      .Kernel("ncclDevKernel_AllGather(args)", 300, 350, 7)
      .Kernel("ncclDevKernel_ReduceScatter(args)", 400, 450, 99);
  const auto payload = [](int64_t bytes) {
    return fmt::format(R"('{{"NCCL communicator ID":42,"Message size [bytes]":"{}"}}')", bytes);
  };
  report
      .Range("ncclCommInitRank", 1, "2",
             R"('{"NCCL communicator ID":42,"No. of ranks":2,"Rank":1,"CUDA device":1}')")
      .Range("ncclAllReduce", 10, "20", payload(4096))
      .Range("ncclGroupStart", 30, "31")
      .Range("ncclSend", 32, "33", payload(100))
      .Range("ncclRecv", 34, "35", payload(300))
      .Range("ncclSend", 36, "37", payload(100))
      .Range("ncclGroupEnd", 38, "45")
      .Range("ncclAllGather", 50, "60", payload(1000));
  report.Call("cudaLaunchKernelExC_v11060", 15, 16, 5)
      .Call("cuLaunchKernelEx", 40, 41, 6)
      .Call("cudaLaunchKernel", 55, 56, 7)
      .Call("cudaLaunchKernel", 70, 71, 99);
  EXPECT_EQ(
      Collectives(report.Read().front().trace),
      (Lines{"allreduce in=4096 out=4096 group=2a size=2",
             "sendrecv in=200 out=300 group=2a size=2",
             "allgather in=1000 out=2000 group=2a size=2", "- in=-1 out=-1 group=- size=-1"}));
}

TEST(Nsys, PayloadsInBytesAreReadByTheirSchemas) {
  NsysReport report;
  report.Kernel("ncclDevKernel_AllReduce(args)", 100, 150, 5).Call("cudaLaunchKernel", 15, 16, 5);
  report.Run(
      "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, idx INTEGER, "
      "type INTEGER, name TEXT, offset INTEGER);"
      "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1, 16777223, 0, 18, 'NCCL communicator ID', "
      "NULL), (1, 16777223, 1, 22, 'Message size [bytes]', 8)");
  // Domain 1, schema 16777223, 24 bytes in 56: communicator 42, 4096 bytes.
  report.Run(fmt::format(
      "INSERT INTO NVTX_EVENTS VALUES (10, 20, 59, 'ncclAllReduce', {}, NULL, NULL, 1, NULL, "
      "x'010000000000000007000001000000001800000000000000380000000000000"
      "02a0000000000000000100000000000000000000000000000')",
      kThread));
  EXPECT_EQ(Collectives(report.Read().front().trace),
            (Lines{"allreduce in=4096 out=4096 group=2a size=-1"}));
}

TEST(Nsys, AGraphRecordedAsAWholeIsComputeAndNoted) {
  NsysReport report;
  report.Run(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER, "
      "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER)");
  report
      .Run(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (100, 200, 0, 7, 5, {}, "
                       "12)",
                       kProcess))
      .Call("cudaGraphLaunch_v10000", 90, 95, 5);
  const auto traces = report.Read();
  EXPECT_EQ(Events(traces.front().trace)[1], "compute CUDA graph 12 100+100 @0/7");
  EXPECT_EQ(traces.front().notes.at(0).name, "graphs_as_whole");
}

TEST(Nsys, NodesOfAGraphAreOfItsLaunch) {
  NsysReport report;
  report.Kernel("a", 100, 110, 5)
      .Kernel("b", 111, 120, 5)
      .Call("cudaGraphLaunch_v10000", 90, 95, 5);
  const auto answer = Ask({report.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(NoteCount(*answer, "without_launch"), 0);
}

TEST(Nsys, MetricsOfDevicesAreCounters) {
  NsysReport report;
  report.Kernel("gemm", 100, 150);
  report.Run(
      "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, metricId INTEGER, metricName TEXT);"
      "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (281474976710656, 4, 'SMs Active [Throughput "
      "%]');"
      "CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value "
      "INTEGER);"
      "INSERT INTO GPU_METRICS VALUES (120, 281474976710656, 4, 87)");
  const auto traces = report.Read();
  EXPECT_EQ(Events(traces.front().trace)[1], "counter SMs Active [Throughput %] 120+0 @GPU 0:");
  EXPECT_EQ(traces.front().trace.Reals(RealField::kCounterValue).Find(1), 87);
}

TEST(Nsys, NotesAreSaidInJapaneseToo) {
  for (const NoteText& text : NoteTexts(ReportNote::kCount))
    EXPECT_NE(In(Language::kJapanese, Phrase(text.message)), text.message) << text.name;
}

TEST(Nsys, AReportThatIsNotExportedSaysHow) {
  const ScratchFolder folder;
  const std::string path = folder.Write("job.nsys-rep", "binary");
  for (const std::string& asked : {path, folder.path()}) {
    const auto answer = Ask({asked});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().hint, "nsys export --type sqlite " + path);
  }
}

TEST(Nsys, AnotherDatabaseIsRefused) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/other.sqlite";
  {
    Database(path).Run("CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1)");
  }
  const auto answer = Ask({path});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "the database has no events of Nsight Systems");
}

TEST(Nsys, ExportsOfItGiveTheSameNumbers) {
  NsysReport report;
  report.Kernel("gemm", 100, 150, 5)
      .Kernel("relu", 160, 170, 6)
      .Call("cudaLaunchKernel", 90, 95, 5);
  report.Range("step 1", 80, "300").Range("aten::mm, op_id = 3", 85, "99");
  const ScratchFolder out;
  const auto written = Export(std::vector{report.path()}, {.folder = out.path()});
  ASSERT_TRUE(written) << written.error().what;
  const auto before = Ask({report.path()}), after = Ask({out.path()});
  ASSERT_TRUE(before && after);
  EXPECT_EQ(RowsOf(*before, "temporal_breakdown", "ranks")[0].Int("busy"),
            RowsOf(*after, "temporal_breakdown", "ranks")[0].Int("busy"));
}

}  // namespace
}  // namespace stepscope::testing::nsys_test
