// Tests damaged, odd and hostile traces in Perfetto's format: an error or notes, and never more
// memory than the file warrants.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "ingest/trace_reader.h"
#include "stepscope/export.h"
#include "tests/front_door.h"
#include "tests/gzip.h"
#include "tests/perfetto_builder.h"
#include "tests/scratch.h"

namespace stepscope::testing::perfetto_damage_test {
namespace {

Result<std::vector<Recording>> ReadBytes(const std::string& bytes) {
  return ReadRecordings(ByteSource::FromMemory(bytes));
}

void CheckRows(const Trace& trace) {
  for (EventId e = 0; e < trace.size(); ++e) {
    ASSERT_LT(trace.tracks_of()[e], trace.tracks.size());
    ASSERT_LT(trace.names()[e], trace.strings.size());
    ASSERT_GE(trace.durations()[e], 0);
  }
}

// Some of everything, as export and as other writers write it.
std::string Small() {
  PerfettoBuilder trace;
  trace.Process(1, 1, "p").Thread(2, 1, 1, 2, "t");
  for (uint64_t i = 0; i < 4; ++i) {
    trace.Slice(2, "cpu_op", "aten::mm", 100 * i, 100 * i + 50,
                Proto().Message(perfetto::kAnnotation, Annotated("Input Dims", "[[2], []]")));
    trace.Slice(2, "kernel", "gemm", 100 * i + 10, 100 * i + 40,
                Proto()
                    .Fixed(perfetto::kFlow, i)
                    .Message(perfetto::kAnnotation, Annotated("stream", 7))
                    .Message(perfetto::kAnnotation, Annotated("grid", "[1,2,3]")));
  }
  trace.Event(perfetto::kCounter, 2, 700, Proto().Real(perfetto::kDoubleCounter, 1.5));
  return trace.bytes();
}

std::string Exported() {
  const ScratchFolder in, out;
  in.Write("rank_0.json", DocumentOfRank(0, Kernels(6)));
  const auto written =
      Export(std::vector{in.path()}, {.folder = out.path(), .format = ExportFormat::kPerfetto});
  if (!written) throw std::runtime_error(written.error().what);
  auto source = ByteSource::Open(out.path() + "/run.pftrace.gz");
  std::string bytes(1 << 20, '\0');
  bytes.resize(source->Read(bytes));
  return bytes;
}

TEST(PerfettoDamage, CutAnywhereItIsAnErrorOrCounts) {
  for (const std::string& whole : {Small(), Exported()}) {
    const auto all = ReadBytes(whole);
    ASSERT_TRUE(all);
    size_t used = 0;
    for (size_t size = 0; size < whole.size(); ++size) {
      const auto cut = ReadBytes(whole.substr(0, size));
      if (!cut) {
        EXPECT_FALSE(cut.error().what.empty());
        continue;
      }
      ++used;
      EXPECT_LE(cut->front().trace.size(), all->front().trace.size());
      CheckRows(cut->front().trace);
    }
    EXPECT_GT(used, whole.size() / 2);
  }
}

TEST(PerfettoDamage, ChangedBytesNeverCrash) {
  for (const std::string& whole : {Small(), Exported()}) {
    for (size_t at = 0; at < whole.size(); ++at) {
      for (const int value : {0x00, 0x7f, 0xff, 0x0a}) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(value);
        const auto read = ReadBytes(bytes);
        if (!read) continue;
        for (const Recording& recording : *read) CheckRows(recording.trace);
      }
    }
  }
}

TEST(PerfettoDamage, FaultsAtTheFrontDoor) {
  const std::pair<const char*, std::string> faults[] = {
      {"empty", ""},
      {"no trace", std::string("\x0a\x02\x40\x05", 4)},
      {"hostile length", "\x0a\x05\x40\x05\x50\x01\x5a\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"},
      {"JSON", R"({"a":1})"},
      {"text", "this is no trace\n"},
  };
  for (const auto& [what, bytes] : faults) {
    const auto answer = AskAbout(bytes, "t.pftrace");
    EXPECT_FALSE(answer) << what;
  }
  EXPECT_TRUE(AskAbout(Small(), "t.pftrace"));
  EXPECT_TRUE(AskAbout(Gzip(Small()), "t.perfetto-trace"));
  EXPECT_TRUE(AskAbout(Small(), "t.json")) << "the content tells";
}

TEST(PerfettoDamage, ParentsInACycleAndTooMany) {
  PerfettoBuilder trace;
  trace.Track(1, 2, "").Track(2, 3, "").Track(3, 1, "").Track(9, 9, "own parent");
  for (uint64_t i = 100; i < 5000; ++i) trace.Track(i, i + 1, "");
  for (const uint64_t track : {uint64_t{1}, uint64_t{9}, uint64_t{100}})
    trace.Slice(track, "cpu_op", "op", 0, 10);
  const auto read = ReadBytes(trace.bytes());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->front().trace.size(), 3u);
}

