// Tests change points: where levels change, and that noise makes none.
#include "base/change_point.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "base/random.h"

namespace stepscope::change_point_test {
namespace {

TEST(ChangePoint, IsTheFirstValueOfTheNewLevel) {
  const std::vector<int64_t> values = {496, 497, 735, 734, 736, 735};
  const auto change = FindChangePoint(values, 5);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->at, 2u);
  EXPECT_EQ(change->before_count, 2u);
  EXPECT_DOUBLE_EQ(change->before, 496.5);
  EXPECT_DOUBLE_EQ(change->since, 735);
  EXPECT_EQ(FindChangePoint(std::vector<int64_t>{7, 7, 5, 5}, 1)->since, 5);
}

TEST(ChangePoint, NeedsTwoValuesOnEachSideAndTheLeastDifference) {
  EXPECT_FALSE(FindChangePoint(std::vector<int64_t>{}, 0));
  EXPECT_FALSE(FindChangePoint(std::vector<int64_t>{5, 9, 9}, 0));
  EXPECT_FALSE(FindChangePoint(std::vector<int64_t>{5, 5, 5, 9}, 0));
  EXPECT_FALSE(FindChangePoint(std::vector<int64_t>{5, 5, 5, 5}, 0));
  EXPECT_FALSE(FindChangePoint(std::vector<int64_t>{50, 50, 52, 52}, 2.5));
  EXPECT_TRUE(FindChangePoint(std::vector<int64_t>{50, 50, 52, 52}, 2));
}

TEST(ChangePoint, IsNotTheFirstStepOfARecordingNorASingleSlowOne) {
  EXPECT_FALSE(FindChangePoint(std::vector<int64_t>{900, 500, 501, 500, 499, 500}, 25));
  EXPECT_FALSE(FindChangePoint(std::vector<int64_t>{500, 501, 500, 900, 499, 500}, 25));
  const auto change = FindChangePoint(std::vector<int64_t>{900, 500, 501, 735, 736, 735}, 25);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->at, 3u);
  EXPECT_EQ(change->before_count, 2u);
}

TEST(ChangePoint, OfALongSeriesIsSeenThroughExceptionsAndNotMadeByThem) {
  std::vector<int64_t> values;
  for (int i = 0; i < 60; ++i) values.push_back(i % 20 == 7 ? 2000 : (i < 23 ? 500 : 650) + i % 3);
  const auto change = FindChangePoint(values, 25);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->at, 23u);
  std::vector<int64_t> late(60, 500);
  late[58] = late[59] = 900;
  EXPECT_FALSE(FindChangePoint(late, 25));
}

// A side has an eighth of the values, 3 of 20, but the level may begin before that.
TEST(ChangePoint, BeginsWithTheFirstValueOfTheNewLevel) {
  std::vector<int64_t> early(20, 900), late(20, 500);
  early[0] = early[1] = 500;
  late[18] = late[19] = 900;
  EXPECT_EQ(FindChangePoint(early, 25)->at, 2u);
  EXPECT_EQ(FindChangePoint(early, 25)->before, 500);
  EXPECT_EQ(FindChangePoint(late, 25)->at, 18u);
}

TEST(ChangePoint, IsNotMadeByALineNorByWhatRepeats) {
  std::vector<int64_t> line, waves;
  for (int i = 0; i < 40; ++i) line.push_back(1000 + 25 * i);
  for (int i = 0; i < 40; ++i) waves.push_back(i % 4 == 3 ? 900 : 500);
  EXPECT_FALSE(FindChangePoint(line, 50));
  EXPECT_FALSE(FindChangePoint(waves, 50));
}

// About 1000 +- 100 by each of three distributions, as that of means is, of small jitters, and of
// steps that are rarely much longer.
TEST(ChangePoint, IsHardlyEverMadeByNoise) {
  const auto around = [](Random& r) {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += r.Fraction();
    return 1000 + 100 * (sum - 6);
  };
  const std::function<double(Random&)> kinds[] = {
      around, [](Random& r) { return 1000 + 100 * r.Exponential(); },
      [](Random& r) { return 500 + 1000 * r.Fraction(); },
      [&](Random& r) { return 800 + around(r) / 5 + (r.Fraction() < 0.03 ? 1000 : 0); }};
  for (const size_t n : {4u, 5u, 6u, 8u, 12u, 20u, 50u}) {
    int found = 0, series = 0;
    for (size_t kind = 0; kind < std::size(kinds); ++kind) {
      for (uint64_t seed = 0; seed < 1000; ++seed, ++series) {
        Random random(seed, 16 * n + kind);
        std::vector<int64_t> values;
        for (size_t i = 0; i < n; ++i) values.push_back(static_cast<int64_t>(kinds[kind](random)));
        found += FindChangePoint(values, 50) ? 1 : 0;
      }
    }
    EXPECT_LE(found, series / 200) << n << " values";
  }
}

TEST(ChangePoint, IsFoundBehindNoiseOfStepTimes) {
  int found = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed, 1);
    std::vector<int64_t> values;
    for (int i = 0; i < 6; ++i) values.push_back(random.Around(i < 2 ? 4'960'000 : 7'350'000, 20));
    const auto change = FindChangePoint(values, 250'000);
    found += change && change->at == 2 ? 1 : 0;
  }
  EXPECT_GE(found, 195);
}

}  // namespace
}  // namespace stepscope::change_point_test
