// Tests the form of a secret and the comparison of two.
#include "base/secret.h"

#include <gtest/gtest.h>

namespace stepscope::secret_test {
namespace {

TEST(Secret, IsNeverTheSame) {
  const auto one = NewSecret(), other = NewSecret();
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->size(), 32u);
  EXPECT_EQ(one->find_first_not_of("0123456789abcdef"), one->npos);
  EXPECT_NE(*one, *other);
}

TEST(Secret, IsTheSameOnlyAsAWhole) {
  EXPECT_TRUE(SameSecret("abc", "abc"));
  EXPECT_FALSE(SameSecret("abc", "abd"));
  EXPECT_FALSE(SameSecret("abc", "ab"));
  EXPECT_FALSE(SameSecret("", "a"));
}

}  // namespace
}  // namespace stepscope::secret_test
