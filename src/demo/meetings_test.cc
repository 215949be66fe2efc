// Tests how work of ranks that wait for one another is placed in time.
#include "demo/meetings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <vector>

namespace stepscope::demo::meetings_test {
namespace {

std::array<int32_t, kLanes> After(std::initializer_list<int32_t> launches) {
  std::array<int32_t, kLanes> after;
  after.fill(kNone);
  std::ranges::copy(launches, after.begin());
  return after;
}

Launch Work(int64_t ready, int64_t duration, std::initializer_list<int32_t> after = {}) {
  return {.ready = ready, .duration = duration, .after = After(after)};
}

Launch Of(Meeting meeting, std::initializer_list<int32_t> after = {}) {
  return {.meeting = meeting, .after = After(after)};
}

size_t Place(std::vector<std::vector<Launch>>& ranks) {
  std::vector<std::span<Launch>> spans(ranks.begin(), ranks.end());
  return PlaceLaunches(1, spans);
}

TEST(PlaceLaunches, WorkWaitsForItsHostAndForWhatItComesAfter) {
  std::vector<std::vector<Launch>> ranks = {{Work(100, 50), Work(0, 7, {0}), Work(500, 7, {1})}};
  ranks[0][1].gap = 3;
  EXPECT_EQ(Place(ranks), 0u);
  EXPECT_EQ(ranks[0][0].slot.end, 150);
  EXPECT_EQ(ranks[0][1].slot.start, 153);
  EXPECT_EQ(ranks[0][2].slot.start, 500);
}

TEST(PlaceLaunches, AMeetingEndsForAllWhenTheLastHasCome) {
  constexpr Meeting kMeeting{.key = 7, .members = 2, .duration = 10};
  std::vector<std::vector<Launch>> ranks = {
      {Of(kMeeting), Work(0, 5, {0})},  // comes first, and waits
      {Work(0, 1000), Of(kMeeting, {0}), Work(0, 5, {1})}};
  EXPECT_EQ(Place(ranks), 0u);
  EXPECT_EQ(ranks[0][0].slot.start, 0);
  EXPECT_EQ(ranks[1][1].slot.start, 1000);
  EXPECT_GE(ranks[0][0].slot.end, 1010 - 1);
  EXPECT_EQ(ranks[0][0].slot.end, ranks[1][1].slot.end);
  EXPECT_EQ(ranks[0][1].slot.start, ranks[0][0].slot.end);
  EXPECT_EQ(ranks[1][2].slot.start, ranks[0][0].slot.end);
}

TEST(PlaceLaunches, TellsOfMeetingsThatNeverComeAbout) {
  constexpr Meeting kOne{.key = 1, .members = 2, .duration = 10};
  constexpr Meeting kOther{.key = 2, .members = 2, .duration = 10};
  // Each waits for the other in another meeting: both of theirs, and what comes after, stay open.
  std::vector<std::vector<Launch>> ranks = {{Of(kOne), Of(kOther, {0})},
                                            {Of(kOther), Of(kOne, {0})}};
  EXPECT_EQ(Place(ranks), 4u);
}

}  // namespace
}  // namespace stepscope::demo::meetings_test
