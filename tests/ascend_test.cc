// Tests what is read of Ascend's timelines (trace_view.json), and a real one against the sums that
// it holds itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/trace_reader.h"
#include "tests/answer.h"
#include "tests/event_lines.h"
#include "tests/front_door.h"
#include "tests/invariants.h"
#include "tests/shared_data.h"

namespace stepscope::testing::ascend_test {
namespace {

using Lines = std::vector<std::string>;

std::string Name(const std::string& what, int process, int thread, const std::string& name) {
  return fmt::format(R"({{"ph":"M","name":"{}_name","pid":{},"tid":{},"args":{{"name":"{}"}}}},)",
                     what, process, thread, name);
}
std::string Event(const std::string& name, int process, int thread, int64_t start, int64_t duration,
                  const std::string& more = "") {
  return fmt::format(R"({{"name":"{}","pid":{},"tid":{},"ts":"{}","dur":{},{}"ph":"X"}},)", name,
                     process, thread, start, duration, more);
}
std::string Flow(const std::string& phase, int process, int thread, int64_t time) {
  return fmt::format(
      R"({{"name":"HostToDevice77","ph":"{}","cat":"HostToDevice","id":"77","pid":{},"tid":{},"ts":"{}"}},)",
      phase, process, thread, time);
}
const std::string kNames =
    Name("process", 8, 0, "Ascend Hardware") + Name("thread", 8, 3, "Stream 3") +
    Name("process", 9, 0, "CANN") + Name("process", 10, 0, "Overlap Analysis") +
    Name("thread", 10, 0, "Computing") + Name("process", 11, 0, "Communication") +
    Name("thread", 11, 1, "Group 0 Communication") + Name("thread", 11, 2, "Plane 0");

Trace Read(std::string events, Wanted keep = Wanted::All()) {
  events.pop_back();
  auto trace = ReadTrace(ByteSource::FromMemory("[" + events + "]"), {.keep = keep});
  EXPECT_TRUE(trace);
  return trace ? std::move(*trace) : Trace();
}

TEST(Ascend, StreamsAreDevicesAndSumsAreNothing) {
  const std::string events = Event("aclnnMm_MatMulV2", 8, 3, 10, 5) +
                             Event("aclnnMm_MemSet", 8, 3, 16, 1) +
                             Event("MEMCPY_ASYNC", 8, 3, 20, 2) + Event("EVENT_WAIT", 8, 3, 22, 9) +
                             Event("Computing", 10, 0, 10, 5) + Event("Free", 10, 3, 15, 1) +
                             Event("AscendCL@aclnnMm", 9, 70, 8, 3);
  const Lines lines = {"compute aclnnMm_MatMulV2 10000+5000 @0/3",
                       "compute aclnnMm_MemSet 16000+1000 @0/3",
                       "memcpy MEMCPY_ASYNC 20000+2000 @0/3", "sync EVENT_WAIT 22000+9000 @0/3",
                       "runtime AscendCL@aclnnMm 8000+3000 @9:70"};
  EXPECT_EQ(EventLines(Read(kNames + events)), lines);
  EXPECT_EQ(EventLines(Read(events + kNames)), lines) << "names may stand behind the events";
  const Trace trace = Read(kNames + events);
  EXPECT_EQ(trace.gpu_events_in_file, 3);
  EXPECT_EQ(trace.meta.recorded_by, RecordedBy::kAscend);
  EXPECT_EQ(trace.notes.Count(NoteKind::kUnknownCategory), 0);
}

TEST(Ascend, CollectivesAreThoseOfGroups) {
  const Trace trace =
      Read(kNames + Event("hcom_allReduce__721_0_1", 11, 1, 10, 5) +
           Event("Notify_Wait", 11, 2, 10, 3) + Event("hcom_allReduce_AicpuKernel", 8, 3, 10, 5));
  EXPECT_EQ(EventLines(trace), (Lines{"communication hcom_allReduce__721_0_1 10000+5000 @0/10000",
                                      "unknown Notify_Wait 10000+3000 @11:2",
                                      "unknown hcom_allReduce_AicpuKernel 10000+5000 @0/3"}))
      << "the parts of a collective are not counted beside it";
  EXPECT_EQ(EventLines(Read(kNames + Event("hcom_allReduce_AicpuKernel", 8, 3, 10, 5))),
            Lines{"communication hcom_allReduce_AicpuKernel 10000+5000 @0/3"})
      << "where there are no groups, they are all there is";
}

TEST(Ascend, ACallLaunchedWhatItsFlowLeadsTo) {
  const Trace trace =
      Read(kNames + Event("AscendCL@aclnnMm", 9, 70, 5, 4) + Event("Node@launch", 9, 70, 6, 2) +
           Flow("s", 9, 70, 7) + Flow("f", 8, 3, 10) + Event("MatMulV2", 8, 3, 10, 5));
  EXPECT_EQ(trace.Ints(IntField::kCorrelation).Find(1), 2) << "the innermost call";
  EXPECT_EQ(trace.Ints(IntField::kCorrelation).Find(4), 2);
}

TEST(Ascend, WhatComesOffTheTaskQueueWasLaunchedWhereItWasPutThere) {
  const std::string queue = R"("cat":"{}","args":{{"correlation_id":148}},)";
  const Trace trace =
      Read(kNames + Event("Enqueue", 5, 60, 1, 1, fmt::format(fmt::runtime(queue), "enqueue")) +
           Event("Dequeue@aclnnMm", 5, 70, 4, 6, fmt::format(fmt::runtime(queue), "dequeue")) +
           Event("AscendCL@aclnnMm", 9, 70, 5, 4) + Flow("s", 9, 70, 7) + Flow("f", 8, 3, 10) +
           Event("MatMulV2", 8, 3, 10, 5));
  EXPECT_EQ(trace.Ints(IntField::kCorrelation).Find(0), 1);
  EXPECT_EQ(trace.Ints(IntField::kCorrelation).Find(5), 1);
  EXPECT_EQ(trace.Ints(IntField::kCorrelation).size(), 2u);
}

TEST(Ascend, FlowsAreReadWhoeverAsks) {
  const Trace trace = Read(kNames + Event("AscendCL@aclnnMm", 9, 70, 5, 4) + Flow("s", 9, 70, 7) +
                               Flow("f", 8, 3, 10) + Event("MatMulV2", 8, 3, 10, 5),
                           KindSet{Kind::kCompute, Kind::kRuntime});
  EXPECT_EQ(trace.Ints(IntField::kCorrelation).size(), 2u);
}

// Names of processes before and behind the events, calls, flows and collectives.
std::string WholeTimeline() {
  std::string events = kNames;
  for (int i = 0; i < 12; ++i) {
    events += Event("AscendCL@aclnnMm", 9, 70, 100 * i + 5, 4) + Flow("s", 9, 70, 100 * i + 7) +
              Flow("f", 8, 3, 100 * i + 10) + Event("MatMulV2", 8, 3, 100 * i + 10, 5) +
              Event("hcom_allReduce__721_0_1", 11, 1, 100 * i + 20, 5);
  }
  events.pop_back();
  return "[" + events + "]";
}

TEST(Ascend, CutAnywhereItIsAnErrorOrCounts) {
  const std::string whole = WholeTimeline();
  size_t used = 0;
  for (size_t size = 0; size + 1 < whole.size(); size += 3) {
    const auto cut = ReadTrace(ByteSource::FromMemory(std::string_view(whole).substr(0, size)));
    if (!cut) continue;
    ++used;
    EXPECT_EQ(cut->notes.Count(NoteKind::kTruncated), 1) << size;
    EXPECT_LE(cut->size(), 60u + 24u);
  }
  EXPECT_GT(used, 1000u);
}

TEST(Ascend, WrongTypesAndHostileValuesCostTheirEvents) {
  const std::string good = Event("MatMulV2", 8, 3, 10, 5);
  for (
      const std::string& bad : std::vector<std::string>{
          R"({"ph":"M","name":"process_name","pid":{"a":[8]},"tid":0,"args":{"name":7}},)",
          R"({"ph":"M","name":"process_name","pid":8,"tid":0,"args":[]},)",
          R"({"name":["x"],"pid":8,"tid":3,"ts":"1","dur":1,"ph":"X"},)",
          R"({"name":"x","pid":8,"tid":"no number","ts":"9e999","dur":1,"ph":"X"},)",
          R"({"name":"x","pid":9,"tid":70,"ts":"1","dur":-9223372036854775808,"ph":"X"},)",
          R"({"name":"HostToDevice","ph":"f","cat":"HostToDevice","id":{},"pid":8,"tid":3,"ts":"1"},)",
          Flow("f", 8, 3, 10) + Flow("f", 8, 3, 10) + Flow("s", 9, 70, 99) + Flow("s", 9, 70, 1),
          Name("thread", 8, 3, "Stream 99999999999999999999"),
          Name("process", 8, 0, "Ascend Hardware") + Name("process", 8, 0, "CANN"),
      }) {
    const Trace trace = Read(kNames + bad + good);
    const auto lines = EventLines(trace);
    EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& line) {
      return line.contains(" MatMulV2 10000+5000 ");
    })) << bad;
  }
}

