// Tests that medians of peers are those of all but the rank itself.
#include "facts/derived/replay/expected_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace stepscope::expected_work_test {
namespace {

// Ranks with one unit that all have, and one that every other rank has.
std::vector<OwnWork> WorkOf(const std::vector<int64_t>& times) {
  std::vector<uint32_t> peers(times.size());
  std::iota(peers.begin(), peers.end(), 0);
  std::vector<OwnWork> work;
  for (size_t r = 0; r < times.size(); ++r) {
    OwnWork& own = work.emplace_back();
    own.peers = peers;
    if (r % 2 == 0) own.units.push_back({.step = 0, .key = 7, .time = 1000 + times[r]});
    own.units.push_back({.step = 1, .key = 3, .time = times[r]});
  }
  return work;
}

int64_t MedianOf(std::vector<int64_t> values) {
  std::ranges::sort(values);
  const int64_t low = values[(values.size() - 1) / 2], high = values[values.size() / 2];
  return low + (high - low) / 2;
}

TEST(ExpectedWork, IsTheMedianOfTheOtherRanks) {
  for (size_t ranks = 2; ranks <= 31; ++ranks) {
    std::vector<int64_t> times;
    for (size_t r = 0; r < ranks; ++r) times.push_back(static_cast<int64_t>(r * 37 % 11));
    const std::vector<OwnWork> work = WorkOf(times);
    for (uint32_t r = 0; r < ranks; ++r) {
      std::vector<int64_t> others = times;
      others.erase(others.begin() + r);
      EXPECT_EQ(ExpectedAsPeers(work, r).back(), MedianOf(others)) << ranks << " ranks, " << r;
    }
  }
}

TEST(ExpectedWork, IsAsRecordedWhereNoPeerHasTheUnit) {
  EXPECT_EQ(ExpectedAsPeers(WorkOf({5, 9}), 0), (std::vector<int64_t>{1005, 9}));
  EXPECT_EQ(ExpectedAsPeers(WorkOf({5, 9, 8}), 0), (std::vector<int64_t>{1008, 8}));
}

TEST(ExpectedWork, ComparesManyRanksWithSome) {
  std::vector<int64_t> times(100, 10);
  times[3] = 99;  // not among those that others are compared with
  const std::vector<OwnWork> work = WorkOf(times);
  EXPECT_EQ(ExpectedAsPeers(work, 3).back(), 10);
  EXPECT_EQ(ExpectedAsPeers(work, 6).back(), 10);
}

TEST(ExpectedWork, AsBeforeIsTheMedianOfItsEarlierSteps) {
  OwnWork own;
  for (uint32_t step = 0; step < 4; ++step)
    own.units.push_back({.step = step, .key = 1, .time = 10 + step});
  own.units.push_back({.step = 3, .key = 2, .time = 5});  // new: before it took nothing
  EXPECT_EQ(ExpectedAsBefore(own, 3), (std::vector<int64_t>{10, 11, 12, 11, 0}));
}

}  // namespace
}  // namespace stepscope::expected_work_test
