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

// Steps of 10 s, of which each seventh number is left out: 0, 1, ... 6, 8, ... 13, 15, ...
StepTimes Some(int64_t count) {
  StepTimes times;
  int64_t step = 0;
  for (int64_t k = 0; k < count; ++k, ++step) {
    if (step % 7 == 0 && step > 0) ++step;
    times.Append(step, 1000 + 10 * step);
  }
  return times;
}

TEST(StepTimes, TheLastBegunAtATime) {
  const StepTimes times = Some(500);
  EXPECT_EQ(times.LastBegun(1000), 0);
  EXPECT_EQ(times.LastBegun(1009), 0);
  EXPECT_EQ(times.LastBegun(1010), 1);
  EXPECT_EQ(times.LastBegun(1060), 6);
  EXPECT_EQ(times.LastBegun(1079), 6) << "7 is not there";
  EXPECT_EQ(times.LastBegun(1080), 8);
  EXPECT_EQ(times.LastBegun(9'999'999), times.last().step);
}

TEST(StepTimes, AllMove) {
  StepTimes times = Some(300);
  times.Move(-7);
  EXPECT_EQ(times.first(), (StepTime{0, 993}));
  EXPECT_EQ(times.second(), (StepTime{1, 1003}));
  EXPECT_EQ(times.last().time, 993 + 10 * times.last().step);
  for (const StepTime& s : times.Kept()) EXPECT_EQ(s.time, 993 + 10 * s.step);
}

// The first two and the last two are kept anyway; `left` counts those behind.
TEST(StepTimes, ThinnedOnesKeepTheirCount) {
  StepTimes times = Some(300);
  const StepTime last = times.last();
  const std::vector<StepTime> all = times.Kept();
  times.Thin([&](const StepTime& before, const StepTime& step, size_t left) {
    EXPECT_LT(before.step, step.step);
    EXPECT_EQ(all[all.size() - 1 - left], step);
    return step.step % 100 == 0;
  });
  std::vector<int64_t> steps;
  for (const StepTime& s : times.Kept()) steps.push_back(s.step);
  EXPECT_EQ(steps, (std::vector<int64_t>{0, 1, 100, 200, 300, last.step - 1, last.step}));
  EXPECT_EQ(times.size(), 300);
  EXPECT_EQ(times.last(), last);
  EXPECT_EQ(times.Around(150).before->step, 100);
  EXPECT_EQ(times.Around(150).after->step, 200);
  // And goes on.
  times.Append(last.step + 1, last.time + 10);
  EXPECT_EQ(times.Around(last.step + 1).before, last);
  EXPECT_EQ(times.size(), 301);
}

TEST(StepTimes, SavedOnesAreTheSame) {
  StepTimes times = Some(300), loaded;
  times.Thin([](const StepTime&, const StepTime& step, size_t) { return step.step % 10 == 0; });
  StateWriter out;
  times.Save(out);
  StateReader in(out.bytes());
  loaded.Load(in);
  ASSERT_TRUE(in.ok());
  EXPECT_TRUE(in.rest().empty());
  EXPECT_EQ(loaded.Kept(), times.Kept());
  EXPECT_EQ(loaded.size(), 300);
  EXPECT_EQ(loaded.first(), times.first());
  EXPECT_EQ(loaded.second(), times.second());
  EXPECT_EQ(loaded.last(), times.last());
}

// A start that stands for several steps.
TEST(StepTimes, StepsThatWereNotToldCount) {
  StepTimes times;
  times.Append(0, 0);
  times.Append(10, 100, 10);
  EXPECT_EQ(times.size(), 11);
}

}  // namespace
}  // namespace stepscope::goodput::step_times_test
