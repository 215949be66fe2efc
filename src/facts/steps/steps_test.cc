// Tests step selections as users write them, and the activities they leave.
#include "facts/steps/steps.h"

#include <gtest/gtest.h>

#include <climits>
#include <vector>

namespace stepscope::steps_test {
namespace {

using Mode = StepSelection::Mode;

TEST(ParseSteps, ReadsTheFourForms) {
  EXPECT_EQ(ParseSteps("all")->mode, Mode::kAll);
  EXPECT_EQ(ParseSteps("complete")->mode, Mode::kComplete);
  for (const auto& [text, first, last] : std::vector<std::tuple<const char*, int64_t, int64_t>>{
           {"7", 7, 7},
           {"0", 0, 0},
           {"3..7", 3, 7},
           {"3..3", 3, 3},
           {"3-7", 3, 7},
           {"0..9223372036854775807", 0, INT64_MAX}}) {
    const auto steps = ParseSteps(text);
    ASSERT_TRUE(steps) << text;
    EXPECT_EQ(steps->mode, Mode::kRanges);
    ASSERT_EQ(steps->ranges.size(), 1U);
    EXPECT_EQ(steps->ranges.front().first, first);
    EXPECT_EQ(steps->ranges.front().second, last);
  }
}

TEST(ParseSteps, SaysWhatIsMeantOtherwise) {
  for (const char* text :
       {"", "ALL", "7..3", "..", "3..", "..7", "3...7", "3-", "-1", "1,", ",2", "1,,2", "1, 2",
        " 7", "7 ", "1e3", "+1", "9223372036854775808", "some"}) {
    const auto steps = ParseSteps(text);
    ASSERT_FALSE(steps) << text;
    EXPECT_TRUE(steps.error().what.contains("'" + std::string(text) + "'"));
    EXPECT_EQ(steps.error().where, "`steps`");
    EXPECT_TRUE(steps.error().hint.contains("3..7"));
  }
}

// Steps 3, 4 and 6, the last one incomplete, a kernel in each, and one in none.
RankActivity Sample() {
  RankActivity rank;
  rank.steps = {{3, 0, 10, true}, {4, 10, 20, true}, {6, 20, 30, false}};
  for (int32_t s = -1; s < 3; ++s)
    rank.activities.Append({.start = s * 10 + 10, .end = s * 10 + 15, .step = s});
  return rank;
}

// The numbers of the steps of the selected activities, in order.
std::vector<int64_t> Selected(const char* text) {
  const RankActivity chosen = SelectSteps(Sample(), *ParseSteps(text));
  std::vector<int64_t> numbers;
  for (const Activity& w : chosen.activities) {
    numbers.push_back(w.step == kNoStep ? -1 : chosen.steps.at(static_cast<size_t>(w.step)).number);
  }
  return numbers;
}

TEST(SelectSteps, ListsOfStepsAndRangesCountTogether) {
  EXPECT_EQ(Selected("3,6"), (std::vector<int64_t>{3, 6}));
  EXPECT_EQ(Selected("6,3..4"), (std::vector<int64_t>{3, 4, 6}));
  EXPECT_EQ(Selected("1,4"), (std::vector<int64_t>{4}));
}

TEST(SelectSteps, KeepsTheWorkOfTheStepsThatCount) {
  using Numbers = std::vector<int64_t>;
  EXPECT_EQ(Selected("all"), (Numbers{-1, 3, 4, 6}));
  EXPECT_EQ(Selected("complete"), (Numbers{3, 4}));
  EXPECT_EQ(Selected("4"), (Numbers{4}));
  EXPECT_EQ(Selected("4..9"), (Numbers{4, 6}));
  EXPECT_EQ(Selected("5"), Numbers{});
}

TEST(DescribeSteps, JoinsWhatFollowsOneAnother) {
  RankActivity other;
  other.steps = {{5, 0, 1, true}, {9, 1, 2, true}};
  EXPECT_EQ(DescribeSteps({}), "none");
  EXPECT_EQ(DescribeSteps(std::vector{RankActivity{}}), "none");
  EXPECT_EQ(DescribeSteps(std::vector{Sample()}), "3..4, 6");
  EXPECT_EQ(DescribeSteps(std::vector{Sample(), other}), "3..6, 9");
}

// A record of communication that was open when recording stopped makes no step longer, where
// processors compute; a device's step lasts until its work is done.
TEST(StepStretches, EndWithTheAnnotationWherePyTorchComputesOnProcessors) {
  RankActivity rank;
  rank.steps = {{1, 0, 100, true}};
  rank.activities.Append(
      {.start = 20, .end = 300, .launched = 20, .step = 0, .kind = Kind::kCommunication});
  EXPECT_EQ(StepStretches(rank).front().end, 300);
  rank.on_host = true;
  EXPECT_EQ(StepStretches(rank).front().end, 100);
  EXPECT_TRUE(StepStretches(rank).front().has_work);
  rank.framework = Framework::kJax;
  EXPECT_EQ(StepStretches(rank).front().end, 300) << "steps of JAX only start programs";
}

}  // namespace
}  // namespace stepscope::steps_test