TEST(PerfettoDamage, ValuesWithinValuesEndSomewhere) {
  Proto deep = Proto().Number(perfetto::kInt, 1);
  Proto nested = Proto().Number(perfetto::kNestedInt, 1);
  for (int i = 0; i < 3000; ++i) {
    deep = Proto().Message(perfetto::kArrayValue, deep);
    nested = Proto().Message(perfetto::kNestedArrayValue, nested);
  }
  PerfettoBuilder trace;
  trace.Slice(1, "cpu_op", "op", 0, 10,
              Proto()
                  .Message(perfetto::kAnnotation,
                           Proto().Text(perfetto::kAnnotationName, "Input Dims").Append(deep))
                  .Message(perfetto::kAnnotation, Proto()
                                                      .Text(perfetto::kAnnotationName, "Input type")
                                                      .Message(perfetto::kNested, nested)));
  const auto read = ReadBytes(trace.bytes());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->front().trace.size(), 1u);
}

TEST(PerfettoDamage, HostileNumbers) {
  PerfettoBuilder trace;
  const auto packet = [&](const Proto& fields) {
    trace.Packet(Proto().Number(perfetto::kSequence, 1).Append(fields));
  };
  for (const uint64_t iid : {uint64_t{1} << 20, uint64_t{1} << 40, UINT64_MAX}) {
    packet(Proto().Message(
        perfetto::kInterned,
        Proto().Message(perfetto::kNames,
                        Proto().Number(perfetto::kIid, iid).Text(perfetto::kInternedText, "far"))));
    trace.Event(perfetto::kInstant, 1, 5, Proto().Number(perfetto::kNameIid, iid));
  }
  trace.Slice(1, "cpu_op", "never", UINT64_MAX, UINT64_MAX);
  packet(Proto().Message(
      perfetto::kRecording,
      Proto().Number(perfetto::kRank, UINT64_MAX).Signed(perfetto::kTimeShift, INT64_MIN)));
  packet(
      Proto()
          .Signed(perfetto::kOrderStep, INT64_MAX)
          .Number(perfetto::kTimestamp, 7)
          .Message(
              perfetto::kTrackEvent,
              Proto().Number(perfetto::kType, perfetto::kInstant).Text(perfetto::kName, "late")));
  const auto read = ReadBytes(trace.bytes());
  ASSERT_TRUE(read);
  for (const Recording& recording : *read) CheckRows(recording.trace);
  EXPECT_EQ(read->front().trace.size(), 3u);
}

TEST(PerfettoDamage, AMillionNames) {
  constexpr uint64_t kNamesOfMany = 1'000'000;
  PerfettoBuilder trace;
  std::string bytes;
  for (uint64_t i = 0; i < kNamesOfMany; ++i) {
    PerfettoBuilder one;
    one.Event(perfetto::kInstant, 1, i, Proto().Text(perfetto::kName, fmt::format("name {}", i)));
    bytes += one.bytes();
  }
  const auto read = ReadBytes(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->front().trace.strings.size(), kNamesOfMany);
}

}  // namespace
}  // namespace stepscope::testing::perfetto_damage_test
