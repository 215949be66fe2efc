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

TEST(FindRuns, ProfilesOfTheProcessesOfAJobAreOneBesideOthers) {
  const ScratchFolder folder;
  folder.Write("jax/0/plugins/profile/2026_11_24_21_39_53/vm.xplane.pb", "");
  folder.Write("jax/1/plugins/profile/2026_11_24_21_39_53/vm.xplane.pb", "");
  EXPECT_EQ(Found(folder, "/jax"), Names{"jax"});
  EXPECT_EQ(Found(folder), Names{"jax"});
  folder.Write("jax/1/plugins/profile/2026_11_24_21_30_00/vm.xplane.pb", "");
  folder.Write("tf/one/plugins/profile/2026_11_24_21_39_53/vm.xplane.pb", "");
  folder.Write("torch/rank0.json", "");
  const std::string older = "jax/1/plugins/profile/2026_11_24_21_30_00";
  EXPECT_EQ(Found(folder, "/jax"), (Names{"jax", older}));
  EXPECT_EQ(Found(folder),
            (Names{"jax", older, "tf/one/plugins/profile/2026_11_24_21_39_53", "torch"}));
}

TEST(FindRuns, ProcessesOfAJobBesideAnotherRunAreListedEach) {
  const ScratchFolder folder;
  folder.Write("0/plugins/profile/2026_11_24_21_39_53/vm.xplane.pb", "");
  folder.Write("1/plugins/profile/2026_11_24_21_39_53/vm.xplane.pb", "");
  folder.Write("torch/rank0.json", "");
  EXPECT_EQ(Found(folder), (Names{"0/plugins/profile/2026_11_24_21_39_53",
                                  "1/plugins/profile/2026_11_24_21_39_53", "torch"}));
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
