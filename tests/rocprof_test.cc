// Tests what is read of rocprofv3's JSON.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "ingest/trace_reader.h"
#include "stepscope/export.h"
#include "tests/answer.h"
#include "tests/event_lines.h"
#include "tests/front_door.h"
#include "tests/rocprof_json.h"
#include "tests/sanitized.h"

namespace stepscope::testing::rocprof_test {
namespace {

using Lines = std::vector<std::string>;

Result<std::vector<Recording>> Read(const std::string& text) {
  return ReadRecordings(ByteSource::FromMemory(text));
}

Recording ReadOne(const std::string& text) {
  auto recordings = Read(text);
  EXPECT_TRUE(recordings);
  if (!recordings || recordings->size() != 1) return {};
  return std::move(recordings->front());
}

TEST(Rocprof, ReadsWhatADeviceAndItsHostDid) {
  const Recording recording = ReadOne(RocprofText({RocprofProcess()
                                                       .Kernel(1, 100, 150, 5)
                                                       .Kernel(2, 160, 200, 6, 22, 4)
                                                       .Call(0, 90, 95, 5)
                                                       .Copy(2, 20, 21, 210, 220)
                                                       .Copy(4, 21, 22, 230, 240)}));
  const Trace& trace = recording.trace;
  EXPECT_EQ(EventLines(trace),
            (Lines{"runtime hipLaunchKernel 90+5 @144:161", "compute gemm(int) 100+50 @0/3",
                   "communication ncclDevKernel_Generic_1(args) 160+40 @1/4",
                   "memcpy Memcpy HtoD 210+10 @0/5", "memcpy Memcpy PtoP 230+10 @1/5"}));
  EXPECT_EQ(trace.Ints(IntField::kCorrelation).Find(1), 5);
  EXPECT_EQ(trace.Ints(IntField::kBytes).Find(3), 4096);
  EXPECT_EQ(trace.Reals(RealField::kBandwidth).Find(3), 409.6);
  EXPECT_EQ(trace.launch_configs[0],
            (LaunchConfig{
                .grid = {8, 2, 1}, .block = {256, 1, 1}, .registers = 32, .shared_memory = 1024}))
      << "grids are in work-items";
  EXPECT_EQ(trace.events_in_file, 6) << "scratch memory is counted and not read";
}

TEST(Rocprof, DescribesTheDevicesThatWereUsed) {
  const Trace trace = ReadOne(RocprofText({RocprofProcess().Kernel(1, 100, 150)})).trace;
  ASSERT_EQ(trace.meta.devices.size(), 1u);
  EXPECT_EQ(trace.meta.devices[0], (DeviceProperties{.device = 0,
                                                     .name = "AMD Instinct MI300X",
                                                     .memory_bytes = 1000,
                                                     .compute_major = 9,
                                                     .compute_minor = 4,
                                                     .multiprocessors = 304,
                                                     .threads_per_multiprocessor = 2048,
                                                     .clock_hz = 2.1e9}));
  EXPECT_EQ(trace.meta.machine, "node7");
}

TEST(Rocprof, RangesAreStepsOperatorsAndAnnotations) {
  const Trace trace = ReadOne(RocprofText({RocprofProcess()
                                               .Kernel(1, 100, 150)
                                               .Range("train_step_3", 1, 90, 1)
                                               .Range("aten::mm, op_id = 7", 2, 9, 2)
                                               .Range("my forward", 10, 20, 3)
                                               .Range("here", 30, 30, 4)}))
                          .trace;
  EXPECT_EQ(EventLines(trace),
            (Lines{"annotation train_step_3 1+89 @144:161", "operator aten::mm 2+7 @144:161",
                   "annotation my forward 10+10 @144:161", "instant here 30+0 @144:161",
                   "compute gemm(int) 100+50 @0/3"}));
  EXPECT_EQ(trace.Ints(IntField::kStep).Find(0), 3);
}

TEST(Rocprof, StreamsAreThoseOfHipWhereTheFileTellsThem) {
  const Trace trace =
      ReadOne(
          RocprofText(
              {RocprofProcess().Kernel(1, 100, 150, 1, 21, 3, 7).Kernel(1, 160, 170, 2, 21, 4, 0)}))
          .trace;
  EXPECT_EQ(EventLines(trace),
            (Lines{"compute gemm(int) 100+50 @0/7", "compute gemm(int) 160+10 @0/0"}));
}

TEST(Rocprof, WhatACollectivesCallLaunchedIsCommunication) {
  const Trace trace =
      ReadOne(
          RocprofText(
              {RocprofProcess().Collective(80, 99, 1).Call(0, 85, 90, 5).Kernel(9, 100, 150, 5)}))
          .trace;
  EXPECT_EQ(EventLines(trace), (Lines{"runtime hipLaunchKernel 85+5 @144:161",
                                      "annotation ncclAllReduce 80+19 @144:161",
                                      "communication unknown kernel 100+50 @0/3"}));
}

TEST(Rocprof, AFileHasARecordingForEachProcessThatUsedADevice) {
  const auto recordings = Read(
      RocprofText({RocprofProcess(7).Kernel(1, 1, 2, 0, 22),
                   RocprofProcess(8).Kernel(1, 1, 2, 0, 21), RocprofProcess(9).Call(0, 1, 2, 1)}));
  ASSERT_TRUE(recordings);
  ASSERT_EQ(recordings->size(), 2u);
  EXPECT_EQ(EventLines(recordings->front().trace), Lines{"compute gemm(int) 1+1 @0/3"});
  ASSERT_EQ(recordings->front().notes.size(), 2u);
  EXPECT_EQ(recordings->front().notes[0].name, "rank_from_device");
  EXPECT_EQ(recordings->front().notes[1].name, "other_processes");
  const auto second =
      ReadTrace(ByteSource::FromMemory(RocprofText({RocprofProcess(7).Kernel(1, 1, 2, 0, 22),
                                                    RocprofProcess(8).Kernel(1, 1, 2, 0, 21)})),
                {.part = 1});
  ASSERT_TRUE(second);
  EXPECT_EQ(EventLines(*second), Lines{"compute gemm(int) 1+1 @1/3"});
}

// Tools that rewrite JSON sort its keys: events come before their names then.
TEST(Rocprof, NamesMayStandBehindTheirEvents) {
  std::string text = RocprofText({RocprofProcess().Kernel(1, 100, 150)});
  const size_t events = text.find("\"buffer_records\":{\"kernel");
  const std::string moved = text.substr(events, text.size() - events - 3);
  text.erase(events - 1, moved.size() + 1);
  text.insert(text.find("\"metadata\""), moved + ",");
  EXPECT_EQ(EventLines(ReadOne(text).trace), Lines{"compute gemm(int) 100+50 @0/3"}) << text;
}

TEST(Rocprof, OldFilesTellNoStreamsAndNoPlacesOfGpus) {
  const Trace trace = ReadOne(R"({ "rocprofiler-sdk-tool": [ {"metadata":{"pid":1},
      "agents":[{"id":{"handle":5},"type":2,"node_id":2,"name":"gfx90a"},
                {"id":{"handle":4},"type":2,"node_id":1,"name":"gfx90a"}],
      "buffer_records":{"kernel_dispatch":[{"start_timestamp":1,"end_timestamp":3,
        "dispatch_info":{"agent_id":{"handle":5},"queue_id":{"handle":2},"kernel_id":8}}],
        "memory_copy":[{"operation":3,"start_timestamp":4,"end_timestamp":6,
          "src_agent_id":{"handle":4}}]}}]})")
                          .trace;
  EXPECT_EQ(EventLines(trace),
            (Lines{"compute unknown kernel 1+2 @1/2", "memcpy Memcpy DtoH 4+2 @0/-1"}));
  EXPECT_EQ(trace.meta.device_name, "gfx90a");
}

