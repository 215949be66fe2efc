// Tests what users point at: directories with files of all sorts, files given twice, ranks that are
// told in three different ways or not at all.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/gzip.h"

namespace stepscope::testing::damage_folder_test {
namespace {

namespace fs = std::filesystem;

// "rank/window file-name" of every file that was used, "- file-name" of the others.
std::vector<std::string> Files(const ReportSet& answer) {
  std::vector<std::string> lines;
  for (const InputFile& file : answer.run.files) {
    const std::string name = fs::path(file.path).filename();
    lines.push_back(file.rank < 0 ? "- " + name
                                  : fmt::format("{}/{} {}", file.rank, file.window, name));
  }
  return lines;
}

using Lines = std::vector<std::string>;

// That a folder of a.json with three kernels and a copy of it is answered as a.json alone.
void ExpectUsedOnce(const ScratchFolder& folder, const std::string& copy) {
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(Files(*answer), (Lines{"0/0 a.json", "- " + copy}));
  EXPECT_EQ(NoteCount(*answer, "duplicate_file"), 1);
  EXPECT_EQ(FirstRow(*answer, "kernels", "count"), 3);
}

TEST(DamageFolder, OtherFilesAreLeftAloneAndOtherJsonIsNoted) {
  const ScratchFolder folder;
  folder.Write("rank_0.json", DocumentOfRank(0, Kernels(3)));
  folder.Write("rank_1.json.gz", Gzip(DocumentOfRank(1, Kernels(3))));
  folder.Write("README.md", "not a trace");
  folder.Write("notes.txt", "neither");
  folder.Write(".rank_2.json", "hidden");
  folder.Write("archive.tar.gz", Gzip("a tape"));
  folder.Write("config.json", R"({"batch": 32})");
  folder.Write("old.json/inner.json", "a folder named as a file");
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(Files(*answer),
            (Lines{"0/0 rank_0.json", "1/0 rank_1.json.gz", "- archive.tar.gz", "- config.json"}));
  EXPECT_EQ(NoteCount(*answer, "not_a_trace"), 2);
  for (const Note& note : answer->run.notes) EXPECT_NE(note.where, "");
}

TEST(DamageFolder, AFolderWithoutTracesSaysWhatToGiveInstead) {
  const ScratchFolder folder;
  folder.Write("readme.txt", "hello");
  auto answer = Ask({folder.path()});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().where, folder.path());
  EXPECT_NE(answer.error().hint, "");

  folder.Write("experiment/rank_0.json", Document(Kernels(1)));
  answer = Ask({folder.path()});
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().hint.contains("experiment")) << answer.error().hint;
}

TEST(DamageFolder, SubfoldersNamedByRanksAreOneRun) {
  const ScratchFolder folder;
  for (const int rank : {0, 1, 2, 10}) {
    folder.Write(fmt::format("rank_{}/trace.json", rank), Document(Kernels(2)));
  }
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(Files(*answer),
            (Lines{"0/0 trace.json", "1/0 trace.json", "2/0 trace.json", "10/0 trace.json"}));
  EXPECT_EQ(NoteCount(*answer, "rank_from_name"), 4);
}

// What can be read is read, and the others are named; where nothing can, the first few say why.
TEST(DamageFolder, WhereNoFileCanBeReadTheFirstFewSayWhy) {
  const ScratchFolder folder;
  for (const auto& [name, text] :
       {std::pair("a.json", ""), {"b.json", "{}"}, {"c.json", "hello"}}) {
    folder.Write(name, text);
  }
  auto answer = Ask({folder.path()});
  ASSERT_FALSE(answer);
  const std::string in = folder.path() + "/";
  EXPECT_EQ(answer.error().what,
            "none of the 3 files can be read: " + in + "a.json: the file is empty; " + in +
                "b.json: the JSON has no \"traceEvents\"; " + in + "c.json: the file is not JSON");
  EXPECT_TRUE(answer.error().hint.contains("profiler"));
  folder.Write("d.json", "no");
  EXPECT_TRUE(Ask({folder.path()}).error().what.ends_with("not JSON; and 1 more"));
  folder.Write("e.json", Document(Kernels(2)));
  answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(NoteCount(*answer, "not_a_trace"), 4);
}

