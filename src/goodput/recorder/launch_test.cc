// Checks what recorders take from the environment.
#include "goodput/recorder/launch.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace stepscope::goodput::launch_test {
namespace {

// Sets variables for a test.
class Environment {
 public:
  ~Environment() {
    for (const std::string& name : names_) unsetenv(name.c_str());
  }
  void Set(const std::string& name, const std::string& value) {
    names_.push_back(name);
    setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::vector<std::string> names_;
};

TEST(Launch, TheInnermostLauncherGivesTheRank) {
  Environment environment;
  environment.Set("SLURM_PROCID", "0");
  EXPECT_EQ(RankFromEnvironment(), 0);
  environment.Set("RANK", "3");
  EXPECT_EQ(RankFromEnvironment(), 3);
  environment.Set("RANK", "three");
  EXPECT_EQ(RankFromEnvironment(), 0);
}

TEST(Launch, RestartsAreInTheAttempt) {
  EXPECT_EQ(AttemptFromEnvironment("a"), "a");
  Environment environment;
  environment.Set("STEPSCOPE_ATTEMPT", "batch");
  environment.Set("TORCHELASTIC_RESTART_COUNT", "2");
  environment.Set("TORCHELASTIC_RUN_ID", "run~1");
  EXPECT_EQ(AttemptFromEnvironment(""), "batch~torchelastic.run-1.2");
  environment.Set("SLURM_JOB_ID", "4711");
  EXPECT_EQ(AttemptFromEnvironment("a"), "a~slurm.4711.0~torchelastic.run-1.2");
}

}  // namespace
}  // namespace stepscope::goodput::launch_test
