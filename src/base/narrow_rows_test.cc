// Tests that rows come back unchanged for all numbers, and that similar rows take little memory.
#include "base/narrow_rows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace stepscope::narrow_rows_test {
namespace {

using Rows = NarrowRows<3>;

Rows Narrow(const std::vector<Rows::Row>& rows) {
  Rows narrow;
  for (const Rows::Row& row : rows) narrow.Append(row);
  return narrow;
}

void ExpectSame(const Rows& narrow, const std::vector<Rows::Row>& rows) {
  ASSERT_EQ(narrow.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto at = narrow[i];
    ASSERT_EQ((Rows::Row{at.Get<0>(), at.Get<1>(), at.Get<2>()}), rows[i]) << i;
  }
}

// Blocks are of 512 rows: part of one, one, and several. Columns are of different widths.
TEST(NarrowRows, GivesBackNumbersOfEveryWidth) {
  std::mt19937_64 random(3);
  for (const int count : {1, 511, 512, 513, 1500}) {
    for (int bits = 0; bits <= 64; ++bits) {
      const auto number = [&](int most) {
        return static_cast<int64_t>((most == 0 ? 0 : random() >> (64 - most)) - 1000);
      };
      std::vector<Rows::Row> rows;
      for (int i = 0; i < count; ++i)
        rows.push_back({number(bits), number(64 - bits), number(bits * 7 % 65)});
      ExpectSame(Narrow(rows), rows);
    }
  }
}

TEST(NarrowRows, GivesBackTheLargestAndTheSmallest) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  std::vector<Rows::Row> rows;
  for (int i = 0; i < 600; ++i) {
    rows.push_back({kLeast, kMost, -1});
    rows.push_back({kMost, kMost, 0});
  }
  ExpectSame(Narrow(rows), rows);
}

TEST(NarrowRows, TakesAsManyBytesAsItsNumbersDiffer) {
  Rows rows;
  for (int64_t i = 0; i < 512'000; ++i)
    rows.Append({1'700'000'000'000'000'000 + i * 2000, i % 200, 7});
  EXPECT_LT(rows.bytes(), 512'000 * 45 / 10) << "3 bytes, 1 and none";
}

TEST(NarrowRows, FindsTheFirstThatIsNotLess) {
  std::vector<Rows::Row> rows;
  for (int64_t i = 0; i < 2000; ++i) rows.push_back({5, i / 3 * 2, -i});  // 0 0 0 2 2 2 4 4 4 ...
  const Rows narrow = Narrow(rows);
  EXPECT_EQ(narrow.LowerBound<1>(-9), 0u);
  EXPECT_EQ(narrow.LowerBound<1>(1), 3u);
  EXPECT_EQ(narrow.LowerBound<1>(342), 513u);
  EXPECT_EQ(narrow.LowerBound<1>(1333), 2000u);
  EXPECT_EQ(Rows().LowerBound<0>(0), 0u);
}

TEST(NarrowRows, GoesThroughThoseThatAreEqual) {
  std::vector<Rows::Row> rows;
  for (int64_t i = 0; i < 2000; ++i) rows.push_back({i, 1, i < 1024 ? i % 300 - 100 : i});
  const Rows narrow = Narrow(rows);
  const auto places_of = [&](int64_t value, size_t most) {
    std::vector<size_t> places;
    narrow.ForEachEqual<2>(value, [&](size_t i) {
      places.push_back(i);
      return places.size() < most;
    });
    return places;
  };
  EXPECT_EQ(places_of(-5, 100), (std::vector<size_t>{95, 395, 695, 995}));
  EXPECT_EQ(places_of(-5, 2), (std::vector<size_t>{95, 395}));
  EXPECT_EQ(places_of(1999, 100), std::vector<size_t>{1999}) << "in a block that is not full";
  for (const int64_t none : {int64_t{-101}, int64_t{500}, int64_t{2000}, INT64_MIN, INT64_MAX})
    EXPECT_TRUE(places_of(none, 100).empty()) << none;
}

// A copy has room behind its end too: the last rows are read with 8 bytes.
TEST(NarrowRows, CopiesAndMoves) {
  std::vector<Rows::Row> rows;
  for (int64_t i = 0; i < 1024; ++i) rows.push_back({i, i % 3, i * i});
  const Rows narrow = Narrow(rows);
  Rows copy = narrow;
  ExpectSame(copy, rows);
  const Rows moved = std::move(copy);
  ExpectSame(moved, rows);
}

TEST(NarrowRows, KeepsWhatFollowsWhatIsReleased) {
  constexpr int64_t kCount = 3'000'000;
  Rows rows;
  for (int64_t i = 0; i < kCount; ++i) rows.Append({i, i * i % 1'000'003, -i});
  rows.Release(kCount / 2);
  for (int64_t i = kCount / 2; i < kCount; ++i) {
    const auto row = rows[static_cast<size_t>(i)];
    ASSERT_EQ((Rows::Row{row.Get<0>(), row.Get<1>(), row.Get<2>()}),
              (Rows::Row{i, i * i % 1'000'003, -i}));
  }
}

}  // namespace
}  // namespace stepscope::narrow_rows_test
