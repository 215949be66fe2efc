// Checks that each problem is told when it begins and when it is over.
#include "goodput/live/problems.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace stepscope::goodput::problems_test {
namespace {

TEST(Problems, AreToldOnceAndWhenTheyAreOver) {
  std::vector<std::string> told;
  Problems problems([&](const std::string& sentence) { told.push_back(sentence); });
  const auto second = [&](int64_t at, const std::string& problem) {
    problems.See(problem, at * kSecond);
    problems.TellOver(at * kSecond);
  };
  for (int64_t at = 100; at <= 140; ++at) {
    second(at, at % 7 == 3 ? "" : "the disk is full");  // now and then it has room
  }
  ASSERT_EQ(told, std::vector<std::string>{"the disk is full"});
  for (int64_t at = 141; at < 160; ++at) second(at, "");
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[1], "over after 40.0 s: the disk is full");
  second(200, "the disk is full");
  second(201, "the database is gone");
  ASSERT_EQ(told.size(), 4U);
  EXPECT_EQ(told[2], "the disk is full");
  for (int64_t at = 202; at < 230; ++at) second(at, "");
  EXPECT_EQ(told.size(), 6U);
}

}  // namespace
}  // namespace stepscope::goodput::problems_test
