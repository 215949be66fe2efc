// Tests that medians of peers are those of all but the rank itself.
#include "facts/derived/replay/expected_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace stepscope::expected_work_test {
namespace {

// A unit of its own name.
void Add(uint32_t step, StringId name, int64_t time, OwnWork& own) {
  const auto first = static_cast<uint32_t>(own.times.size());
  own.runs.push_back({.step = step, .of = {.name = name}, .first = first, .count = 1});
  own.times.push_back(time);
}

// Ranks with one unit that all have, and one that every other rank has.
std::vector<OwnWork> WorkOf(const std::vector<int64_t>& times) {
  std::vector<uint32_t> peers(times.size());
  std::iota(peers.begin(), peers.end(), 0);
  std::vector<OwnWork> work;
  for (size_t r = 0; r < times.size(); ++r) {
    OwnWork& own = work.emplace_back();
    own.peers = peers;
    if (r % 2 == 0) Add(0, 7, 1000 + times[r], own);
    Add(1, 3, times[r], own);
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

TEST(ExpectedWork, OfTheHostIsNothingWhereNoPeerHasTheUnit) {
  std::vector<OwnWork> work = WorkOf({5, 9});
  for (OwnWork& own : work)
    for (UnitRun& run : own.runs) run.of.kind = UnitKind::kHost;
  EXPECT_EQ(ExpectedAsPeers(work, 0), (std::vector<int64_t>{0, 9}));
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
  for (uint32_t step = 0; step < 4; ++step) Add(step, 1, 10 + step, own);
  Add(3, 2, 5, own);  // new: before it took nothing
  EXPECT_EQ(ExpectedAsBefore(own, 3), (std::vector<int64_t>{10, 11, 12, 11, 0}));
}

}  // namespace
}  // namespace stepscope::expected_work_test
