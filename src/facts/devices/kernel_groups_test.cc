// Tests patterns of names.
#include "facts/devices/kernel_groups.h"

#include <gtest/gtest.h>

namespace stepscope::kernel_groups_test {
namespace {

TEST(KernelPatterns, StarsAndQuestionMarks) {
  EXPECT_TRUE(MatchesPattern("gemm", "gemm"));
  EXPECT_TRUE(MatchesPattern("gemm", "*"));
  EXPECT_TRUE(MatchesPattern("", "*"));
  EXPECT_TRUE(MatchesPattern("ncclDevKernel_AllReduce_Sum", "*AllReduce*"));
  EXPECT_TRUE(MatchesPattern("aXbXc", "a*X?"));
  EXPECT_TRUE(MatchesPattern("gemm", "g??m"));
  EXPECT_FALSE(MatchesPattern("gemm", "gem"));
  EXPECT_FALSE(MatchesPattern("gemm", "Gemm"));
  EXPECT_FALSE(MatchesPattern("gemm", "gemm?"));
  EXPECT_FALSE(MatchesPattern("gemm", ""));
  EXPECT_TRUE(MatchesPattern("", ""));
  EXPECT_FALSE(MatchesPattern("xaab", "xa*aab")) << "one a cannot be both";
}

TEST(KernelPatterns, ManyStarsEnd) {
  EXPECT_FALSE(MatchesPattern(std::string(20'000, 'a'), "*a*a*a*a*a*a*a*a*b"));
}

TEST(KernelPatterns, TheFirstGroupThatMatchesHasTheName) {
  StringTable names;
  const StringId a = names.Intern("abc"), b = names.Intern("bcd"), c = names.Intern("xyz");
  const std::vector<KernelGroup> groups = {{"one", {"a*"}}, {"two", {"*q*", "*c*"}}};
  const GroupedNames grouped = GroupNames(names, groups);
  EXPECT_EQ(grouped.Of(a), 0);
  EXPECT_EQ(grouped.Of(b), 1);
  EXPECT_EQ(grouped.Of(c), kNoGroup);
}

}  // namespace
}  // namespace stepscope::kernel_groups_test
