// Tests which files are found under given paths, and their order.
#include "ingest/discover.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "tests/scratch.h"

namespace stepscope::discover_test {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

// What FindTraces gives for paths in `folder`, relative to it again.
Names Found(const testing::ScratchFolder& folder, const Names& given) {
  Names paths;
  for (const std::string& name : given) paths.push_back(folder.path() + "/" + name);
  const auto found = FindTraces(paths);
  if (!found) return {"error: " + found.error().what};
  Names names;
  for (const std::string& path : found->files)
    names.push_back(fs::path(path).lexically_normal().lexically_relative(folder.path()));
  return names;
}

TEST(FindTraces, AFolderStandsForTheTracesInItByNumber) {
  const testing::ScratchFolder folder;
  for (const char* name : {"rank-10.json", "rank-2.json.gz", "rank-1.json", "notes.txt",
                           ".hidden.json", "b.gz", "a.JSON", "sub/rank-3.json"}) {
    folder.Write(name, "");
  }
  EXPECT_EQ(Found(folder, {"."}), (Names{"b.gz", "rank-1.json", "rank-2.json.gz", "rank-10.json"}));
}

// Which of them was meant is not known: what is left out is said.
TEST(FindTraces, FoldersOfRanksWinOverOthersWithANote) {
  const testing::ScratchFolder folder;
  const std::string trace = R"({"traceEvents": []})";
  for (const char* name : {"rank_0/a.json", "rank_1/a.json", "before/a.json"})
    folder.Write(name, trace);
  folder.Write("config/model.json", R"({"layers": 2})");
  const auto found = FindTraces(Names{folder.path()});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->files.size(), 2u);
  ASSERT_EQ(found->notes.size(), 1u);
  EXPECT_EQ(found->notes[0].name, "other_folders");
  EXPECT_EQ(found->notes[0].count, 1);
  EXPECT_TRUE(found->notes[0].where.ends_with("/before")) << found->notes[0].where;
}

TEST(FindTraces, NumbersCompareByValueAndTextByBytes) {
  const testing::ScratchFolder folder;
  for (const char* name : {"a10b2.json", "a9b10.json", "a9b9.json", "a010b1.json", "a.json",
                           "a9.json", "a12345678901234567890.json", "a12345678901234567891.json"}) {
    folder.Write(name, "");
  }
  EXPECT_EQ(Found(folder, {"."}),
            (Names{"a.json", "a9.json", "a9b9.json", "a9b10.json", "a010b1.json", "a10b2.json",
                   "a12345678901234567890.json", "a12345678901234567891.json"}));
}

TEST(FindTraces, FilesStandForThemselvesWhateverTheirName) {
  const testing::ScratchFolder folder;
  folder.Write("trace", "");
  folder.Write("x.bin", "");
  EXPECT_EQ(Found(folder, {"x.bin", "trace"}), (Names{"x.bin", "trace"}));
}

TEST(FindTraces, AFileReachedTwiceIsListedOnce) {
  const testing::ScratchFolder folder;
  folder.Write("a.json", "");
  folder.Write("b.json", "");
  fs::create_symlink("a.json", folder.path() + "/c.json");
  EXPECT_EQ(Found(folder,
                  {"b.json", ".", "./a.json", "../" + fs::path(folder.path()).filename().string()}),
            (Names{"b.json", "a.json"}));
}

TEST(FindTraces, SubfoldersCountOnlyIfNamedByRanksAndNothingElseIsThere) {
  const testing::ScratchFolder folder;
  folder.Write("rank_10/a.json", "");
  folder.Write("rank_2/b.json", "");
  folder.Write("rank_2/c.json", "");
  folder.Write("logs/d.json", "");
  EXPECT_EQ(Found(folder, {"."}), (Names{"rank_2/b.json", "rank_2/c.json", "rank_10/a.json"}));
  folder.Write("top.json", "");
  EXPECT_EQ(Found(folder, {"."}), (Names{"top.json"}));
}

TEST(FindTraces, WhereNothingIsItSaysSo) {
  const testing::ScratchFolder folder;
  fs::create_directory(folder.path() + "/empty");
  EXPECT_EQ(Found(folder, {"empty"}),
            (Names{"error: there are no traces (*.json, *.json.gz, "
                   "*.xplane.pb, *.sqlite, *results.db, *.pftrace) in this "
                   "directory"}));
  EXPECT_EQ(Found(folder, {"missing"}), (Names{"error: there is no such file or directory"}));
  EXPECT_EQ(Found(folder, {"empty/x/y"}), (Names{"error: there is no such file or directory"}));
  EXPECT_EQ(Found(folder, {}), Names{});
}