TEST(Rocprof, AnExportIsReadAsTheSame) {
  const ScratchFolder in, out;
  const std::string path = in.Write(
      "1_results.json", RocprofText({RocprofProcess().Kernel(1, 100, 150, 5).Call(0, 90, 95, 5)}));
  ASSERT_TRUE(Export(std::vector{path}, {.folder = out.path()}));
  const auto before = Ask({path}), after = Ask({out.path()});
  ASSERT_TRUE(before && after);
  const auto busy = [](const ReportSet& answer) {
    return SumOf(RowsOf(answer, "temporal_breakdown", "ranks"), "busy");
  };
  EXPECT_EQ(busy(*before), 50);
  EXPECT_EQ(busy(*after), 50);
}

TEST(RocprofDamage, CutAnywhereItIsAnErrorOrCounts) {
  const std::string whole = RocprofText({RocprofProcess()
                                             .Kernel(1, 100, 150, 5)
                                             .Kernel(2, 160, 200)
                                             .Call(0, 90, 95, 5)
                                             .Range("r", 1, 2, 3),
                                         RocprofProcess(9).Kernel(1, 100, 150, 5, 22)});
  size_t used = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto cut = Read(whole.substr(0, size));
    if (!cut) {
      EXPECT_FALSE(cut.error().what.empty());
      continue;
    }
    ++used;
    EXPECT_EQ(cut->front().trace.notes.Count(NoteKind::kTruncated), 1) << size;
  }
  EXPECT_GT(used, 300u);
}

