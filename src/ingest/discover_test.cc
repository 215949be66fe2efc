// From the paths a person gives to the files that are read, and in which order.
#include "ingest/discover.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/scratch.h"

namespace stepscope {
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
  for (const std::string& path : *found)
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
            (Names{"error: no traces (*.json, *.json.gz) in this folder"}));
  EXPECT_EQ(Found(folder, {"missing"}), (Names{"error: there is no such file or folder"}));
  EXPECT_EQ(Found(folder, {"empty/x/y"}), (Names{"error: there is no such file or folder"}));
  EXPECT_EQ(Found(folder, {}), Names{});
}

TEST(FindTraces, ALoopOfLinksIsAnErrorNotAHang) {
  const testing::ScratchFolder folder;
  fs::create_symlink("loop", folder.path() + "/loop");
  const auto found = FindTraces(std::vector<std::string>{folder.path() + "/loop"});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().where, folder.path() + "/loop");
}

}  // namespace
}  // namespace stepscope
