// Tests that inflating undoes compressing.
#include "base/gzip.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace stepscope::gzip_test {
namespace {

TEST(Gzip, GivesBackWhatItWasGiven) {
  std::string large;
  for (int64_t k = 0; k < 300'000; ++k) large += std::to_string(k * 7919 % 100'003);
  for (const std::string& bytes :
       {std::string(), std::string("a"), std::string(5000, 'x'), large}) {
    const std::string packed = Gzip(bytes);
    EXPECT_TRUE(packed.starts_with("\x1f\x8b"));
    EXPECT_EQ(Gunzip(packed), bytes);
  }
  EXPECT_LT(Gzip(large).size(), large.size());
}

TEST(Gzip, SaysWhatIsDamaged) {
  std::string packed = Gzip("some words, and the same some words");
  packed.resize(packed.size() - 3);
  EXPECT_FALSE(Gunzip(packed).has_value());
}

}  // namespace
}  // namespace stepscope::gzip_test