std::string Replaced(std::string text, std::string_view what, std::string_view by) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

Lines Messages(const Recording& recording) {
  Lines messages;
  for (const Note& note : recording.trace.notes.List())
    messages.push_back(fmt::format("{} {}", note.count, note.message.str()));
  for (const Note& note : recording.notes)
    messages.push_back(fmt::format("{} {}", note.count, note.message.str()));
  return messages;
}

std::string OfThreeKernels() {
  return RocprofText({RocprofProcess()
                          .Kernel(1, 100, 150)
                          .Kernel(1, 200, 250)
                          .Kernel(2, 300, 350)
                          .Call(0, 90, 95, 5)});
}

TEST(RocprofDamage, CostsTheRecordThatItIsIn) {
  const std::string whole = OfThreeKernels();
  for (const std::string_view by :
       {"\"end_timestamp\":0x250", "\"end_timestamp\":250\"", "\"end_timestamp\":250}",
        "end_timestamp\":250", "\"end_timestamp\":250]}", "\"end_timestamp\":250}]"}) {
    const Recording recording = ReadOne(Replaced(whole, "\"end_timestamp\":250", by));
    EXPECT_EQ(EventLines(recording.trace),
              (Lines{"runtime hipLaunchKernel 90+5 @144:161", "compute gemm(int) 100+50 @0/3",
                     "communication ncclDevKernel_Generic_1(args) 300+50 @0/3"}))
        << by;
    EXPECT_EQ(recording.trace.notes.Count(NoteKind::kMalformed), 1) << by;
    EXPECT_EQ(recording.trace.notes.Count(NoteKind::kTruncated), 0) << by;
  }
}

TEST(RocprofDamage, SaysWhereItIsAndHowMuchItCost) {
  std::string text = Replaced(OfThreeKernels(), "\"end_timestamp\":250", "\"end_timestamp\":0x250");
  const size_t at = text.find("0x250"), next = text.find("{\"size\"", at);
  EXPECT_EQ(Messages(ReadOne(text)),
            Lines{fmt::format(
                "1 text was skipped: it is not JSON: first at byte {} (0x250); {} of "
                "{} bytes ({:.1f}%) were skipped",
                at, next - at, text.size(),
                100.0 * static_cast<double>(next - at) / static_cast<double>(text.size()))});
}

TEST(RocprofDamage, WhatNothingCanBeFoundBehindIsARestThatWasNotRead) {
  std::string text = Replaced(OfThreeKernels(), "\"end_timestamp\":250", "\"end_timestamp\":0x250");
  const size_t at = text.find("0x250");
  text = text.substr(0, at + 10) + std::string(5000, '7');
  const Lines messages = Messages(ReadOne(text));
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0],
            fmt::format("1 files were used in part: they end early: it is not JSON "
                        "from byte {} on, and 5010 of {} bytes ({:.1f}%) were not read",
                        at, text.size(), 501000.0 / static_cast<double>(text.size())));
}

// Their names are told by their places in the list.
TEST(RocprofDamage, NamesOfCallsBehindALostListOfNamesAreUnknown) {
  const Recording recording =
      ReadOne(Replaced(OfThreeKernels(), "\"operations\":[]", "\"operations\":[x]"));
  EXPECT_EQ(EventLines(recording.trace)[0], "runtime call 90+5 @144:161");
  EXPECT_EQ(recording.notes[0].name, "unknown_call");
}

TEST(RocprofDamage, ProcessesStayApart) {
  const std::string text = RocprofText(
      {RocprofProcess(7).Kernel(1, 1, 2, 0, 21), RocprofProcess(8).Kernel(1, 3, 4, 0, 22)});
  for (const auto& [what, by] : std::to_array<std::pair<std::string_view, std::string_view>>(
           {{"\"scratch_memory\":[{\"kind\":13}]", "\"scratch_memory\":[{\"kind\":1x3}]"},
            {"\"scratch_memory\":[{", "\"scratch_memory\":[{\""},
            {"}]}},{\"metadata\"", "}]},{\"metadata\""},
            {"}]}},{\"metadata\"", "}]}}{\"metadata\""}})) {
    const auto recordings = Read(Replaced(text, what, by));
    ASSERT_TRUE(recordings);
    ASSERT_EQ(recordings->size(), 2u) << by;
    EXPECT_EQ(EventLines(recordings->front().trace), Lines{"compute gemm(int) 1+1 @0/3"}) << by;
    EXPECT_EQ(EventLines(recordings->back().trace), Lines{"compute gemm(int) 3+1 @1/3"}) << by;
    EXPECT_EQ(recordings->front().trace.notes.Count(NoteKind::kMalformed), 1) << by;
  }
}

