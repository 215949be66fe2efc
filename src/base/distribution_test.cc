// Statistics of durations.
#include "base/distribution.h"

#include <gtest/gtest.h>

namespace stepscope {
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

TEST(Distribution, BucketsArePowersOfTwo) {
  using Buckets = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(HistogramByPowersOfTwo({}), Buckets{});
  EXPECT_EQ(HistogramByPowersOfTwo({0, -5}), (Buckets{{0, 2}}));
  EXPECT_EQ(HistogramByPowersOfTwo({2, 3, 4, 7, 8, 40}),
            (Buckets{{2, 2}, {4, 2}, {8, 1}, {16, 0}, {32, 1}}));
}

}  // namespace
}  // namespace stepscope
