// Checks that numbers are read as by the standard library, to the bit.
#include "goodput/events/flat_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <random>
#include <string>

#include "goodput/events/rounding.h"

namespace stepscope::goodput::flat_json_test {
namespace {

void ExpectRead(const std::string& number) {
  FlatJson reader;
  Entry entry;
  ASSERT_TRUE(reader.Read("{\"time\": " + number + "}", entry)) << number;
  const double expected = std::strtod(number.c_str(), nullptr);
  EXPECT_EQ(std::bit_cast<uint64_t>(entry.Number(Field::kTime)), std::bit_cast<uint64_t>(expected))
      << number;
  EXPECT_EQ(entry.Integer(Field::kTime), std::llround(expected)) << number;
}

TEST(FlatJson, NumbersOfAllLengths) {
  std::mt19937_64 random(11);
  for (int k = 0; k < 100'000; ++k) {
    const uint64_t whole = random() % 10'000'000'000;
    const auto digits = static_cast<int>(1 + random() % 12);
    std::string fraction;
    for (int d = 0; d < digits; ++d) fraction += static_cast<char>('0' + random() % 10);
    ExpectRead(fmt::format("{}{}.{}", k % 7 == 0 ? "-" : "", whole, fraction));
  }
}

// Times as Python prints them, and what lies next to the middle between two doubles.
TEST(FlatJson, NumbersThatAreHardToRound) {
  std::mt19937_64 random(12);
  for (int k = 0; k < 100'000; ++k) {
    const double time = 1.78e9 + static_cast<double>(random() % 1'000'000'000'000) / 1e7;
    ExpectRead(fmt::format("{}", time));
    const double next = std::nextafter(time, 1e300);
    const auto middle =
        static_cast<long double>(time) + (static_cast<long double>(next) - time) / 2;
    ExpectRead(fmt::format("{:.7f}", middle));
    ExpectRead(fmt::format("{:.9f}", middle));
    ExpectRead(fmt::format("{:.12f}", middle));
  }
  for (const char* number :
       {"9007199254740993.0", "9007199254740993.5", "0.1", "0.30000000000000004",
        "4503599627370497.5", "123456789012345678.9", "0.5", "-0.5", "1.5"}) {
    ExpectRead(number);
  }
}

TEST(RoundToInteger, IsLlround) {
  std::mt19937_64 random(13);
  for (int k = 0; k < 100'000; ++k) {
    const double value = (static_cast<double>(random()) - 9.2e18) / std::pow(2.0, k % 70);
    EXPECT_EQ(RoundToInteger(value), std::llround(value)) << value;
  }
  for (const double value : {0.0, -0.0, 0.49999999999999994, 0.5, -0.5, 1.5, 2.5, -2.5,
                             0x1p52 - 0.5, 4503599627370497.5, -4503599627370497.5, 0x1p62}) {
    EXPECT_EQ(RoundToInteger(value), std::llround(value)) << value;
  }
}

}  // namespace
}  // namespace stepscope::goodput::flat_json_test
