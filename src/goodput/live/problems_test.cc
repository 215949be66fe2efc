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
    problems.See("disk", problem, at * kSecond);
    problems.TellOver(at * kSecond);
  };
  for (int64_t at = 100; at <= 140; ++at) {
    second(at, at % 7 == 3 ? "" : "the disk is full");  // now and then it has room
  }
  ASSERT_EQ(told, std::vector<std::string>{"the disk is full"});
  for (int64_t at = 141; at < 160; ++at) second(at, "");
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[1], "over after 40.0 s: the disk is full");
  second(200, "the disk is full");  // again
  EXPECT_EQ(told.size(), 3U);
}

// One outage is one problem, whatever the errors say.
TEST(Problems, OfOneSourceAreOverTogether) {
  std::vector<std::string> told;
  Problems problems([&](const std::string& sentence) { told.push_back(sentence); });
  const auto see = [&](int64_t at, const std::string& problem) {
    problems.See("disk", "nearly full", at * kSecond);
    problems.See("database", problem, at * kSecond);
    problems.TellOver(at * kSecond);
  };
  for (int64_t at = 100; at < 102; ++at) see(at, "connection lost");
  for (int64_t at = 102; at < 130; ++at) see(at, "cannot connect");
  for (int64_t at = 130; at <= 160; ++at) see(at, "");
  EXPECT_EQ(told, (std::vector<std::string>{"nearly full", "connection lost", "cannot connect",
                                            "over after 29.0 s: connection lost"}));
}

}  // namespace
}  // namespace stepscope::goodput::problems_test
