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

// srun --mpi=pmi2 and mpirun on nodes of Slurm, which starts one daemon on each.
TEST(Shard, UnderMpiIsThatOfTheProcess) {
  Variables process = {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}};
  EXPECT_EQ(Read("auto", {}, process), "3/4");
  process.insert({{"SLURM_PROCID", "3"}, {"SLURM_STEP_NUM_TASKS", "4"}});
  EXPECT_EQ(Read("auto", {}, process), "3/4");
  process["SLURM_PROCID"] = "1";
  process["SLURM_STEP_NUM_TASKS"] = "2";
  EXPECT_EQ(Read("auto", {}, process), "3/4");
  process["SLURM_PROCID"] = "0";
  process["SLURM_STEP_NUM_TASKS"] = "1";
  process["SLURM_NTASKS"] = "4";
  EXPECT_EQ(Read("auto", {}, process), "3/4");
}

// PMIx says no number of processes: who started it does.
TEST(Shard, UnderPmixHasItsNumberFromOthers) {
  const Variables alone = {{"PMIX_RANK", "1"}};
  EXPECT_EQ(Read("auto", {}, alone), "MPI (PMIx) does not say how many shards there are");
  EXPECT_EQ(Read("auto", 8, alone), "1/8");
  Variables of_srun = alone, of_mpirun = alone;
  of_srun.insert({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}});
  EXPECT_EQ(Read("auto", {}, of_srun), "1/2");
  of_mpirun.insert({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}});
  EXPECT_EQ(Read("auto", {}, of_mpirun), "1/4");
}

// The only task of a step takes everything, but not of an array, which knows better.
TEST(Shard, OfOneTaskIsAll) {
  EXPECT_EQ(Read("auto", {}, {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}),
            "0/1");
  Variables step = {{"SLURM_NTASKS", "1"}, {"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}};
  EXPECT_EQ(Read("auto", {}, step), "0/1");
  const std::string nobody = "nothing says which shard this is: it runs under no known launcher";
  EXPECT_EQ(Read("auto", 8, step), nobody);
  // An interactive shell of a job with four tasks, and one that is no step.
  step["SLURM_NTASKS"] = "4";
  EXPECT_EQ(Read("auto", {}, step), nobody);
  EXPECT_EQ(Read("auto", {}, {{"SLURM_JOB_ID", "13"}, {"SLURM_NTASKS", "4"}}), nobody);
  step.insert({{"SLURM_ARRAY_TASK_ID", "7"}, {"SLURM_ARRAY_TASK_COUNT", "16"}});
  EXPECT_EQ(Read("auto", {}, step), "7/16");
}

// A batch script of a job with four tasks is none of them.
TEST(Shard, OfABatchScriptIsUnknown) {
  EXPECT_EQ(Read("auto", {}, {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}),
            "nothing says which shard this is: it runs under no known launcher");
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
  const Variables steps = {{"SLURM_ARRAY_TASK_ID", "7"},
                           {"SLURM_ARRAY_TASK_COUNT", "16"},
                           {"SLURM_PROCID", "1"},
                           {"SLURM_STEP_NUM_TASKS", "2"}};
  EXPECT_EQ(Read("auto", {}, steps), "a Slurm array and srun both say which shard this is");
  // Submitted again for shards 3 and 9 of 16: two tasks, of which none is the tenth.
  const Variables again = {
      {"SLURM_ARRAY_TASK_ID", "9"}, {"SLURM_ARRAY_TASK_COUNT", "2"}, {"SLURM_ARRAY_TASK_MIN", "3"}};
  EXPECT_EQ(Read("auto", {}, again), "there is no shard 6 of 2");
  EXPECT_EQ(Read("auto", 16, again), "9/16");
}

}  // namespace
}  // namespace stepscope::shard_test
