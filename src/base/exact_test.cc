// Tests numbers for programs.
#include "base/exact.h"

#include <gtest/gtest.h>

#include <limits>

namespace stepscope::exact_test {
namespace {

std::string Exact(auto value) {
  std::string out;
  AppendExact(out, value);
  return out;
}

TEST(AppendExact, NumbersReadBackAsTheSame) {
  EXPECT_EQ(Exact(std::numeric_limits<int64_t>::max()), "9223372036854775807");
  EXPECT_EQ(Exact(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(Exact(0.1), "0.1");
  EXPECT_EQ(Exact(1.0), "1.0");
  EXPECT_EQ(Exact(1e300), "1e+300");
  EXPECT_EQ(Exact(1.0 / 3), "0.3333333333333333");
}

}  // namespace
}  // namespace stepscope::exact_test
