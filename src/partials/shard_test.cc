// Asks which shard a process is to map, in the environments of launchers.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "stepscope/partials.h"

namespace stepscope::shard_test {
namespace {

using Variables = std::map<std::string, std::string>;

// "3/16", or what fails.
std::string Read(std::string_view text, std::optional<int64_t> count = {},
                 const Variables& variables = {}) {
  const auto shard = ReadShard(text, count, [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
  if (!shard) return shard.error().what;
  return std::to_string(shard->index) + "/" + std::to_string(shard->count);
}

TEST(Shard, IsReadAsWritten) {
  EXPECT_EQ(Read("3/16"), "3/16");
  EXPECT_EQ(Read("3", 16), "3/16");
  EXPECT_EQ(Read("16/16"), "there is no shard 16 of 16");
  EXPECT_EQ(Read("0/0"), "there is no shard 0 of 0");
  EXPECT_EQ(Read("three"), "'three' is no shard");
  EXPECT_EQ(Read("-1/2"), "'-1/2' is no shard");
  EXPECT_EQ(Read("1/2", 4), "'1/2' and `shards` 4 are of different numbers");
}

TEST(Shard, IsThatOfTheLauncher) {
  // In the script of an array there is a step of one task, too.
  const Variables array = {{"SLURM_ARRAY_TASK_ID", "7"},
                           {"SLURM_ARRAY_TASK_COUNT", "16"},
                           {"SLURM_ARRAY_TASK_MIN", "0"},
                           {"SLURM_PROCID", "0"},
                           {"SLURM_STEP_NUM_TASKS", "1"}};
  EXPECT_EQ(Read("auto", {}, array), "7/16");
  EXPECT_EQ(Read("auto", 256, array), "7/256");
  EXPECT_EQ(Read("auto", {}, {{"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "4"}}), "2/4");
  EXPECT_EQ(Read("auto", {}, {{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}),
            "1/2");
  EXPECT_EQ(Read("auto", 8, {{"JOB_COMPLETION_INDEX", "5"}}), "5/8");
}

TEST(Shard, OfAnArrayThatBeginsLater) {
  const Variables array = {
      {"SLURM_ARRAY_TASK_ID", "1"}, {"SLURM_ARRAY_TASK_COUNT", "4"}, {"SLURM_ARRAY_TASK_MIN", "1"}};
  EXPECT_EQ(Read("auto", {}, array), "0/4");
}

TEST(Shard, IsRefusedWhereItIsNotClear) {
  EXPECT_EQ(Read("auto"), "nothing says which shard this is: it runs under no known launcher");
  EXPECT_EQ(Read("auto", {}, {{"JOB_COMPLETION_INDEX", "5"}}),
            "a Kubernetes indexed job does not say how many shards there are");
  const Variables both = {{"SLURM_ARRAY_TASK_ID", "7"},
                          {"SLURM_ARRAY_TASK_COUNT", "16"},
                          {"OMPI_COMM_WORLD_RANK", "1"},
                          {"OMPI_COMM_WORLD_SIZE", "2"}};
  EXPECT_EQ(Read("auto", {}, both), "a Slurm array and Open MPI both say which shard this is");
  // Submitted again for shards 3 and 9 of 16: two tasks, of which none is the tenth.
  const Variables again = {
      {"SLURM_ARRAY_TASK_ID", "9"}, {"SLURM_ARRAY_TASK_COUNT", "2"}, {"SLURM_ARRAY_TASK_MIN", "3"}};
  EXPECT_EQ(Read("auto", {}, again), "there is no shard 6 of 2");
  EXPECT_EQ(Read("auto", 16, again), "9/16");
}

}  // namespace
}  // namespace stepscope::shard_test
