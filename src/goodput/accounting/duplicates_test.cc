// Checks that duplicates are found at any distance.
#include "goodput/accounting/duplicates.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace stepscope::goodput::duplicates_test
