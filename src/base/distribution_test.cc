// Tests statistics of durations.
#include "base/distribution.h"

#include <gtest/gtest.h>

namespace stepscope::distribution_test {
namespace {

TEST(Distribution, InterpolatesPercentiles) {
  std::vector<int64_t> values = {40, 10, 30, 20, 0};
  const Distribution d = Describe(values);
  EXPECT_EQ(d.count, 5);
  EXPECT_EQ(d.sum, 100);
  EXPECT_EQ(d.mean, 20);
  EXPECT_EQ(d.p50, 20);
  EXPECT_EQ(d.p90, 36);
  EXPECT_EQ(d.p99, 40) << "39.6, rounded";
  EXPECT_EQ(d.min, 0);
  EXPECT_EQ(d.max, 40);
}

TEST(Distribution, OfOneValueAndOfNone) {
  std::vector<int64_t> one = {7}, none;
  EXPECT_EQ(Describe(one).p99, 7);
  EXPECT_EQ(Describe(one).mean, 7);
  EXPECT_EQ(Describe(none).count, 0);
}

TEST(Distribution, SumsStopAtTheLimit) {
  std::vector<int64_t> values(8, int64_t{1} << 61);
  EXPECT_EQ(Describe(values).sum, INT64_MAX);
}

TEST(HistogramOfRange, CountsEachValueOnce) {
  using Buckets = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(HistogramOfRange({}), Buckets{});
  EXPECT_EQ(HistogramOfRange({7, 7}), (Buckets{{7, 2}}));
  EXPECT_EQ(HistogramOfRange({3, 4, 4, 6}), (Buckets{{3, 1}, {4, 2}, {5, 0}, {6, 1}}));
}

// Two humps that a factor of two would hide.
TEST(HistogramOfRange, TellsCloseHumpsApart) {
  std::vector<int64_t> values(900, 560'000);
  values.insert(values.end(), 100, 730'000);
  const auto buckets = HistogramOfRange(values);
  ASSERT_EQ(buckets.size(), 32u);
  EXPECT_EQ(buckets.front(), std::pair(int64_t{560'000}, int64_t{900}));
  EXPECT_EQ(buckets.back().second, 100);
}

// Whatever the range, every value is in one bucket, and buckets ascend.
TEST(HistogramOfRange, HoldsEveryValueOnce) {
  for (const std::vector<int64_t>& values : {std::vector<int64_t>{0, 1, 1000, 1'000'000'000},
                                             {INT64_MAX, 0},
                                             {INT64_MAX - 1, INT64_MAX},
                                             {-5, 5},
                                             {INT64_MIN, INT64_MAX},
                                             {0}}) {
    const auto buckets = HistogramOfRange(values);
    int64_t sum = 0;
    for (size_t b = 0; b < buckets.size(); ++b) {
      sum += buckets[b].second;
      EXPECT_TRUE(b == 0 || buckets[b].first > buckets[b - 1].first);
    }
    EXPECT_EQ(sum, std::ssize(values));
  }
}

}  // namespace
}  // namespace stepscope::distribution_test
