// Tests files that are cut short, corrupt, or no traces. The rule: what was whole is used, and the
// damage is named, in an error or in a note. The other files of a run never suffer.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/gzip.h"

namespace stepscope::testing::damage_test {
namespace {

// Whether the answer says that something was wrong with a file.
bool NamesDamage(const ReportSet& answer) {
  for (const char* name : {"truncated", "corrupt", "malformed", "trailing_bytes", "invalid_text",
                           "unreadable_event", "unreadable", "not_a_trace", "unknown_category",
                           "unknown_phase", "value_out_of_range", "huge_duration", "clock_step"}) {
    if (NoteCount(answer, name) > 0) return true;
  }
  return false;
}

TEST(Damage, TruncatedGzipKeepsWhatWasWhole) {
  const std::string whole = Gzip(Document(Kernels(300)));
  int64_t before = 0;
  for (size_t cut = 97; cut < whole.size(); cut += 97) {
    const auto answer = AskAbout(whole.substr(0, cut), "t.json.gz");
    if (!answer) continue;  // cut before the first event
    EXPECT_EQ(NoteCount(*answer, "truncated"), 1) << cut;
    EXPECT_GE(GpuEvents(*answer), before) << cut;
    before = GpuEvents(*answer);
  }
  EXPECT_GT(before, 200);
}

TEST(Damage, GzipWithoutItsChecksumIsTruncatedThoughNothingIsLost) {
  const std::string whole = Gzip(Document(Kernels(20)));
  for (size_t missing = 1; missing <= 8; ++missing) {
    const auto answer = AskAbout(whole.substr(0, whole.size() - missing), "t.json.gz");
    ASSERT_TRUE(answer) << missing;
    EXPECT_EQ(GpuEvents(*answer), 20);
    EXPECT_EQ(NoteCount(*answer, "truncated"), 1) << missing;
    EXPECT_NE(answer->run.files[0].problem, "");
  }
}

TEST(Damage, GzipCutBeforeItsFirstByteOfTextIsAnError) {
  const std::string whole = Gzip(Document(Kernels(3)));
  for (size_t cut = 0; cut < 12; ++cut) {
    const auto answer = AskAbout(whole.substr(0, cut), "t.json.gz");
    ASSERT_FALSE(answer) << cut;
    EXPECT_NE(answer.error().hint, "");
    EXPECT_TRUE(answer.error().where.ends_with("t.json.gz"));
  }
}

TEST(Damage, PlainJsonCutAtAnyByteKeepsItsWholeEvents) {
  const std::string whole = DocumentOfRank(
      0, {Kernel("gemm", 0, 5), Operator("aten::mm", 2, 3), Kernel(R"(a \"b\" {c},{d})", 10, 5),
          Kernel("ncclDevKernel_AllReduce", 12, 5, 20)});
  int64_t before = 0;
  for (size_t cut = 0; cut < whole.size(); ++cut) {
    const auto answer = AskAbout(whole.substr(0, cut));
    if (!answer) {
      EXPECT_EQ(before, 0) << "events were lost again at " << cut;
      continue;
    }
    EXPECT_EQ(NoteCount(*answer, "truncated"), 1) << cut;
    for (const char* other : {"malformed", "unreadable_event", "invalid_text", "corrupt"}) {
      EXPECT_EQ(NoteCount(*answer, other), 0) << other << " at " << cut;
    }
    EXPECT_GE(GpuEvents(*answer), before) << cut;
    before = GpuEvents(*answer);
  }
  EXPECT_EQ(before, 3);
  EXPECT_EQ(NoteCount(*AskAbout(whole), "truncated"), 0);
}

TEST(Damage, WrongChecksumIsNotedAndTheEventsAreUsed) {
  std::string bytes = Gzip(Document(Kernels(20)));
  bytes[bytes.size() - 6] ^= 1;  // of the CRC
  const auto answer = AskAbout(bytes, "t.json.gz");
  ASSERT_TRUE(answer);
  EXPECT_EQ(GpuEvents(*answer), 20);
  EXPECT_EQ(NoteCount(*answer, "corrupt"), 1);
}

TEST(Damage, AnyFlippedByteIsNamedOrChangesNothing) {
  const std::string document = Document(Kernels(40));
  const std::string whole = Gzip(document);
  const std::string numbers = Numbers(*AskAbout(document));
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] ^= static_cast<char>(at % 2 == 0 ? 0xff : 0x10);
    const auto answer = AskAbout(bytes, "t.json.gz");
    if (!answer) continue;
    EXPECT_TRUE(NamesDamage(*answer) || Numbers(*answer) == numbers) << "byte " << at;
  }
}

