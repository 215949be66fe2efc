// Tests that numbers of every type come back unchanged; narrow_rows_test.cc tests their storage.
#include "base/narrow_array.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace stepscope::narrow_array_test {
namespace {

template <class T>
void ExpectBack(const std::vector<T>& numbers) {
  NarrowArray<T> array;
  for (const T number : numbers) array.Append(number);
  ASSERT_EQ(array.size(), numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(array[i], numbers[i]) << i;
  EXPECT_EQ(array.back(), numbers.back());
}

template <class T>
std::vector<T> Extremes() {
  std::vector<T> numbers;
  for (int i = 0; i < 700; ++i) {
    numbers.push_back(std::numeric_limits<T>::min());
    numbers.push_back(std::numeric_limits<T>::max());
    numbers.push_back(static_cast<T>(i));
  }
  return numbers;
}

TEST(NarrowArray, GivesBackTheLargestAndTheSmallest) {
  ExpectBack(Extremes<int64_t>());
  ExpectBack(Extremes<uint32_t>());
  ExpectBack(Extremes<int32_t>());
  ExpectBack(Extremes<uint8_t>());
}

TEST(NarrowArray, StartsEmpty) {
  const NarrowArray<int64_t> array;
  EXPECT_TRUE(array.empty());
  EXPECT_EQ(array.bytes(), 0u);
  EXPECT_EQ(array.LowerBound(0), 0u);
}

TEST(NarrowArray, FindsTheFirstThatIsNotLess) {
  NarrowArray<uint32_t> array;
  for (uint32_t i = 0; i < 1000; ++i) array.Append(2 * i);
  EXPECT_EQ(array.LowerBound(0), 0u);
  EXPECT_EQ(array.LowerBound(1201), 601u);
  EXPECT_EQ(array.LowerBound(UINT32_MAX), 1000u);
}

}  // namespace
}  // namespace stepscope::narrow_array_test
