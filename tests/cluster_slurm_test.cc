// Submits to a Slurm that is scripts of this test; tests/slurm/cluster_slurm.sh asks a real one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/shell_word.h"
#include "stepscope/demo.h"
#include "tests/scratch.h"
#include "tests/shell.h"

namespace stepscope::testing::cluster_slurm_test {
namespace {

namespace fs = std::filesystem;

class ClusterSlurm : public ::testing::Test {
 protected:
  ClusterSlurm() {
    EXPECT_TRUE(WriteDemo(Path("a job's traces"), {.ranks = 4, .layers = 2, .stacks = false}));
    // Numbers jobs from 1, and keeps what it was given.
    Command("sbatch", "echo \"$*\" >> sbatch.txt; wc -l < sbatch.txt | tr -d ' '");
    Command("scontrol", "echo 'MaxArraySize            = 3'");
    Command("squeue", "cat queued 2> /dev/null");
    Command("scancel", "echo \"$*\" >> canceled");
  }
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  void Command(const std::string& name, const std::string& script) const {
    const std::string file = folder_.Write("bin/" + name, "#!/bin/sh\n" + script + "\n");
    fs::permissions(file, fs::perms::owner_all);
  }
  // In the folder, which makes all paths relative.
  Outcome Run(const std::string& more = "") const {
    return Shell(
        fmt::format("cd {} && PATH=\"$PWD/bin:$PATH\" && stepscope cluster slurm "
                    "\"a job's traces\" -o 'my work' {}",
                    ShellWord(folder_.path()), more));
  }
  // As Slurm runs a task, from another directory.
  void Map(int task) const {
    const std::string script = ShellWord(Path("my work/map.sh"));
    EXPECT_EQ(Shell(fmt::format("cd / && SLURM_ARRAY_TASK_ID={} bash {}", task, script)).code, 0);
  }
  std::string Submitted() const { return Content(Path("sbatch.txt")); }
  const ScratchFolder folder_;
};

TEST_F(ClusterSlurm, SubmitsAnArrayAndWhatFollowsIt) {
  const Outcome outcome = Run("--shards 2 -- --partition=cpu");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.contains("5 files in 2 shards, 2 to map.")) << outcome.out;
  EXPECT_TRUE(outcome.out.contains("squeue --jobs=1,2")) << outcome.out;
  const std::string submitted = Submitted();
  EXPECT_TRUE(submitted.contains("--partition=cpu --parsable")) << submitted;
  EXPECT_TRUE(submitted.contains("--array=0-1 " + Path("my work/map.sh"))) << submitted;
  EXPECT_TRUE(submitted.contains("--dependency=afterany:1 " + Path("my work/reduce.sh")));
}

TEST_F(ClusterSlurm, WritesScriptsThatDoTheWork) {
  ASSERT_EQ(Run("--shards 2").code, 0);
  const std::string reduce = "bash " + ShellWord(Path("my work/reduce.sh"));
  const Outcome nothing = Shell(reduce);
  EXPECT_EQ(nothing.code, 2);
  EXPECT_TRUE(nothing.err.contains("all 2 shards are missing")) << nothing.err;
  EXPECT_TRUE(nothing.out.contains("no log: it never began")) << nothing.out;
  Map(1);
  folder_.Write("my work/log/map-0.txt", "killed\n");
  const Outcome partly = Shell(reduce);
  EXPECT_EQ(partly.code, 1);
  EXPECT_TRUE(partly.out.contains("shard 0 is missing")) << partly.out;
  EXPECT_TRUE(partly.out.contains("killed")) << partly.out;
  const std::string report = Path("my work/report.txt");
  EXPECT_TRUE(Content(report).contains("1 of 2 shards are missing (0)")) << Content(report);
  Map(0);
  EXPECT_EQ(Shell(reduce).code, 0);
  EXPECT_FALSE(Content(report).contains("missing")) << Content(report);
}

TEST_F(ClusterSlurm, SubmitsOnlyWhatIsMissing) {
  ASSERT_EQ(Run("--shards 3").code, 0);
  Map(1);
  EXPECT_EQ(Run().code, 0);  // of as many shards as before
  EXPECT_TRUE(Submitted().contains("--array=0,2 ")) << Submitted();
  Map(0);
  Map(2);
  const Outcome all = Run();
  EXPECT_FALSE(all.out.contains("map ")) << all.out;
  ExpectError(Run("--shards 2"), "partials of 3 shards, not of 2", "another directory");
}

TEST_F(ClusterSlurm, BeginsAgainWithOtherTraces) {
  ASSERT_EQ(Run("--shards 2").code, 0);
  const std::string old = folder_.Write("my work/part/shard-00001-of-00002.ranks.parquet", "old");
  fs::remove(Path("a job's traces/rank-3.pt.trace.json.gz"));
  const Outcome again = Run("--shards 3");
  EXPECT_TRUE(again.out.contains("all is done again")) << again.out << again.err;
  EXPECT_TRUE(Submitted().contains("--array=0-2 ")) << Submitted();
  EXPECT_FALSE(fs::exists(old));
}

TEST_F(ClusterSlurm, IsRefusedWithReasons) {
  ExpectError(Run("--shards 4"), "there can be 1 to 3 shards, not 4", "fewer");
  ExpectError(Run("--shards 0"), "there can be 1 to 3 shards, not 0", "fewer");
  ExpectError(Run("--report nowhere/report.txt"), "no such directory", "");
  ExpectError(Run("--report report.html"), "HTML", "stepscope report");
  Command("scontrol", "exit 1");
  ExpectError(Run("--shards 6"), "6 shards, but", "as many shards as there are traces");
  Command("sbatch", "echo 'sbatch: error: no such partition' >&2; exit 1");
  ExpectError(Run(), "sbatch: error: no such partition", "--");
  EXPECT_FALSE(fs::exists(Path("canceled")));
}

// Nothing is left in the queue of what was submitted by half.
TEST_F(ClusterSlurm, CancelsTheArrayWithoutItsEnd) {
  Command("sbatch",
          "case \"$*\" in *afterany*) echo 'sbatch: error: too many jobs' >&2; exit 1;; "
          "esac; echo '7;cluster'");
  ExpectError(Run(), "too many jobs", "");
  EXPECT_EQ(Content(Path("canceled")), "7\n");
}

TEST_F(ClusterSlurm, WaitsForWhatWasSubmittedBefore) {
  ASSERT_EQ(Run().code, 0);
  folder_.Write("queued", "2\n");
  ExpectError(Run(), "have not ended", "scancel 1 2");
  fs::remove(Path("queued"));
  EXPECT_EQ(Run().code, 0);
}

TEST_F(ClusterSlurm, OnlyPrintsWhereItIsAsked) {
  const Outcome outcome = Run("--dry-run");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.contains("#   sbatch --job-name=stepscope-map")) << outcome.out;
  EXPECT_TRUE(outcome.out.contains("--shard \"$SLURM_ARRAY_TASK_ID/1\"")) << outcome.out;
  EXPECT_FALSE(fs::exists(Path("my work")));
  EXPECT_EQ(Submitted(), "");
}

TEST_F(ClusterSlurm, NeedsSlurm) {
  fs::remove(Path("bin/sbatch"));
  const Outcome outcome = Shell(
      fmt::format("cd {} && PATH=\"$PWD/bin\" && stepscope cluster slurm \"a job's traces\" -o w",
                  ShellWord(folder_.path())));
  ExpectError(outcome, "there is no 'sbatch' here", "--dry-run");
}

// A line break would end a comment of the script.
TEST_F(ClusterSlurm, TakesNoLineBreaksIntoScripts) {
  ExpectError(Shell("stepscope cluster slurm x -o \"$(printf 'a\\nb')\""), "scripts cannot hold",
              "");
}

}  // namespace
}  // namespace stepscope::testing::cluster_slurm_test
