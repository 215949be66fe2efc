// Tests that columns keep their values, below and above the size at which they move to pages.
#include "base/growing_array.h"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <utility>

namespace stepscope::growing_array_test {
namespace {

GrowingArray<int64_t> CountTo(int64_t count) {
  GrowingArray<int64_t> array;
  for (int64_t i = 0; i < count; ++i) array.Append(i);
  return array;
}

bool Counts(const GrowingArray<int64_t>& array) {
  for (size_t i = 0; i < array.size(); ++i) {
    if (array[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

TEST(GrowingArray, StartsEmpty) {
  const GrowingArray<int64_t> array;
  EXPECT_TRUE(array.empty());
  EXPECT_EQ(array.bytes(), 0u);
  EXPECT_TRUE(array.view().empty());
}

TEST(GrowingArray, KeepsItsValuesAcrossEveryGrowth) {
  // 4 MB, where pages are mapped instead of allocated, is 512 Ki values.
  for (const int64_t count : {1, 8, 9, 1000, 524'287, 524'288, 524'289, 3'000'000}) {
    const auto array = CountTo(count);
    EXPECT_EQ(array.size(), static_cast<size_t>(count));
    EXPECT_EQ(array.bytes(), static_cast<size_t>(count) * 8);
    EXPECT_TRUE(Counts(array)) << count;
  }
}

TEST(GrowingArray, HoldsTypesOfAnySize) {
  GrowingArray<char> bytes;
  for (int i = 0; i < 5'000'000; ++i) bytes.Append(static_cast<char>(i % 100));
  EXPECT_EQ(bytes[4'999'999], 99);
  struct Odd {
    char c[3];
  };
  GrowingArray<Odd> odd;
  for (int i = 0; i < 2'000'000; ++i) odd.Append({{1, 2, static_cast<char>(i % 100)}});
  EXPECT_EQ(odd[1'999'999].c[2], 99);
  EXPECT_EQ(odd[0].c[1], 2);
}

TEST(GrowingArray, ValuesCanBeChanged) {
  auto array = CountTo(10);
  array[3] = 33;
  EXPECT_EQ(array.view()[3], 33);
}

TEST(GrowingArray, MovesWithWhatItHolds) {
  for (const int64_t count : {10, 600'000}) {
    auto from = CountTo(count);
    auto to = CountTo(3);
    to = std::move(from);
    EXPECT_EQ(to.size(), static_cast<size_t>(count));
    EXPECT_TRUE(Counts(to));
    const GrowingArray<int64_t> last = std::move(to);
    EXPECT_TRUE(Counts(last));
  }
}

TEST(GrowingArray, AppendsManyAtOnce) {
  GrowingArray<int64_t> array;
  for (int64_t i = 0; i < 1'500'000; i += 3) array.Append(std::array{i, i + 1, i + 2});
  array.Append(std::span<const int64_t>());
  EXPECT_EQ(array.size(), 1'500'000u);
  EXPECT_TRUE(Counts(array));
}

TEST(GrowingArray, CopiesAreTheirOwn) {
  for (const int64_t count : {0, 10, 600'000}) {
    auto from = CountTo(count);
    auto copy = from;
    from.Append(-1);
    EXPECT_EQ(copy.size(), static_cast<size_t>(count));
    copy.Append(count);
    EXPECT_TRUE(Counts(copy));
    from = copy;
    EXPECT_TRUE(Counts(from));
  }
}

TEST(GrowingMemory, GivesAtLeastWhatWasAskedFor) {
  GrowingMemory memory;
  for (const size_t bytes : {size_t{1}, size_t{65}, size_t{5} << 20, size_t{9} << 20}) {
    memory.Grow(bytes);
    EXPECT_GE(memory.capacity(), bytes);
    static_cast<char*>(memory.data())[bytes - 1] = 'x';
  }
}

}  // namespace
}  // namespace stepscope::growing_array_test
