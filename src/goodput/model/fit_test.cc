// Checks that fitting recovers the parameters of a constructed job.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stepscope/goodput_model.h"
#include "tests/scratch.h"

namespace stepscope::fit_test {
namespace {

// Records `attempts` times: a start, 30 s until the first step, steps of 1 s, a save of 5 s every
// 100 steps, a kill in step 1050; the next attempt starts 70 s later after the last save.
std::string Log(int attempts) {
  std::string lines;
  double now = 1000;
  const auto record = [&](const std::string& fields) {
    lines += R"({"job_name":"j",)" + fields + "}\n";
  };
  int step = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    record(fmt::format(R"("job_start_time":{})", now));
    now += 30;
    const int first = step;
    for (; step < first + 1050; ++step, now += 1) {
      record(fmt::format(R"("step_count":{},"step_start_time":{})", step, now));
      if (step == first || step % 100 != 0) continue;
      record(fmt::format(R"("step":{},"event_type":"save","directory":"gs://x",)"
                         R"("checkpoint_manager_blocking_start_time":{},)"
                         R"("checkpoint_manager_blocking_duration_secs":5)",
                         step, now));
      now += 5;
    }
    step = step / 100 * 100;
    now += 70;
  }
  return lines;
}

TEST(FitGoodputModel, RecoversTheParameters) {
  const testing::ScratchFolder folder;
  const std::string log = folder.Write("job.jsonl", Log(50));
  const auto fitted = FitGoodputModel({.files = {log}});
  ASSERT_TRUE(fitted) << fitted.error().what;
  // A attempt is 30 + 1050 + 10 x 5 s, then 70 s down: one of about 1200 s.
  EXPECT_NEAR(*fitted->mtbf_s, 1200, 40);
  EXPECT_NEAR(*fitted->save_s, 5, 0.2);
  EXPECT_NEAR(*fitted->restart_s, 101, 10);
  EXPECT_NEAR(*fitted->checkpoint_interval_s, 105, 10);
  const auto model = ModelGoodput(*fitted);
  ASSERT_TRUE(model) << model.error().what;
}

TEST(FitGoodputModel, GivenValuesStay) {
  const testing::ScratchFolder folder;
  const std::string log = folder.Write("job.jsonl", Log(5));
  const auto fitted = FitGoodputModel({.files = {log}}, {.mtbf_s = 77, .chips = 8, .save_s = 3});
  ASSERT_TRUE(fitted);
  EXPECT_EQ(*fitted->mtbf_s, 77);
  EXPECT_EQ(*fitted->save_s, 3);
  EXPECT_EQ(*fitted->chips, 8);
}

TEST(FitGoodputModel, NamesWhatTheEventsDoNotSay) {
  const testing::ScratchFolder folder;
  const std::string log = folder.Write("job.jsonl", Log(1));
  const auto alone = FitGoodputModel({.files = {log}});
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().what, "cannot fit the model: the job was never interrupted");
  EXPECT_EQ(alone.error().hint, "set `mtbf_s` and `restart_s`");
  const auto with_rate =
      FitGoodputModel({.files = {log}}, {.failures = 419, .over_s = 54 * 86400.0});
  ASSERT_FALSE(with_rate);
  EXPECT_EQ(with_rate.error().hint, "set `restart_s`");
  const std::string empty = folder.Write("empty.jsonl", "");
  EXPECT_EQ(FitGoodputModel({.files = {empty}}).error().hint, "give the events of one job");
}

// A job that was never interrupted has saves to measure, and a given rate completes them.
TEST(FitGoodputModel, TakesGivenNumbersForWhatNeverHappened) {
  const testing::ScratchFolder folder;
  const std::string log = folder.Write("job.jsonl", Log(1));
  const auto fitted = FitGoodputModel({.files = {log}}, {.mtbf_s = 10800, .restart_s = 300});
  ASSERT_TRUE(fitted) << fitted.error().what;
  EXPECT_EQ(*fitted->mtbf_s, 10800);
  EXPECT_EQ(*fitted->restart_s, 300);
  EXPECT_NEAR(*fitted->save_s, 5, 0.2);
  EXPECT_NEAR(*fitted->checkpoint_interval_s, 105, 10);
  EXPECT_TRUE(ModelGoodput(*fitted));
}

TEST(FitGoodputModel, FailsWithoutEvents) {
  EXPECT_FALSE(FitGoodputModel({.files = {"/nowhere"}}));
  EXPECT_FALSE(FitGoodputModel({}));
}

}  // namespace
}  // namespace stepscope::fit_test
