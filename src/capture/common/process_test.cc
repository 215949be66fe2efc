// Tests what is read of processes in /proc.
#include "capture/common/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace stepscope::capture::process_test {
namespace {

using namespace std::string_view_literals;

TEST(CaptureProcess, ReadsStatWhateverTheNameHolds) {
  const auto process = ParseStat(
      "4711 (a) b (c) S 12 1 1 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 98765 1000 10 0 0\n");
  ASSERT_TRUE(process.has_value());
  EXPECT_EQ(process->pid, 4711);
  EXPECT_EQ(process->name, "a) b (c");
  EXPECT_EQ(process->state, 'S');
  EXPECT_EQ(process->parent, 12);
  EXPECT_EQ(process->start_ticks, 98765);
}

TEST(CaptureProcess, RefusesWhatIsNoStat) {
  for (const char* text : {"", "1", "1 (x)", "1 (x) S", ") (", "x (y) S 1 2 3"})
    EXPECT_FALSE(ParseStat(text).has_value()) << text;
}

TEST(CaptureProcess, ReadsTheEnvironment) {
  const auto environment = ParseEnvironment("RANK=3\0EMPTY=\0no value\0=x\0RANK=4\0TAIL=a=b"sv);
  EXPECT_EQ(environment,
            (std::map<std::string, std::string>{{"RANK", "3"}, {"EMPTY", ""}, {"TAIL", "a=b"}}));
}

TEST(CaptureProcess, TakesRankAndJobFromItsLauncher) {
  const Process torchrun{.pid = 7,
                         .environment = {{"RANK", "3"},
                                         {"LOCAL_RANK", "1"},
                                         {"WORLD_SIZE", "8"},
                                         {"TORCHELASTIC_RUN_ID", "night"},
                                         {"TORCHELASTIC_RESTART_COUNT", "2"}}};
  const CaptureTarget target = TargetOf(torchrun, "torch");
  EXPECT_EQ(target.address, "pid 7");
  EXPECT_EQ(target.rank, 3);
  EXPECT_EQ(target.local_rank, 1);
  EXPECT_EQ(target.world_size, 8);
  EXPECT_EQ(target.job, "night");
  EXPECT_EQ(target.attempt, "2");
  const Process slurm{.environment = {{"SLURM_PROCID", "5"}, {"RANK", "-1"}}};
  EXPECT_EQ(TargetOf(slurm, "torch").rank, 5);
  EXPECT_EQ(TargetOf(Process{}, "torch").rank, -1);
}

TEST(CaptureProcess, ReadsThisProcess) {
  const auto process = ReadProcess(getpid());
  ASSERT_TRUE(process.has_value());
  EXPECT_EQ(process->parent, getppid());
  EXPECT_EQ(process->user, static_cast<int64_t>(geteuid()));
  EXPECT_TRUE(IsAlive(getpid(), process->start_ticks));
  EXPECT_FALSE(IsAlive(getpid(), process->start_ticks + 1));
  EXPECT_FALSE(ReadProcess(0).has_value());
  EXPECT_FALSE(ReadProcess(-1).has_value());
}

}  // namespace
}  // namespace stepscope::capture::process_test
