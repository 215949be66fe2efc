// Steps of a recorder around a time.
#include <gtest/gtest.h>

#include "base/time_units.h"
#include "stepscope/goodput_c.h"
#include "stepscope/goodput_steps.h"
#include "tests/scratch.h"

namespace stepscope::testing {
namespace {

constexpr int64_t kStart = 1'800'000'000 * kSecond;

// 100 steps of 1 s, 20 of 1.5 s and 100 of 1.1 s.
std::string Recorded(const ScratchFolder& folder) {
  stepscope_goodput_options options;
  stepscope_goodput_defaults(&options, sizeof options);
  const std::string path = folder.path();
  options.directory = path.c_str();
  options.job = "llm";
  stepscope_goodput* recorder = stepscope_goodput_open(&options);
  int64_t time = kStart;
  for (int64_t step = 0; step <= 220; ++step) {
    stepscope_goodput_event event;
    stepscope_goodput_event_init(&event, sizeof event, STEPSCOPE_GOODPUT_STEP_START);
    event.step = step;
    event.time_ns = time;
    EXPECT_EQ(stepscope_goodput_record(recorder, &event), STEPSCOPE_GOODPUT_OK);
    time += step < 100 ? kSecond : step < 120 ? 1500 * kMillisecond : 1100 * kMillisecond;
  }
  stepscope_goodput_close(recorder);
  return path;
}

TEST(StepsAround, MediansBeforeDuringAndAfter) {
  const ScratchFolder folder;
  const auto steps =
      StepTimesAround(Recorded(folder), "llm", kStart + 100 * kSecond, kStart + 130 * kSecond);
  ASSERT_TRUE(steps.has_value());
  EXPECT_EQ(steps->before, kSecond);
  EXPECT_EQ(steps->during, 1500 * kMillisecond);
  EXPECT_EQ(steps->after, 1100 * kMillisecond);
  EXPECT_EQ(steps->steps_before, 50);
  EXPECT_EQ(steps->steps_during, 20);
  EXPECT_EQ(steps->steps_after, 50);
}

TEST(StepsAround, NothingOfAnotherJobAndNoDirectory) {
  const ScratchFolder folder;
  const auto steps = StepTimesAround(Recorded(folder), "other", kStart, kStart + kSecond);
  ASSERT_TRUE(steps.has_value());
  EXPECT_EQ(steps->steps_during, 0);
  EXPECT_FALSE(StepTimesAround(folder.path() + "/none", "", 0, 1).has_value());
}

}  // namespace
}  // namespace stepscope::testing
