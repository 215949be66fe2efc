// Tests folders of captured runs: private, limited, and whole.
#include "capture/common/run_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/scratch.h"

namespace stepscope::capture::run_folder_test {
namespace {

namespace fs = std::filesystem;
using testing::Content;
using testing::ScratchFolder;

constexpr int64_t kNow = 1'700'000'000'000'000'000;

mode_t ModeOf(const std::string& path) {
  struct stat facts{};
  stat(path.c_str(), &facts);
  return facts.st_mode & 0777;
}

CaptureResult ResultWith(const std::string& file) {
  return {.outcomes = {{.target = {.door = "torch", .address = "pid 7", .pid = 7, .rank = 1},
                        .file = file,
                        .reason = file.empty() ? "it ended" : ""}}};
}

TEST(RunFolder, IsPrivate) {
  const ScratchFolder scratch;
  const std::string path = scratch.path() + "/new/run";
  auto folder = RunFolder::Make({.folder = path}, "torch", kNow);
  ASSERT_TRUE(folder.has_value());
  ASSERT_TRUE(folder->Write("stacks/rank-0.txt", "text").has_value());
  EXPECT_EQ(ModeOf(path), 0700u);
  EXPECT_EQ(ModeOf(path + "/stacks"), 0700u);
  EXPECT_EQ(ModeOf(path + "/stacks/rank-0.txt"), 0600u);
}

TEST(RunFolder, RefusesAFolderWithFiles) {
  const ScratchFolder scratch;
  scratch.Write("notes.txt", "mine");
  const auto folder = RunFolder::Make({.folder = scratch.path()}, "torch", kNow);
  ASSERT_FALSE(folder.has_value());
  EXPECT_EQ(folder.error().what, "there are files in the directory of the run");
}

TEST(RunFolder, TakesATraceAndAddsItsRank) {
  const ScratchFolder scratch;
  const std::string from = scratch.Write("from.json", "{\n  \"traceEvents\": []\n}");
  auto folder = RunFolder::Make({.folder = scratch.path() + "/run"}, "torch", kNow);
  const CaptureTarget target{.host = "node7", .rank = 3, .world_size = 4};
  const auto size = folder->TakeTrace(from, "rank-3.json", target);
  ASSERT_TRUE(size.has_value());
  EXPECT_EQ(Content(scratch.path() + "/run/rank-3.json"),
            "{\"distributedInfo\": {\"rank\": 3, \"world_size\": 4}, \"host_name\": \"node7\", \n  "
            "\"traceEvents\": []\n}");
  EXPECT_FALSE(fs::exists(from));
}

TEST(RunFolder, LeavesWhatATraceSaysOfItself) {
  const CaptureTarget target{.host = "node7", .rank = 3};
  EXPECT_EQ(AddedMembers("{\"distributedInfo\": {\"rank\": 5}, \"traceEvents\": [",
                         "], \"host_name\": \"other\"}", target),
            "");
  EXPECT_EQ(AddedMembers("{}", "{}", target),
            "\"distributedInfo\": {\"rank\": 3}, \"host_name\": \"node7\"");
  EXPECT_EQ(AddedMembers("[1, 2]", "", target), "");
  EXPECT_EQ(AddedMembers("", "", target), "");
}

TEST(RunFolder, RefusesMoreThanItsLimit) {
  const ScratchFolder scratch;
  auto folder =
      RunFolder::Make({.folder = scratch.path() + "/run", .keep_bytes = 10}, "torch", kNow);
  EXPECT_TRUE(folder->Write("a", "12345678").has_value());
  EXPECT_FALSE(folder->Write("b", "123").has_value());
  const std::string from = scratch.Write("from.json", "{\"traceEvents\": []}");
  EXPECT_FALSE(folder->TakeTrace(from, "t.json", {}).has_value());
  EXPECT_TRUE(fs::exists(from));
}

TEST(RunFolder, TakesNoLinks) {
  const ScratchFolder scratch;
  scratch.Write("secret", "{}");
  fs::create_symlink(scratch.path() + "/secret", scratch.path() + "/link.json");
  auto folder = RunFolder::Make({.folder = scratch.path() + "/run"}, "torch", kNow);
  EXPECT_FALSE(folder->TakeTrace(scratch.path() + "/link.json", "t.json", {}).has_value());
}

TEST(RunFolder, RemovesTheOldestOfItsOwn) {
  const ScratchFolder scratch;
  fs::create_directory(scratch.path() + "/2001-of-somebody-else");
  const CaptureOptions options{.kept = scratch.path(), .keep_runs = 2};
  for (int64_t second = 0; second < 4; ++second) {
    auto folder = RunFolder::Make(options, "torch", kNow + second * 1'000'000'000);
    ASSERT_TRUE(folder.has_value());
    folder->Write("rank-1.json", "{}");
    CaptureResult result = ResultWith("rank-1.json");
    ASSERT_TRUE(folder->Finish(result).has_value());
  }
  std::set<std::string> left;
  for (const auto& entry : fs::directory_iterator(scratch.path()))
    left.insert(entry.path().filename());
  EXPECT_EQ(left, (std::set<std::string>{"2001-of-somebody-else", "2023-11-14T22-13-22Z-torch",
                                         "2023-11-14T22-13-23Z-torch"}));
}

TEST(RunFolder, IsGoneAgainWithoutATrace) {
  const ScratchFolder scratch;
  auto folder = RunFolder::Make({.kept = scratch.path() + "/kept"}, "torch", kNow);
  CaptureResult result = ResultWith("");
  ASSERT_TRUE(folder->Finish(result).has_value());
  EXPECT_EQ(result.folder, "");
  EXPECT_TRUE(fs::is_empty(scratch.path() + "/kept"));
}

TEST(RunFolder, SaysWhoIsMissing) {
  CaptureResult result = ResultWith("rank-1.json");
  result.outcomes.push_back(ResultWith("").outcomes.front());
  const std::string text = CaptureText(result);
  EXPECT_TRUE(text.contains("\"file\": \"rank-1.json\"")) << text;
  EXPECT_TRUE(text.contains("\"reason\": \"it ended\"")) << text;
}

TEST(RunFolder, NamesFilesItself) {
  EXPECT_EQ(FileNameOf({.host = "a/../b", .pid = 7, .rank = 0}, ".json"), "rank-0.a-..-b.7.json");
  EXPECT_EQ(FileNameOf({.address = "h:80/x"}, ".json"), "h-80-x.json");
}

}  // namespace
}  // namespace stepscope::capture::run_folder_test