TEST(FindTraces, TheNewestProfileOfTensorBoardsFolderIsTaken) {
  const testing::ScratchFolder folder;
  for (const char* name : {"train/plugins/profile/2024_12_31_23_59_59/a.xplane.pb",
                           "train/plugins/profile/2025_01_02_03_04_05/host-10.xplane.pb",
                           "train/plugins/profile/2025_01_02_03_04_05/host-2.xplane.pb",
                           "train/plugins/profile/2025_01_02_03_04_05/host-2.trace.json.gz",
                           "train/plugins/profile/2025_01_02_03_04_05/host-2.op_stats.pb",
                           "train/plugins/profile/2025_01_02_03_04_05/jit_f.hlo_proto.pb",
                           "train/plugins/profile/2026_01_01_00_00_00/cache.pb",  // no profile
                           "train/plugins/profile/2025_01_01_00_00_00/a.xplane.pb",
                           "train/config/model.json",  // no trace
                           "train/events.out.tfevents.1"}) {
    folder.Write(name, "");
  }
  const std::string run = "train/plugins/profile/2025_01_02_03_04_05/";
  const Names newest = {run + "host-2.xplane.pb", run + "host-10.xplane.pb"};
  EXPECT_EQ(Found(folder, {"."}), newest);
  EXPECT_EQ(Found(folder, {"train"}), newest);
  EXPECT_EQ(Found(folder, {"train/plugins"}), newest);
  EXPECT_EQ(Found(folder, {"train/plugins/profile"}), newest);
  EXPECT_EQ(Found(folder, {"train/plugins/profile/"}), newest);
  EXPECT_EQ(Found(folder, {run}), newest);

  const auto all = FindTraces(std::vector<std::string>{folder.path()});
  ASSERT_TRUE(all);
  ASSERT_EQ(all->notes.size(), 1u);
  EXPECT_EQ(all->notes[0].name, "other_profiles");
  EXPECT_EQ(all->notes[0].count, 2);
  EXPECT_TRUE(all->notes[0].message.ends_with("plugins/profile/2025_01_01_00_00_00"))
      << all->notes[0].message;
  const auto one = FindTraces(std::vector<std::string>{folder.path() + "/" + run});
  ASSERT_TRUE(one);
  EXPECT_TRUE(one->notes.empty());
}

TEST(FindTraces, OfProfilesOfOneNameTheOneWrittenLastIsTaken) {
  const testing::ScratchFolder folder;
  const fs::path older = folder.Write("rank_1/plugins/profile/run/h.xplane.pb", "");
  folder.Write("rank_0/plugins/profile/run/h.xplane.pb", "");
  fs::last_write_time(older, fs::last_write_time(older) - std::chrono::hours(1));
  EXPECT_EQ(Found(folder, {"."}), (Names{"rank_0/plugins/profile/run/h.xplane.pb"}));
}

// Two processes of JAX on one host write into a folder each.
TEST(FindTraces, ProfilesSideBySideOfOneTimeAreOfOneJob) {
  const testing::ScratchFolder folder;
  for (const char* name : {"p0/plugins/profile/2026_11_24_21_39_53/vm.xplane.pb",
                           "p0/plugins/profile/2026_11_24_21_39_50/vm.xplane.pb",
                           "p1/plugins/profile/2026_11_24_21_39_52/vm.xplane.pb",
                           "p10/plugins/profile/2026_11_24_21_39_53/vm.xplane.pb",
                           "p2/plugins/profile/2026_11_24_21_39_53/vm.xplane.pb",
                           "p2/plugins/profile/2026_11_24_21_38_59/vm.xplane.pb"}) {
    folder.Write(name, "");
  }
  EXPECT_EQ(Found(folder, {"."}), (Names{"p0/plugins/profile/2026_11_24_21_39_53/vm.xplane.pb",
                                         "p1/plugins/profile/2026_11_24_21_39_52/vm.xplane.pb",
                                         "p2/plugins/profile/2026_11_24_21_39_53/vm.xplane.pb",
                                         "p10/plugins/profile/2026_11_24_21_39_53/vm.xplane.pb"}));
  const auto all = FindTraces(std::vector<std::string>{folder.path()});
  ASSERT_TRUE(all);
  ASSERT_EQ(all->notes.size(), 1u);
  EXPECT_EQ(all->notes[0].count, 2);
}

