// Numbers come back as they were put in, whatever they are; and alike numbers take little.
#include "base/narrow_array.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace stepscope {
namespace {

template <class T>
NarrowArray<T> Narrow(const std::vector<T>& numbers) {
  NarrowArray<T> array;
  for (const T number : numbers) array.Append(number);
  return array;
}

template <class T>
void ExpectSame(const NarrowArray<T>& array, const std::vector<T>& numbers) {
  ASSERT_EQ(array.size(), numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(array[i], numbers[i]) << i;
}

TEST(NarrowArray, StartsEmpty) {
  const NarrowArray<int64_t> array;
  EXPECT_TRUE(array.empty());
  EXPECT_EQ(array.bytes(), 0u);
  EXPECT_EQ(array.LowerBound(0), 0u);
}

// Blocks are of 512: none, part of one, one, and several.
TEST(NarrowArray, GivesBackNumbersOfEveryWidth) {
  std::mt19937_64 random(1);
  for (const size_t count : {1, 511, 512, 513, 1024, 3000}) {
    for (int bits = 0; bits <= 64; ++bits) {
      std::vector<int64_t> numbers;
      for (size_t i = 0; i < count; ++i) {
        const uint64_t above = bits == 0 ? 0 : random() >> (64 - bits);
        numbers.push_back(static_cast<int64_t>(above - 77));
      }
      ExpectSame(Narrow(numbers), numbers);
    }
  }
}

TEST(NarrowArray, GivesBackTheLargestAndTheSmallest) {
  std::vector<int64_t> numbers;
  std::vector<uint32_t> ids;
  for (int i = 0; i < 600; ++i) {
    numbers.push_back(std::numeric_limits<int64_t>::min());
    numbers.push_back(std::numeric_limits<int64_t>::max());
    ids.push_back(i % 7 == 0 ? UINT32_MAX : static_cast<uint32_t>(i));
  }
  ExpectSame(Narrow(numbers), numbers);
  ExpectSame(Narrow(ids), ids);
  EXPECT_EQ(Narrow(ids).back(), 599u);
}

TEST(NarrowArray, GivesBackFractions) {
  const std::vector<double> some = {0.0, -0.0, 0.25, -1.5, 1e300, -1e-300, 5};
  std::vector<double> numbers;
  for (size_t i = 0; i < 1500; ++i) numbers.push_back(some[i % some.size()]);
  ExpectSame(Narrow(numbers), numbers);
}

TEST(NarrowArray, TakesAsManyBytesAsItsNumbersDiffer) {
  constexpr size_t kCount = 512 * 1000;
  NarrowArray<int64_t> alike, near, times;
  for (size_t i = 0; i < kCount; ++i) {
    alike.Append(1'700'000'000'000'000'000);
    near.Append(static_cast<int64_t>(i % 200));
    times.Append(1'700'000'000'000'000'000 + static_cast<int64_t>(i) * 2'000);  // 1 ms in a block
  }
  EXPECT_LT(alike.bytes(), kCount / 10);
  EXPECT_LT(near.bytes(), kCount * 11 / 10);
  EXPECT_LT(times.bytes(), kCount * 31 / 10);
}

TEST(NarrowArray, FindsTheFirstThatIsNotLess) {
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < 2000; ++i) numbers.push_back(i / 3 * 2);  // 0 0 0 2 2 2 4 4 4 ...
  const auto array = Narrow(numbers);
  EXPECT_EQ(array.LowerBound(0), 0u);
  EXPECT_EQ(array.LowerBound(1), 3u);
  EXPECT_EQ(array.LowerBound(342), 513u);
  EXPECT_EQ(array.LowerBound(1332), 1998u);
  EXPECT_EQ(array.LowerBound(1333), 2000u);
}

TEST(NarrowArray, GoesThroughThoseThatAreEqual) {
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < 2000; ++i) numbers.push_back(i < 1024 ? i % 300 - 100 : i);
  const auto array = Narrow(numbers);
  const auto places_of = [&](int64_t value, size_t most) {
    std::vector<size_t> places;
    array.ForEachEqual(value, [&](size_t i) {
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

TEST(NarrowArray, MovesWithItsNumbers) {
  auto array = Narrow<int64_t>(std::vector<int64_t>(700, 5));
  const NarrowArray<int64_t> moved = std::move(array);
  ExpectSame(moved, std::vector<int64_t>(700, 5));
}

// What was read may be let go; what follows stays as it was.
TEST(NarrowArray, KeepsWhatFollowsWhatIsLetGo) {
  constexpr size_t kCount = 4'000'000;
  NarrowArray<int64_t> array;
  for (size_t i = 0; i < kCount; ++i) array.Append(static_cast<int64_t>(i * i % 1'000'003));
  array.LetGo(kCount / 2);
  for (size_t i = kCount / 2; i < kCount; ++i)
    ASSERT_EQ(array[i], static_cast<int64_t>(i * i % 1'000'003)) << i;
  array.LetGo(kCount);
  array.Append(7);
  EXPECT_EQ(array.back(), 7);
}

}  // namespace
}  // namespace stepscope