TEST(DamageFolder, AMissingPathFailsAsAWhole) {
  const ScratchFolder folder;
  const std::string file = folder.Write("rank_0.json", Document(Kernels(1)));
  for (const std::string& missing :
       {folder.path() + "/rank_1.json", std::string("no/such/folder"), std::string("")}) {
    const auto answer = Ask({file, missing});
    ASSERT_FALSE(answer) << missing;
    EXPECT_EQ(answer.error().where, missing);
    EXPECT_NE(answer.error().hint, "");
  }
  EXPECT_FALSE(Ask({}));
}

TEST(DamageFolder, AFileThatMayNotBeReadIsLeftOut) {
  if (geteuid() == 0) GTEST_SKIP() << "the superuser may read everything";
  const ScratchFolder folder;
  folder.Write("rank_0.json", Document(Kernels(1)));
  const std::string closed = folder.Write("rank_1.json", Document(Kernels(1)));
  fs::permissions(closed, fs::perms::none);
  auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(NoteCount(*answer, "unreadable"), 1);
  EXPECT_TRUE(answer->run.files[1].problem.contains("ermission"));
  answer = Ask({closed});
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().hint.contains("permissions"));
}

TEST(DamageFolder, ADanglingLinkInAFolderIsNoTrace) {
  const ScratchFolder folder;
  folder.Write("rank_0.json", Document(Kernels(1)));
  fs::create_symlink("nowhere", folder.path() + "/rank_1.json");
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->run.ranks, 1);
}

TEST(DamageFolder, TheSamePathTwiceIsReadOnce) {
  const ScratchFolder folder;
  const std::string file = folder.Write("rank_0.json", Document(Kernels(3)));
  fs::create_symlink(file, folder.path() + "/link.json");
  for (const std::vector<std::string>& paths :
       {std::vector{file, file}, {file, folder.path()}, {folder.path() + "/./rank_0.json", file}}) {
    const auto answer = Ask(paths);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->run.files.size(), 1u);
    EXPECT_EQ(GpuEvents(*answer), 3);
  }
}

TEST(DamageFolder, TheSameRecordingUnderTwoNamesIsUsedOnce) {
  const ScratchFolder folder;
  const std::string document = DocumentOfRank(0, Kernels(3));
  folder.Write("a.json", document);
  folder.Write("a_copy.json.gz", Gzip(document));
  ExpectUsedOnce(folder, "a_copy.json.gz");
}

// As `stepscope export --counters` writes it into the folder that it read.
TEST(DamageFolder, ACopyThatSaysMoreAboutItsEventsIsUsedOnce) {
  const ScratchFolder folder;
  auto events = Kernels(3);
  folder.Write("a.json", DocumentOfRank(0, events));
  events.push_back(R"({"ph":"C","name":"Queue Length","pid":0,"tid":7,"ts":1,"args":{"7":1}})");
  folder.Write("a_with_counters.json", DocumentOfRank(0, events));
  ExpectUsedOnce(folder, "a_with_counters.json");
}

TEST(DamageFolder, AnEmptyFileIsSaidInTheVerdict) {
  const ScratchFolder folder;
  folder.Write("rank_0.json", "");
  folder.Write("rank_1.json", DocumentOfRank(1, Kernels(3)));
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("1 file is empty")) << answer->verdict;
}

TEST(DamageFolder, AnEmptyProfileMayHaveBeenTooLarge) {
  const auto answer = AskAbout("", "host.xplane.pb");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "the file is empty");
  EXPECT_TRUE(answer.error().hint.contains("2 GB")) << answer.error().hint;
}