TEST(Ascend, ARealTimelineHoldsItsOwnSums) {
  const std::string path = Shared("traces/ascend/trace_view.json.gz").string();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no ../shared";
  std::ifstream file(Shared("goldens/ascend.json"));
  const nlohmann::json golden = nlohmann::json::parse(file);
  const ReportSet answer = AnswerTo({path});
  const auto rows = RowsOf(answer, "temporal_breakdown", "ranks");
  ASSERT_EQ(rows.size(), 1u);
  const auto ns = [](const nlohmann::json& us) { return us.get<double>() * 1000; };
  EXPECT_NEAR(static_cast<double>(rows[0].Int("compute")), ns(golden["file_says_us"]["Computing"]),
              34 * 0.9)
      << "34 durations have fractions of a ns, which are cut";
  EXPECT_NEAR(static_cast<double>(rows[0].Int("busy")), ns(golden["hardware_busy_union_us"]), 100);
  EXPECT_EQ(answer.run.files.at(0).gpu_events, golden["hardware_events"].get<int64_t>());
  EXPECT_EQ(NoteCount(answer, "unknown_category"), 0);
  EXPECT_EQ(NoteCount(answer, "without_launch"), 2) << "copies have no flow";
  for (const std::string& violation : BrokenInvariants(answer)) ADD_FAILURE() << violation;
}

}  // namespace
}  // namespace stepscope::testing::ascend_test
