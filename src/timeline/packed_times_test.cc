// Tests that packed times are restored exactly.
#include "timeline/packed_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace stepscope::packed_times_test {
namespace {

TEST(PackedTimes, GivesBackCloseAndDistantTimes) {
  std::vector<int64_t> times;
  for (int64_t i = 0; i < 200; ++i) times.push_back(i * 1000);
  for (int64_t i = 0; i < 100; ++i) times.push_back(i * 60'000'000'000);  // a minute apart
  times.push_back(-(int64_t{1} << 61));
  times.push_back(int64_t{1} << 61);
  const PackedTimes packed(times.size(), [&](size_t i) { return times[i]; });
  for (size_t i = 0; i < times.size(); ++i) EXPECT_EQ(packed[i], times[i]) << i;
}

TEST(PackedTimes, FirstAtOrAfterIsALowerBound) {
  const std::vector<int64_t> times = {1, 1, 3, 3, 3, 8, 20, 20, 21};
  for (size_t from = 0; from <= times.size(); ++from) {
    for (int64_t time = 0; time < 23; ++time) {
      const auto at = std::ranges::lower_bound(times.begin() + static_cast<std::ptrdiff_t>(from),
                                               times.end(), time);
      EXPECT_EQ(FirstAtOrAfter(times, from, times.size(), time),
                static_cast<size_t>(at - times.begin()));
    }
  }
}

}  // namespace
}  // namespace stepscope::packed_times_test