TEST(RocprofDamage, CharactersThatJsonDoesNotAllowAreReplacedAndCounted) {
  for (const std::string_view bad : {"\x01", "\xff", "\\ud800"}) {
    const Recording recording =
        ReadOne(Replaced(OfThreeKernels(), "gemm(int)", fmt::format("gemm{}(int)", bad)));
    EXPECT_EQ(recording.trace.size(), 4u);
    EXPECT_EQ(recording.trace.notes.Count(NoteKind::kInvalidText), 1);
    EXPECT_EQ(recording.trace.notes.Count(NoteKind::kMalformed), 0);
  }
}

TEST(RocprofDamage, AByteOrderMarkIsPassedOver) {
  const Recording recording = ReadOne("\xef\xbb\xbf" + OfThreeKernels());
  EXPECT_EQ(recording.trace.size(), 4u);
  EXPECT_EQ(Messages(recording), Lines{});
}

TEST(RocprofDamage, WhatTheFileDoesNotNameIsCounted) {
  const Recording recording = ReadOne(RocprofText({RocprofProcess()
                                                       .Kernel(1, 100, 150)
                                                       .Kernel(77, 200, 250)
                                                       .Kernel(78, 300, 350)
                                                       .Kernel(1, 400, 450, 0, 99)
                                                       .Copy(2, 20, 98, 500, 510)
                                                       .Call(55, 90, 95, 5)}));
  EXPECT_EQ(Messages(recording),
            (Lines{"2 kernels were called 'unknown kernel' and counted as compute: the file does "
                   "not name them: number 77",
                   "1 calls were called 'call': the file does not name them",
                   "2 activities were counted on devices of their own: the file does not list "
                   "their agents: number 99"}));
}

TEST(RocprofDamage, EntriesThatAreNotObjectsAreCounted) {
  std::string text = Replaced(OfThreeKernels(), "\"kernel_dispatch\":[",
                              "\"kernel_dispatch\":[5,null,1.5,\"x\",[true],[],");
  text = Replaced(text, "\"kernel_symbols\":[", "\"kernel_symbols\":[null,");
  text = Replaced(text, "\"buffer_records\":[", "\"buffer_records\":[");
  text = Replaced(text, "\"hipLaunchKernel\",", "null,");
  const Recording recording = ReadOne(text);
  EXPECT_EQ(recording.trace.size(), 4u);
  EXPECT_EQ(recording.trace.events_in_file, 10);
  EXPECT_EQ(Messages(recording),
            (Lines{"5 events were skipped: no valid time, name or size",
                   "1 calls were called 'call': the file does not name them",
                   "1 entries of lists of names and devices were skipped: they are not objects"}));
}

TEST(RocprofDamage, AnObjectWhereAListIsToBeIsCounted) {
  const Recording recording =
      ReadOne(Replaced(OfThreeKernels(), "\"memory_copy\":[]", "\"memory_copy\":{\"0\":{}}"));
  EXPECT_EQ(recording.trace.notes.Count(NoteKind::kUnreadableEvent), 1);
}

// Process from 10 s to 20 s.
std::string WithLife(std::vector<std::pair<int64_t, int64_t>> kernels) {
  RocprofProcess process;
  for (const auto& [start, end] : kernels) process.Kernel(1, start, end);
  return Replaced(RocprofText({process}), "\"init_time\":1",
                  "\"init_time\":10000000000,\"fini_time\":20000000000");
}

TEST(RocprofDamage, TimesOutsideTheProcessAreCountedAsUnreadable) {
  constexpr int64_t kSecond = 1'000'000'000;
  // A little outside is a matter of clocks.
  const Recording recording = ReadOne(WithLife({{9 * kSecond, 10 * kSecond},
                                                {12 * kSecond, 13 * kSecond},
                                                {20 * kSecond, 21 * kSecond},
                                                {9 * kSecond - 1, 12 * kSecond},
                                                {20 * kSecond, 21 * kSecond + 1}}));
  EXPECT_EQ(recording.trace.size(), 3u);
  EXPECT_EQ(recording.trace.events_in_file, 6);
  EXPECT_EQ(Messages(recording),
            Lines{"2 events were skipped: no valid time, name or size: they lie before the process "
                  "began or after it ended"});
}

