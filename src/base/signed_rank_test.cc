// Tests chances of signed ranks against tables and a normal distribution.
#include "base/signed_rank.h"

#include <gtest/gtest.h>

#include <vector>

namespace stepscope::signed_rank_test {
namespace {

// Of three differences, 8 choices of signs.
TEST(SignedRank, IsTheShareOfChoicesOfSigns) {
  EXPECT_DOUBLE_EQ(ChanceToBeAbove({1, 2, 3}), 1.0 / 8);
  EXPECT_DOUBLE_EQ(ChanceToBeAbove({-1, 2, 3}), 2.0 / 8);
  EXPECT_DOUBLE_EQ(ChanceToBeAbove({1, 2, -3}), 5.0 / 8);
  EXPECT_DOUBLE_EQ(ChanceToBeAbove({-1, -2, -3}), 1);
  EXPECT_DOUBLE_EQ(ChanceToBeAbove({}), 1);
}

// Published critical values for n = 12: 13 at 2.5 % of one side, 9 at 1 %.
TEST(SignedRank, AgreesWithPublishedTables) {
  const auto with_sum = [](std::vector<double> values, std::vector<int> negative) {
    for (const int rank : negative) values[static_cast<size_t>(rank - 1)] *= -1;
    return ChanceToBeAbove(values);
  };
  const std::vector<double> twelve{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_LE(with_sum(twelve, {1, 12}), 0.025);
  EXPECT_GT(with_sum(twelve, {2, 12}), 0.025);
  EXPECT_LE(with_sum(twelve, {9}), 0.01);
  EXPECT_GT(with_sum(twelve, {10}), 0.01);
}

TEST(SignedRank, EqualSizesShareTheirRanks) {
  EXPECT_DOUBLE_EQ(ChanceToBeAbove({0, 0}), 2.0 / 4);  // 1.5 of 3
  EXPECT_DOUBLE_EQ(ChanceToBeAbove({5, -5, 5, 5}), ChanceToBeAbove({-5, 5, 5, 5}));
}

TEST(SignedRank, IsContinuousWhereItBecomesNormal) {
  std::vector<double> values;
  for (int i = 1; i <= 51; ++i) values.push_back(i % 3 == 0 ? -i : i);
  const double normal = ChanceToBeAbove(values);
  values.pop_back();
  EXPECT_NEAR(ChanceToBeAbove(values), normal, 0.02);
}

}  // namespace
}  // namespace stepscope::signed_rank_test
