// Tests rises in noise that only adds.
#include "base/rise.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/random.h"

namespace stepscope {
namespace {

// Time between two operators, in 10 us, of a job of 16 steps on a busy machine.
TEST(Rise, IsFoundInNoiseThatOnlyAdds) {
  const std::vector<int64_t> values = {54,   30,   31,   29,   240,  230,  1210, 1040,
                                       1320, 1040, 1330, 1190, 1340, 1040, 1050, 1520};
  const auto rise = FindRise(values, {.least = 300, .times = 3});
  ASSERT_TRUE(rise);
  EXPECT_EQ(rise->at, 6U);
  EXPECT_NEAR(rise->Difference(), 1140, 100);
}

TEST(Rise, AnExceptionBeforeDoesNotHideIt) {
  const std::vector<int64_t> values = {540,  30,   31,   29,   30,   30,   1090, 1070,
                                       1040, 1480, 1160, 1040, 1460, 1450, 1040, 1040};
  const auto rise = FindRise(values, {.least = 300, .times = 3});
  ASSERT_TRUE(rise);
  EXPECT_EQ(rise->at, 6U);
}

TEST(Rise, TwoHighValuesAtTheEndAreNone) {
  const std::vector<int64_t> values = {20, 20, 20, 20, 20, 20, 10,  20,
                                       20, 10, 20, 20, 20, 30, 430, 610};
  EXPECT_FALSE(FindRise(values, {.least = 300, .times = 3}));
}

TEST(Rise, ManyHighValuesBeforeAreNone) {
  const std::vector<int64_t> values = {20,  900, 20,  900, 20,  900, 900, 900,
                                       900, 900, 900, 900, 900, 900, 900, 900};
  EXPECT_FALSE(FindRise(values, {.least = 300, .times = 3}));
}

TEST(Rise, IsNoFall) {
  std::vector<int64_t> values(16, 1000);
  for (size_t i = 8; i < 16; ++i) values[i] = 10;
  EXPECT_FALSE(FindRise(values, {.least = 300, .times = 3}));
}

TEST(Rise, FewValuesSayNothing) {
  EXPECT_FALSE(FindRise({}, {.least = 1}));
  const std::vector<int64_t> values = {1, 1, 1, 9, 9, 9, 9};
  EXPECT_FALSE(FindRise(values, {.least = 1, .times = 3}));
}

TEST(Spell, IsOneStretchThatEndsAgain) {
  const std::vector<int64_t> values = {40, 20, 20, 30, 900, 800, 950, 870, 910, 20, 30, 20, 20};
  const auto spell = FindSpell(values, {.least = 300, .times = 3});
  ASSERT_TRUE(spell);
  EXPECT_EQ(spell->at, 4U);
  EXPECT_EQ(spell->end, 9U);
  EXPECT_NEAR(spell->Difference(), 880, 30);
  EXPECT_FALSE(FindRise(values, {.least = 300, .times = 3}));
}

TEST(Spell, NeedsAnEndAndNoOtherHighValue) {
  EXPECT_FALSE(FindSpell({}, {.least = 1}));
  const auto is_one = [](std::vector<int64_t> values) {
    return FindSpell(values, {.least = 300, .times = 3}).has_value();
  };
  EXPECT_TRUE(is_one({20, 20, 20, 20, 20, 900, 900, 900, 20}));
  EXPECT_FALSE(is_one({20, 20, 20, 20, 20, 20, 900, 900, 900}));    // it does not end
  EXPECT_FALSE(is_one({900, 900, 900, 20, 20, 20, 20, 20, 20}));    // a warm-up
  EXPECT_FALSE(is_one({20, 20, 20, 20, 900, 900, 20, 20, 20}));     // two may be chance
  EXPECT_FALSE(is_one({20, 900, 20, 20, 20, 900, 900, 900, 20}));   // another one
  EXPECT_FALSE(is_one({20, 20, 900, 900, 900, 900, 900, 20, 20}));  // usual
}

// What else runs takes the processor in a fifth of the steps, at random.
TEST(Rise, IsRareInNoise) {
  Random random(1, 0);
  int found = 0;
  for (int series = 0; series < 10'000; ++series) {
    std::vector<int64_t> values;
    for (int step = 0; step < 16; ++step)
      values.push_back(30 + (random.Below(5) == 0 ? 400 + random.Below(800) : 0));
    if (FindRise(values, {.least = 300, .times = 3})) ++found;
  }
  EXPECT_LE(found, 100);
}

}  // namespace
}  // namespace stepscope