// What is said of a folder that holds several runs, its path left out.
std::string Listed(const testing::ScratchFolder& folder, const std::string& below = "") {
  const auto found = FindTraces(std::vector<std::string>{folder.path() + below});
  if (found) return "found";
  std::string text = found.error().what + ": " + found.error().hint;
  for (size_t at; (at = text.find(folder.path() + "/")) != text.npos;)
    text.erase(at, folder.path().size() + 1);
  return text;
}

constexpr const char* kTrace = R"({"schemaVersion": 1, "traceEvents": []})";

TEST(FindTraces, RunsOfAnyProfilerBesideEachOtherAreListed) {
  const testing::ScratchFolder folder;
  folder.Write("jax/0/plugins/profile/2026_11_24_21_39_53/vm.xplane.pb", "");
  folder.Write("jax/1/plugins/profile/2026_11_24_21_39_54/vm.xplane.pb", "");
  EXPECT_EQ(Listed(folder), "found");
  folder.Write("config/model.json", R"({"layers": 2})");
  EXPECT_EQ(Listed(folder), "found");
  folder.Write("torch/rank0.json", kTrace);
  EXPECT_EQ(Listed(folder),
            "there are several runs in this directory: give one of the 2 runs: jax, torch");
  folder.Write("ranks/rank_0/a.json", kTrace);
  folder.Write("jax2/plugins/profile/2026_11_24_22_00_00/vm.xplane.pb", "");
  EXPECT_EQ(Listed(folder),
            "there are several runs in this directory: give one of the 4 runs: "
            "jax, jax2, ranks, torch");
  EXPECT_EQ(Listed(folder, "/jax"), "found");
}

TEST(FindTraces, ProfilesOfSeveralJobsAreListed) {
  const testing::ScratchFolder folder;
  for (const char* job : {"a", "b"}) {
    for (const char* process : {"0", "1"}) {
      folder.Write(std::string(job) + "/" + process + "/plugins/profile/2026_11_24_21_39_5" +
                       (*job == 'a' ? "0" : "1") + "/vm.xplane.pb",
                   "");
    }
  }
  EXPECT_EQ(Listed(folder),
            "there are several runs in this directory: give one of the 2 runs: a, b");
  folder.Write("a/plugins/profile/2026_11_25_00_00_00/vm.xplane.pb", "");
  EXPECT_EQ(Listed(folder, "/a"),
            "there are several runs in this directory: give one of the 2 "
            "runs: a/0 a/1, a/plugins/profile/2026_11_25_00_00_00");
}

// Processes that were profiled one after another.
TEST(FindTraces, FoldersThatAreNamedByRanksAreOfOneJob) {
  const testing::ScratchFolder folder;
  folder.Write("rank_0/plugins/profile/2026_11_24_21_39_53/vm.xplane.pb", "");
  folder.Write("rank_1/plugins/profile/2026_11_24_21_45_00/vm.xplane.pb", "");
  EXPECT_EQ(Found(folder, {"."}), Names{"rank_1/plugins/profile/2026_11_24_21_45_00/vm.xplane.pb"});
}

TEST(FindTraces, ProfilesAreFoundOverLinksThatGoInCircles) {
  const testing::ScratchFolder folder;
  folder.Write("real/plugins/profile/run/h.xplane.pb", "");
  fs::create_directories(folder.path() + "/logs/deep");
  fs::create_directory_symlink("../../logs", folder.path() + "/logs/deep/up");
  fs::create_directory_symlink("../../real", folder.path() + "/logs/deep/real");
  EXPECT_EQ(Found(folder, {"logs"}), (Names{"logs/deep/real/plugins/profile/run/h.xplane.pb"}));
}

TEST(FindTraces, TracesOfBothFormsMakeOneRun) {
  const testing::ScratchFolder folder;
  for (const char* name : {"rank-1.xplane.pb", "rank-0.json.gz", "perfetto_trace.json.gz",
                           "rank-1.trace.json.gz", "rank-2.trace.json.gz"}) {
    folder.Write(name, "");
  }
  EXPECT_EQ(Found(folder, {"."}),
            (Names{"rank-0.json.gz", "rank-1.xplane.pb", "rank-2.trace.json.gz"}));
}

TEST(FindTraces, ALoopOfLinksIsAnErrorNotAHang) {
  const testing::ScratchFolder folder;
  fs::create_symlink("loop", folder.path() + "/loop");
  const auto found = FindTraces(std::vector<std::string>{folder.path() + "/loop"});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().where, folder.path() + "/loop");
}

}  // namespace
}  // namespace stepscope::discover_test
