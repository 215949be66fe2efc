// Checks that packed step times are found again.
#include "goodput/accounting/step_times.h"

#include <gtest/gtest.h>

#include <random>

namespace stepscope::goodput::step_times_test {
namespace {

TEST(StepTimes, FindsNeighborsOfEveryStep) {
  std::mt19937_64 random(7);
  std::vector<StepTime> all;
  StepTimes times;
  StepTime at{-5, 1'780'000'000'000'000'000};
  for (int k = 0; k < 1000; ++k) {
    all.push_back(at);
    times.Append(at.step, at.time);
    at.step += random() % 8 == 0 ? static_cast<int64_t>(random() % 1000) + 1 : 1;
    at.time += static_cast<int64_t>(random() % (k % 2 == 0 ? 3 : 20'000'000'000));
  }
  EXPECT_EQ(times.size(), 1000);
  EXPECT_EQ(times.first(), all[0]);
  EXPECT_EQ(times.second(), all[1]);
  EXPECT_EQ(times.last(), all.back());
  for (size_t k = 1; k < all.size(); ++k) {
    const auto exactly = times.Around(all[k].step);
    ASSERT_EQ(exactly.before, all[k - 1]) << k;
    ASSERT_EQ(exactly.after, all[k]) << k;
    ASSERT_EQ(times.Around(all[k - 1].step + 1).after, all[k]) << k;
  }
}

TEST(StepTimes, NothingBeyondTheEnds) {
  StepTimes times;
  EXPECT_FALSE(times.Around(3).before || times.Around(3).after);
  times.Append(INT64_MIN / 4, 0);
  times.Append(INT64_MAX / 4, INT64_MAX / 2);
  EXPECT_FALSE(times.Around(INT64_MIN).before);
  EXPECT_FALSE(times.Around(INT64_MAX).after);
  EXPECT_EQ(times.Around(0).before->step, INT64_MIN / 4);
  EXPECT_EQ(times.Around(0).after->time, INT64_MAX / 2);
}

}  // namespace
}  // namespace stepscope::goodput::step_times_test
