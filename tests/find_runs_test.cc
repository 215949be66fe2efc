// Tests which directories are runs.
#include "stepscope/find_runs.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/scratch.h"

namespace stepscope::testing::find_runs_test {
namespace {

using Names = std::vector<std::string>;

Names Found(const ScratchFolder& folder, const std::string& below = "") {
  Names names;
  for (const FoundRun& run : FindRuns(folder.path() + below)) {
    const auto name = std::filesystem::path(run.path).lexically_relative(folder.path());
    names.push_back(name.string());
  }
  return names;
}

TEST(FindRuns, AFolderOfTracesIsARunAndSoIsOneOfRanks) {
  const ScratchFolder folder;
  folder.Write("flat/rank0.json", "");
  folder.Write("ranks/rank_0/t.json", "");
  folder.Write("ranks/rank_1/t.json", "");
  folder.Write("notes/readme.txt", "");
  EXPECT_EQ(Found(folder, "/flat"), Names{"flat"});
  EXPECT_EQ(Found(folder, "/ranks"), Names{"ranks"});
  EXPECT_EQ(Found(folder, "/flat/rank0.json"), Names{"flat/rank0.json"});
  EXPECT_EQ(Found(folder), (Names{"flat", "ranks"}));
  EXPECT_EQ(Found(folder, "/notes"), Names{});
  EXPECT_EQ(Found(folder, "/nothing"), Names{});
}

TEST(FindRuns, EachProfileOfTensorBoardIsOne) {
  const ScratchFolder folder;
  folder.Write("logs/plugins/profile/2025_01_01/host.xplane.pb", "");
  folder.Write("logs/plugins/profile/2025_01_02/host.xplane.pb", "");
  const Names both = {"logs/plugins/profile/2025_01_01", "logs/plugins/profile/2025_01_02"};
  EXPECT_EQ(Found(folder, "/logs"), both);
  EXPECT_EQ(Found(folder), both);
  EXPECT_EQ(Found(folder, "/logs/plugins/profile"), both);
}

TEST(FindRuns, AVersionChangesWithTheFiles) {
  const ScratchFolder folder;
  folder.Write("rank0.json", "1");
  const auto version = [&] { return FindRuns(folder.path()).at(0).version; };
  const uint64_t first = version();
  EXPECT_EQ(version(), first);
  folder.Write("rank0.json", "22");
  const uint64_t longer = version();
  EXPECT_NE(longer, first);
  folder.Write("rank1.json", "");
  EXPECT_NE(version(), longer);
}

}  // namespace
}  // namespace stepscope::testing::find_runs_test