TEST(RocprofDamage, TimesOfAProcessThatMostEventsAreOutsideOfAreNotTrusted) {
  const Recording recording =
      ReadOne(WithLife({{100, 150}, {200, 250}, {12'000'000'000, 12'000'000'100}}));
  EXPECT_EQ(recording.trace.size(), 3u);
  EXPECT_EQ(recording.trace.notes.Count(NoteKind::kUnreadableEvent), 0);
}

// Damage behind a process is none of its last event, which is whole. Found by fuzzing.
TEST(RocprofDamage, NothingIsTakenBackOfAProcessThatEnded) {
  const auto read = Read(R"({"rocprofiler-sdk-tool":"marker_api"[{"value":1}]}}{"value")");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->size(), 1u);
}

TEST(RocprofDamage, ChangedBytesNeverCrash) {
  std::string text = RocprofText({RocprofProcess().Kernel(1, 100, 150, 5).Copy(2, 20, 21, 1, 2)});
  for (char& at : text) {
    for (const char value : {'\0', '"', '{', ']', '9', '\xff'}) {
      const char was = std::exchange(at, value);
      (void)Read(text);
      at = was;
    }
  }
}

TEST(RocprofDamage, ValuesOfOtherTypesAreSkippedAndCounted) {
  const auto read = [](const std::string& fields) {
    return ReadOne(R"({"rocprofiler-sdk-tool":[{"buffer_records":{"kernel_dispatch":[{)" + fields +
                   "}]}}]}")
        .trace;
  };
  EXPECT_EQ(
      read(R"("start_timestamp":"1","end_timestamp":2)").notes.Count(NoteKind::kUnreadableEvent),
      1);
  EXPECT_EQ(
      read(R"("start_timestamp":1e99,"end_timestamp":2)").notes.Count(NoteKind::kUnreadableEvent),
      1);
  EXPECT_EQ(read(R"("start_timestamp":18446744073709551615,"end_timestamp":2)")
                .notes.Count(NoteKind::kUnreadableEvent),
            1);
  EXPECT_EQ(
      read(R"("start_timestamp":0,"end_timestamp":2)").notes.Count(NoteKind::kUnreadableEvent), 1);
  EXPECT_EQ(
      read(R"("start_timestamp":5,"end_timestamp":2)").notes.Count(NoteKind::kNegativeDuration), 1);
  EXPECT_EQ(
      read(R"("start_timestamp":1,"end_timestamp":2,"dispatch_info":7,"stream_id":[])").size(), 1u);
}

TEST(RocprofDamage, OddFilesAreErrors) {
  for (const std::string content :
       {"{\"rocprofiler-sdk-tool\":", "{\"rocprofiler-sdk-tool\":[]}",
        "{\"rocprofiler-sdk-tool\":{}}", "{\"rocprofiler-sdk-tool\":[{}]}",
        "{\"rocprofiler-sdk-tool\":[{\"buffer_records\":{\"kernel_dispatch\":[]}}]}",
        "{\"rocprofiler-sdk-tool\":[{\"buffer_records\":[1,2]}]}"}) {
    const auto answer = AskAbout(content, "1_results.json");
    EXPECT_FALSE(answer) << content;
  }
}

TEST(RocprofDamage, DeepNestingEndsTheFile) {
  std::string text = RocprofText({RocprofProcess().Kernel(1, 100, 150)});
  text.insert(text.rfind("]}"), ",{\"agents\":" + std::string(1'000'000, '['));
  const auto recordings = Read(text);
  ASSERT_TRUE(recordings);
  EXPECT_EQ(recordings->front().trace.notes.Count(NoteKind::kMalformed), 1);
}

TEST(RocprofDamage, AMillionNamesAreRead) {
  constexpr int64_t kNames = kSanitized ? 20'000 : 1'000'000;
  std::string symbols, kernels;
  for (int64_t i = 1; i <= kNames; ++i) {
    symbols +=
        fmt::format("{}{{\"kernel_id\":{},\"kernel_name\":\"kernel_{}\"}}", i > 1 ? "," : "", i, i);
    kernels += fmt::format(
        R"({}{{"start_timestamp":{},"end_timestamp":{},"dispatch_info":{{"kernel_id":{}}}}})",
        i > 1 ? "," : "", i * 10, i * 10 + 5, i);
  }
  const Trace trace = ReadOne("{\"rocprofiler-sdk-tool\":[{\"kernel_symbols\":[" + symbols +
                              "],\"buffer_records\":{\"kernel_dispatch\":[" + kernels + "]}}]}")
                          .trace;
  EXPECT_EQ(std::ssize(trace.starts()), kNames);
  EXPECT_EQ(trace.strings[trace.names().back()], fmt::format("kernel_{}", kNames));
}

}  // namespace
}  // namespace stepscope::testing::rocprof_test
