// Tests curves that go up and down by steps.
#include "facts/devices/step_curve.h"

#include <gtest/gtest.h>

namespace stepscope::step_curve_test {
namespace {

TEST(StepCurve, AddsWhatOverlaps) {
  StepCurve curve;
  curve.Add(0, 10);
  curve.Add(4, 6, 3);
  curve.Add(10, 12);
  curve.Add(7, 7, 100);
  std::string text;
  for (const auto& p : curve.Levels()) {
    text += std::to_string(p.time) + ":" + std::to_string(p.level) + " ";
  }
  EXPECT_EQ(text, "0:1 4:4 6:1 12:0 ") << "one ends at 10 as another begins: no change";
}

TEST(StepCurve, StatisticsAreWeightedByTime) {
  StepCurve curve;
  curve.Add(0, 10, 2);
  curve.Add(30, 40, 6);
  const CurveStatistics s = Measure(curve.Levels(), 6);
  EXPECT_DOUBLE_EQ(s.mean, 2.0);
  EXPECT_EQ(s.max, 6);
  EXPECT_EQ(s.time_at_limit, 10);
  EXPECT_EQ(s.time_above_zero, 20);
  EXPECT_DOUBLE_EQ(s.mean_above_zero, 4.0);
}

TEST(StepCurve, OfNothing) {
  EXPECT_TRUE(StepCurve().Levels().empty());
  EXPECT_EQ(Measure({}, 1).max, 0);
  EXPECT_TRUE(Thin({}, 10).empty());
}

TEST(StepCurve, ThinningKeepsPeaksAndTheEnd) {
  StepCurve curve;
  for (int64_t i = 0; i < 1000; ++i) curve.Add(i * 10, i * 10 + 5, i == 777 ? 50 : 1);
  const auto points = Thin(curve.Levels(), 20);
  EXPECT_LE(points.size(), 22u);
  double highest = 0;
  for (const auto& [time, level] : points) highest = std::max(highest, level);
  EXPECT_EQ(highest, 50);
  EXPECT_EQ(points.back().second, 0);
}

// Of 100 ns in two halves: the highest of each, where it begins. With as many points as were asked
// for, nothing is left out.
TEST(StepCurve, ThinningTakesTheHighestOfEachPart) {
  const std::vector<StepCurve::Point> levels = {
      {1000, 1}, {1010, 5}, {1020, 2}, {1090, 3}, {1100, 0}};
  using Points = std::vector<std::pair<double, double>>;
  EXPECT_EQ(Thin(levels, 3), (Points{{10, 5}, {90, 3}, {100, 0}}));
  EXPECT_EQ(Thin(levels, 4), (Points{{10, 5}, {90, 3}, {100, 0}}));
  EXPECT_EQ(Thin(levels, 5), (Points{{0, 1}, {10, 5}, {20, 2}, {90, 3}, {100, 0}}));
}

}  // namespace
}  // namespace stepscope::step_curve_test