TEST(Damage, GzipOfSeveralMembersIsOneDocument) {
  const std::string document = Document(Kernels(20));
  const size_t half = document.size() / 2;
  const std::string members =
      Gzip(document.substr(0, half)) + Gzip("") + Gzip(document.substr(half));
  const auto answer = AskAbout(members, "t.json.gz");
  ASSERT_TRUE(answer);
  EXPECT_EQ(Numbers(*answer), Numbers(*AskAbout(document)));
  EXPECT_EQ(answer->run.notes.size(), AskAbout(document)->run.notes.size());
}

TEST(Damage, BytesBehindTheEndAreNoted) {
  const std::string document = Document(Kernels(20));
  const std::string zeros(512, '\0');
  const std::string twice = fmt::format("{0}\n{0}", document);
  for (const std::string& bytes :
       {Gzip(document) + "garbage", Gzip(document) + zeros, document + "}", document + zeros, twice,
        Gzip(document + " x")}) {
    const auto answer = AskAbout(bytes);
    ASSERT_TRUE(answer);
    EXPECT_EQ(NoteCount(*answer, "trailing_bytes"), 1);
    EXPECT_EQ(GpuEvents(*answer), 20);
  }
}

struct NoTrace {
  std::string content;
  std::string what;  // part of the message
};

TEST(Damage, WhatIsNoTraceSaysWhy) {
  for (const NoTrace& c : std::vector<NoTrace>{
           {"", "empty"},
           {" \n\t \r\n ", "empty"},
           {Gzip(""), "empty"},
           {"\xef\xbb\xbf", "empty"},
           {std::string("\0\1\2\x7f"
                        "ELF\xff\xfe",
                        9),
            "not JSON"},
           {std::string(3000, '\0'), "not JSON"},
           {"Hello, world", "not JSON"},
           {"{}", "no \"traceEvents\""},
           {R"({"a":1,"b":[{"ph":"X"}]})", "no \"traceEvents\""},
           {R"({"traceEvents":null})", "no \"traceEvents\""},
           {R"({"traceEvents":{"ph":"X"}})", "no \"traceEvents\""},
           {R"({"a": "traceEvents)", "ends before any \"traceEvents\""},
           {R"({"a" 1})", "ends before any \"traceEvents\""},
           {"{{{{{{", "ends before any \"traceEvents\""},
       }) {
    const auto answer = AskAbout(c.content);
    ASSERT_FALSE(answer) << c.content;
    EXPECT_TRUE(answer.error().what.contains(c.what)) << answer.error().what;
  }
}

TEST(Damage, WithoutAcceleratorWorkEveryReportSaysWhy) {
  for (const std::string& content :
       {std::string(R"({"traceEvents": []})"), std::string("[]"), std::string("[1, null, \"x\"]"),
        Document({Operator("aten::mm", 0, 5)})}) {
    const auto answer = AskAbout(content);
    ASSERT_TRUE(answer) << content;
    EXPECT_EQ(NoteCount(*answer, "no_gpu_events"), 1);
    for (const Report& report : answer->reports) {
      EXPECT_NE(report.why, "");
      // The host's operators remain where there are some.
      constexpr std::array<std::string_view, 4> kOfTheHost = {"overview", "breakdown",
                                                              "input_pipeline", "operators"};
      const bool of_host = std::ranges::find(kOfTheHost, report.analysis) != kOfTheHost.end();
      if (of_host && content.contains("aten::mm")) {
        EXPECT_EQ(report.status, Status::kPartial);
        continue;
      }
      EXPECT_EQ(report.status, Status::kUnavailable) << report.analysis;
      for (const Table& table : report.tables) EXPECT_TRUE(table.rows.empty());
    }
  }
}

TEST(Damage, AnUnescapedQuoteCostsOneEvent) {
  for (const char* name : {"a\"b", "a\"b\"c", "\"", "a\"b\"c\"d", "\"\"", "{\"", "\"}", "\"]"}) {
    auto events = Kernels(30);
    events[10] = Kernel(name, 100, 5);
    const auto answer = AskAbout(Document(events));
    ASSERT_TRUE(answer) << name;
    EXPECT_GE(GpuEvents(*answer), 28) << name;
    EXPECT_GE(NoteCount(*answer, "malformed"), 1) << name;
  }
}

