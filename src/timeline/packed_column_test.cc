// Packed columns and times give back what was put in, in few bytes.
#include "timeline/packed_column.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "timeline/packed_times.h"

namespace stepscope {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

PackedColumn Packed(const std::map<uint32_t, int64_t>& pairs) {
  PackedColumn column;
  for (const auto& [key, value] : pairs) column.Append(key, value);
  column.Finish();
  return column;
}

std::vector<uint32_t> KeysOf(const PackedColumn& column, int64_t value) {
  std::vector<uint32_t> keys;
  column.ForEachKeyOf(value, [&](uint32_t key) {
    keys.push_back(key);
    return true;
  });
  return keys;
}

TEST(PackedColumn, FindsEveryValueAndNothingElse) {
  std::map<uint32_t, int64_t> pairs;
  for (uint32_t i = 0; i < 1000; ++i) pairs[i * i] = (i % 7) * 1'000'003 - 3'000'000;
  const PackedColumn column = Packed(pairs);
  for (uint32_t key = 0; key < 5000; ++key) {
    const auto at = pairs.find(key);
    EXPECT_EQ(column.Find(key), at == pairs.end() ? std::nullopt : std::optional(at->second));
  }
  EXPECT_EQ(column.Find(999 * 999), pairs.at(999 * 999));
  EXPECT_EQ(column.Find(UINT32_MAX), std::nullopt);
}

TEST(PackedColumn, TakesExtremes) {
  const PackedColumn column = Packed({{0, kLeast}, {1, 0}, {7, kMost}, {UINT32_MAX, -1}});
  EXPECT_EQ(column.Find(0), kLeast);
  EXPECT_EQ(column.Find(7), kMost);
  EXPECT_EQ(column.Find(UINT32_MAX), -1);
  EXPECT_EQ(KeysOf(column, kMost), std::vector<uint32_t>{7});
}

TEST(PackedColumn, FindsKeysOfAValue) {
  std::map<uint32_t, int64_t> pairs;
  for (uint32_t i = 0; i < 1000; ++i) pairs[3 * i] = i / 2;
  const PackedColumn column = Packed(pairs);
  EXPECT_EQ(KeysOf(column, 100), (std::vector<uint32_t>{600, 603}));
  EXPECT_TRUE(KeysOf(column, 500).empty());
  EXPECT_TRUE(KeysOf(column, -1).empty());
}

TEST(PackedColumn, EmptyHoldsNothing) {
  EXPECT_EQ(Packed({}).Find(0), std::nullopt);
  EXPECT_TRUE(KeysOf(Packed({}), 0).empty());
}

TEST(PackedColumn, NeighboursCostAByteOrTwo) {
  std::map<uint32_t, int64_t> pairs;
  for (uint32_t i = 0; i < 12800; ++i) pairs[i] = 4'000'000'000 + i;  // as correlation ids are
  EXPECT_LT(Packed(pairs).bytes(), 12800 * 2);
}

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
}  // namespace stepscope
