// Checks that numbers come back as they were put, small ones from few bytes.
#include "goodput/accounting/short_numbers.h"

#include <gtest/gtest.h>

namespace stepscope::goodput::short_numbers_test {
namespace {

TEST(ShortNumbers, ComeBackAsTheyWere) {
  const std::vector<uint64_t> numbers = {0, 1, 127, 128, 20'000'000, UINT64_MAX};
  const std::vector<int64_t> others = {0, -1, 63, -64, 64, INT64_MIN, INT64_MAX};
  ShortNumbers list;
  for (const uint64_t number : numbers) list.Put(number);
  for (const int64_t number : others) list.PutSigned(number);
  list.Fit();
  EXPECT_EQ(list.bytes(), 1U + 1 + 1 + 2 + 4 + 10 + 1 + 1 + 1 + 1 + 2 + 10 + 10);
  size_t at = 0;
  for (const uint64_t number : numbers) EXPECT_EQ(list.Take(at), number);
  for (const int64_t number : others) EXPECT_EQ(list.TakeSigned(at), number);
  EXPECT_EQ(at, list.bytes());
}

TEST(ShortNumbers, LittleIsReservedForMore) {
  ShortNumbers list;
  for (uint64_t k = 0; k < 10'000; ++k) {
    list.Put(k);
    EXPECT_LE(list.reserved(), list.bytes() + list.bytes() / 4 + 32);
  }
  list.Fit();
  EXPECT_EQ(list.reserved(), list.bytes());
}

}  // namespace
}  // namespace stepscope::goodput::short_numbers_test