TEST(Damage, WhatIsNoEventAmongEventsIsCountedAndPassedOver) {
  const auto answer = AskAbout(Document(
      {Kernel("a", 0, 5), "null", "7", R"("x")", "[1,[2]]", "true", "{}", Kernel("b", 10, 5)}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(GpuEvents(*answer), 2);
  EXPECT_EQ(NoteCount(*answer, "unreadable_event"), 6);
}

// What a crash of the machine leaves of a file: pages that were never written.
TEST(Damage, ZerosInTheMiddleCostOnlyWhatTheyCover) {
  const std::string whole = Document(Kernels(3000));
  for (const size_t at : {size_t{20}, size_t{4096}, size_t{131'072}, size_t{200'000}}) {
    for (const size_t length : {size_t{1}, size_t{100}, size_t{4096}}) {
      std::string bytes = whole;
      bytes.replace(at, length, length, '\0');
      const auto answer = AskAbout(bytes);
      if (!answer) continue;  // the key of the events is gone
      EXPECT_GE(GpuEvents(*answer), 2997 - static_cast<int64_t>(length / 80)) << at;
      EXPECT_GE(NoteCount(*answer, "invalid_text") + NoteCount(*answer, "malformed"), 1) << at;
    }
  }
}

// A memory timeline is a list of [time, action, bytes, use].
TEST(Damage, TruncatedMemoryTimelineKeepsWhatWasWhole) {
  std::string entries = "[-1, 1, 7, 0]";
  for (int i = 0; i < 500; ++i) entries += fmt::format(", [{}, 2, {}, 4]", 1000 + i, i);
  const std::string whole = Gzip("[" + entries + "]");
  int64_t before = -1;  // no table: the text may end before the first entry
  for (size_t cut = 41; cut < whole.size(); cut += 41) {
    const auto answer = AskAbout(whole.substr(0, cut), "m.raw.json.gz");
    if (!answer) continue;
    EXPECT_EQ(NoteCount(*answer, "truncated"), 1) << cut;
    EXPECT_GE(FirstRow(*answer, "timelines", "moments"), before) << cut;
    before = FirstRow(*answer, "timelines", "moments");
  }
  EXPECT_GT(before, 300);
  EXPECT_EQ(FirstRow(*AskAbout(whole, "m.raw.json.gz"), "timelines", "peak"), 7 + 499 * 500 / 2);
}

TEST(Damage, MemoryTimelinesOfHostileNumbersDoNotOverflow) {
  const std::string huge = "9223372036854775807";
  const auto answer = AskAbout(
      fmt::format("[[-1,1,{0},0],[-5,1,{0},1],[1,2,{0},0],[2,2,{0},1],[3,4,-{0},2],[3,4,-{0},2],"
                  "[4,4,-{0},0],[2305843009213693952,2,{0},0]]",
                  huge));
  ASSERT_TRUE(answer);
  EXPECT_EQ(FirstRow(*answer, "timelines", "moments"), 5);
  EXPECT_EQ(FirstRow(*answer, "timelines", "peak"), INT64_MAX);
}

TEST(Damage, AMemoryTimelineOfWhatWasThereBeforeIsAnAnswer) {
  const auto answer = AskAbout("[[-1,1,64,0],[-1,1,36,7]]");
  ASSERT_TRUE(answer);
  EXPECT_EQ(FirstRow(*answer, "timelines", "before"), 100);
  EXPECT_EQ(FirstRow(*answer, "timelines", "peak"), 100);
}

TEST(Damage, OneDamagedFileNeverKeepsTheOthersFromBeingAnalyzed) {
  std::string corrupt = Gzip(Document(Kernels(40)));
  corrupt[corrupt.size() / 2] ^= 0x55;
  const std::string truncated = Document(Kernels(40)).substr(0, 1000);
  for (const std::string& damaged : {std::string(), std::string("no trace"), corrupt, truncated,
                                     std::string(R"({"a":1})"), Gzip("[").substr(0, 15)}) {
    const ScratchFolder folder;
    folder.Write("rank_0.json", DocumentOfRank(0, Kernels(10)));
    folder.Write("rank_1.json.gz", damaged);
    folder.Write("rank_2.json", DocumentOfRank(2, Kernels(10)));
    const auto answer = Ask({folder.path()});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->run.files.size(), 3u);
    EXPECT_GE(answer->run.ranks, 2);
    EXPECT_GE(GpuEvents(*answer), 20);
    EXPECT_TRUE(NamesDamage(*answer)) << damaged;
  }
}

// What is named as compressed and is not: nobody keeps notes under such a name.
TEST(Damage, AFileWithoutTheFirstBytesOfGzipCannotBeRead) {
  const ScratchFolder folder;
  folder.Write("rank_0.json", DocumentOfRank(0, Kernels(10)));
  std::string headless = Gzip(DocumentOfRank(1, Kernels(10)));
  headless.replace(0, 4, "\x07\x11\x13\x17");
  folder.Write("rank_1.json.gz", headless);
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("Input is incomplete: 1 file cannot be read"))
      << answer->verdict;
}

}  // namespace
}  // namespace stepscope::testing::damage_test