TEST(DamageFolder, TwoRecordingsOfOneRankStayTwoSpans) {
  const ScratchFolder folder;
  folder.Write("worker0.200.json", DocumentOfRank(0, {Kernel("late", 1000, 7)}));
  folder.Write("worker0.300.json", DocumentOfRank(0, {Kernel("early", 10, 5)}));
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->run.ranks, 1);
  EXPECT_EQ(Files(*answer), (Lines{"0/0 worker0.300.json", "0/1 worker0.200.json"}));
  const Table& ranks = ReportOf(*answer, "temporal_breakdown").tables.at(0);
  EXPECT_EQ(ranks.rows.size(), 2u) << "the 985 us between the two are nobody's idle time";
}

TEST(DamageFolder, RankFromTheTraceElseFromTheNameElseByOrder) {
  const ScratchFolder folder;
  folder.Write("a.json", Document(Kernels(1)));
  folder.Write("b.json", Document({Kernel("other", 0, 9)}));
  folder.Write("job_rank1.json", Document(Kernels(1)));
  folder.Write("c.json", DocumentOfRank(0, Kernels(1)));
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(Files(*answer),
            (Lines{"0/0 c.json", "1/0 job_rank1.json", "2/0 a.json", "3/0 b.json"}));
  EXPECT_EQ(NoteCount(*answer, "rank_from_name"), 1);
  EXPECT_EQ(NoteCount(*answer, "rank_from_order"), 2);
}

TEST(DamageFolder, TheTracesOwnRankWinsOverItsName) {
  const auto answer = AskAbout(DocumentOfRank(3, Kernels(1)), "rank_5.json");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->run.files[0].rank, 3);
  EXPECT_EQ(NoteCount(*answer, "rank_disagrees"), 1);
}

TEST(DamageFolder, OneFileWithoutARankIsRankZeroWithoutANote) {
  const auto answer = AskAbout(Document(Kernels(1)), "trace.json");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->run.files[0].rank, 0);
  EXPECT_TRUE(answer->run.notes.empty() || NoteCount(*answer, "rank_from_order") == 0);
}

TEST(DamageFolder, ARankThatIsNoRankIsAsGoodAsNone) {
  for (const char* rank :
       {"-1", "null", "\"two\"", "1.5", "[1]", "18446744073709551615", "\"-7\""}) {
    const auto answer =
        AskAbout(Document(Kernels(1), fmt::format(R"("distributedInfo":{{"rank":{}}},)", rank)));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->run.files[0].rank, 0) << rank;
  }
}

TEST(DamageFolder, ARankWithoutAcceleratorWorkStandsBesideTheOthers) {
  const ScratchFolder folder;
  folder.Write("rank_0.json", DocumentOfRank(0, Kernels(3)));
  folder.Write("rank_1.json", DocumentOfRank(1, {Operator("aten::mm", 0, 5)}));
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->run.ranks, 2);
  EXPECT_EQ(NoteCount(*answer, "no_gpu_events"), 1);
  const Report& first = ReportOf(*answer, "temporal_breakdown");
  EXPECT_EQ(first.status, Status::kPartial);
  EXPECT_TRUE(first.why.contains("rank 1")) << first.why;
}

TEST(DamageFolder, RanksWithoutATraceAreMissed) {
  const auto answer =
      AskAbout(Document(Kernels(1), R"("distributedInfo":{"rank":0,"world_size":8},)"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(NoteCount(*answer, "missing_ranks"), 7);
}

TEST(DamageFolder, NamesOfFilesMayHoldAnything) {
  const ScratchFolder folder;
  folder.Write("rank 0 \x1b[31m\n\xff'\"|.json", Document(Kernels(1)));
  folder.Write("rank 1 \xe2\x82\xac.json", "damaged");
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(ToText(*answer).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace stepscope::testing::damage_folder_test
