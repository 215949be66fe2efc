// Checks scheduling goodput of constructed jobs.
#include "goodput/accounting/scheduling.h"

#include <gtest/gtest.h>

#include "base/time_units.h"

namespace stepscope::goodput::scheduling_test {
namespace {

Event Resources(int64_t second, int64_t requested, int64_t allocated, int64_t healthy = kUnknown) {
  Event event{.kind = EventKind::kResources, .time = second * kSecond};
  event.counts[0] = requested;
  event.counts[1] = allocated;
  event.counts[2] = healthy;
  return event;
}

Scheduling Of(const std::vector<Event>& events) {
  Scheduling scheduling;
  for (const Event& event : events) scheduling.Add(event);
  return scheduling;
}

// Waits 10 s, runs 60, loses a chip's health for 5, runs 15 with half, is paused 20, runs 10.
const std::vector<Event> kEvents = {
    Resources(0, 8, 0),  Resources(10, 8, 8),  Resources(70, 8, 8, 7), Resources(75, 8, 4),
    Resources(90, 0, 8), Resources(110, 8, 8), Resources(120, 0, 0)};

TEST(Scheduling, EverySecondHasOneState) {
  const SchedulingTimes t = Of(kEvents).Query(1000 * kSecond);
  EXPECT_EQ(t.all_up, 70 * kSecond);
  EXPECT_EQ(t.unhealthy, 5 * kSecond);
  EXPECT_EQ(t.partial, 15 * kSecond);
  EXPECT_EQ(t.waiting, 10 * kSecond);
  EXPECT_EQ(t.paused, 20 * kSecond);
  EXPECT_EQ(t.wanted() + t.paused, 120 * kSecond);
  EXPECT_DOUBLE_EQ(*t.goodput(), 0.7);
  // 70 + 5 * 7/8 + 15 * 1/2 of 100
  EXPECT_DOUBLE_EQ(*t.elastic_goodput(), 0.81875);
}

TEST(Scheduling, WindowsAddUp) {
  const Scheduling scheduling = Of(kEvents);
  int64_t all_up = 0, wanted = 0;
  for (int64_t start = 0; start < 130; start += 13) {
    const auto part =
        scheduling.Query(1000 * kSecond, Interval{start * kSecond, (start + 13) * kSecond});
    all_up += part.all_up;
    wanted += part.wanted();
  }
  EXPECT_EQ(all_up, 70 * kSecond);
  EXPECT_EQ(wanted, 100 * kSecond);
}

TEST(Scheduling, ARunningJobCountsUntilNow) {
  const Scheduling scheduling = Of({Resources(0, 8, 0), Resources(10, 8, 8)});
  EXPECT_DOUBLE_EQ(*scheduling.Query(40 * kSecond).goodput(), 0.75);
  EXPECT_FALSE(scheduling.Query(0).goodput());
}

TEST(Scheduling, OrderAndInvalidCountsDoNotMatter) {
  std::vector<Event> events = kEvents;
  std::swap(events[0], events[6]);
  std::swap(events[2], events[3]);
  EXPECT_EQ(Of(events).Query(1000 * kSecond).all_up, 70 * kSecond);
  const auto odd = Of({Resources(5, -3, INT64_MAX), Resources(9, INT64_MAX, -1)});
  EXPECT_EQ(odd.Query(20 * kSecond).waiting, 11 * kSecond);
  EXPECT_FALSE(Of({Event{.kind = EventKind::kHeartbeat, .time = 1}}).known());
}

// A missing number of requested chips is that of the allocated ones.
TEST(Scheduling, ChipsThatAreNotToldAreThoseOfTheAllocation) {
  const SchedulingTimes t =
      Of({Resources(0, kUnknown, 4), Resources(10, 4, kUnknown), Resources(15, kUnknown, 0)})
          .Query(20 * kSecond);
  EXPECT_EQ(t.all_up, 10 * kSecond);
  EXPECT_EQ(t.waiting, 5 * kSecond);
  EXPECT_EQ(t.paused, 0);
}

TEST(Scheduling, OneChipIsEnoughToBeWanted) {
  const SchedulingTimes t = Of({Resources(0, 1, 1), Resources(10, 2, 1)}).Query(15 * kSecond);
  EXPECT_EQ(t.all_up, 10 * kSecond);
  EXPECT_EQ(t.partial, 5 * kSecond);
  EXPECT_DOUBLE_EQ(*t.elastic_goodput(), 12.5 / 15);
}

// More than were requested are no more than all.
TEST(Scheduling, TheMostRequestedAndTheFirst) {
  const Scheduling s = Of({Resources(7, 4, 9), Resources(5, 8, 8), Resources(9, 0, 0)});
  EXPECT_EQ(s.most_requested(), 8);
  EXPECT_EQ(s.first(), 5 * kSecond);
  EXPECT_DOUBLE_EQ(*s.Query(20 * kSecond).elastic_goodput(), 1);
  EXPECT_EQ(Of({}).first(), std::nullopt);
  EXPECT_FALSE(Of({Resources(0, 4, 4)}).Query(-1).goodput());
}

}  // namespace
}  // namespace stepscope::goodput::scheduling_test
