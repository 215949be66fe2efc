// Checks that duplicates are found at any distance.
#include "goodput/accounting/duplicates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace stepscope::goodput::duplicates_test {
namespace {

Event Step(int64_t step, int64_t time) {
  return {.kind = EventKind::kStepStart, .time = time, .step = step};
}

TEST(Duplicates, CountsAJoinedLogOnce) {
  Duplicates duplicates;
  for (int pass = 0; pass < 2; ++pass) {
    for (int64_t s = 0; s < 1000; ++s) EXPECT_EQ(duplicates.Seen(Step(s, 10 * s)), pass == 1) << s;
  }
  EXPECT_FALSE(duplicates.Seen(Step(1000, 10'000)));
}

TEST(Duplicates, AnyDifferenceMakesAnEventNew) {
  Duplicates duplicates;
  EXPECT_FALSE(duplicates.Seen(Step(1, 10)));
  EXPECT_FALSE(duplicates.Seen(Step(2, 10)));
  EXPECT_FALSE(duplicates.Seen(Step(1, 9)));
  Event other = Step(1, 10);
  other.job = "another";
  EXPECT_FALSE(duplicates.Seen(other));
  Event custom{.kind = EventKind::kCustomBegin, .time = 10, .text = "a"};
  EXPECT_FALSE(duplicates.Seen(custom));
  custom.text = "b";
  EXPECT_FALSE(duplicates.Seen(custom));
  EXPECT_TRUE(duplicates.Seen(custom));
}

// Many at one time, as a batch that was flushed late.
TEST(Duplicates, ManyAtOneTime) {
  Duplicates duplicates;
  for (int pass = 0; pass < 2; ++pass) {
    for (int64_t s = 0; s < 50; ++s) EXPECT_EQ(duplicates.Seen(Step(s, 7)), pass == 1);
  }
}

TEST(Duplicates, SequenceNumbersIdentifyEvents) {
  Duplicates duplicates;
  const auto numbered = [&](const char* writer, int64_t sequence) {
    Event event = Step(0, 0);  // nothing else tells them apart
    event.writer = writer;
    event.sequence = sequence;
    return duplicates.Seen(event);
  };
  EXPECT_FALSE(numbered("a", 0));
  EXPECT_FALSE(numbered("a", 2));
  EXPECT_FALSE(numbered("b", 0));
  EXPECT_EQ(duplicates.Missing(), 1);
  EXPECT_TRUE(numbered("a", 2));
  EXPECT_FALSE(numbered("a", 1));
  EXPECT_TRUE(numbered("a", 1));
  EXPECT_EQ(duplicates.Missing(), 0);
}

// Two events that only the clock that never steps tells apart, or only a count of theirs.
TEST(Duplicates, MonotonicTimesAndCountsTellEventsApart) {
  Duplicates duplicates;
  Event event = Step(1, 10);
  event.monotonic = 5;
  EXPECT_FALSE(duplicates.Seen(Step(1, 10)));
  EXPECT_FALSE(duplicates.Seen(event));
  EXPECT_TRUE(duplicates.Seen(event));
  for (const EventKind kind : {EventKind::kElasticSlices, EventKind::kResources,
                               EventKind::kActivity, EventKind::kDropped}) {
    Event counted{.kind = kind, .time = 10};
    counted.counts[0] = 1;
    EXPECT_FALSE(duplicates.Seen(counted));
    counted.counts[0] = 2;
    EXPECT_FALSE(duplicates.Seen(counted));
    EXPECT_TRUE(duplicates.Seen(counted));
  }
  for (const EventKind kind : {EventKind::kCheckpointSave, EventKind::kCheckpointRestore,
                               EventKind::kCheckpointEmergencyRestore}) {
    Event checkpoint{.kind = kind, .time = 10};
    EXPECT_FALSE(duplicates.Seen(checkpoint));
    checkpoint.checkpoint.get_old_steps.duration = 3;
    EXPECT_FALSE(duplicates.Seen(checkpoint));
    EXPECT_TRUE(duplicates.Seen(checkpoint));
  }
}

// What was seen of each writer is kept, whatever is missing: the first event, some between, none.
TEST(Duplicates, WhatWasSeenIsSaved) {
  const std::vector<int64_t> seen = {1, 2, 5, 6, 7, 9};
  const auto numbered = [](const char* writer, int64_t sequence) {
    Event event = Step(0, 0);
    event.writer = writer;
    event.sequence = sequence;
    return event;
  };
  Duplicates duplicates, loaded;
  for (const int64_t sequence : seen) duplicates.Seen(numbered("late", sequence));
  for (int64_t sequence = 0; sequence < 4; ++sequence) duplicates.Seen(numbered("whole", sequence));
  for (const int64_t sequence : {0, 2}) duplicates.Seen(numbered("gap", sequence));
  EXPECT_EQ(duplicates.Missing(), 4 + 0 + 1);
  StateWriter out;
  duplicates.SaveWriters(out);
  StateReader in(out.bytes());
  loaded.LoadWriters(in);
  ASSERT_TRUE(in.ok());
  EXPECT_TRUE(in.rest().empty());
  EXPECT_EQ(loaded.Missing(), 5);
  for (int64_t sequence = 0; sequence < 12; ++sequence) {
    EXPECT_EQ(loaded.Seen(numbered("late", sequence)), std::ranges::count(seen, sequence) == 1)
        << sequence;
    EXPECT_EQ(loaded.Seen(numbered("whole", sequence)), sequence < 4) << sequence;
    EXPECT_EQ(loaded.Seen(numbered("gap", sequence)), sequence == 0 || sequence == 2) << sequence;
  }
}

// An event that comes after later ones is late, unless it came before.
TEST(Duplicates, LateOnesAreCounted) {
  Duplicates duplicates;
  for (const int64_t sequence : {0, 3, 1, 1, 4, 2}) {
    Event event = Step(0, 0);
    event.writer = "a";
    event.sequence = sequence;
    duplicates.Seen(event);
  }
  EXPECT_EQ(duplicates.late(), 2);
}

}  // namespace
}  // namespace stepscope::goodput::duplicates_test
