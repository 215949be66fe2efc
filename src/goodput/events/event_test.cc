// Checks names of kinds, and begins of spans.
#include "goodput/events/event.h"

#include <gtest/gtest.h>

#include <set>

namespace stepscope::goodput::event_test {
namespace {

TEST(Event, NamesAreUnique) {
  std::set<std::string_view> names;
  for (size_t k = 0; k < static_cast<size_t>(EventKind::kCount); ++k) {
    const auto kind = static_cast<EventKind>(k);
    EXPECT_TRUE(names.insert(EventKindName(kind)).second) << EventKindName(kind);
    EXPECT_EQ(EventKindNamed(EventKindName(kind)), kind);
  }
  EXPECT_EQ(EventKindNamed("of a later version"), EventKind::kNone);
  EXPECT_EQ(EventKindName(static_cast<EventKind>(200)), "none");
}

TEST(Event, BeginOfFindsTheBegin) {
  EXPECT_EQ(BeginOf(EventKind::kCustomEnd), EventKind::kCustomBegin);
  EXPECT_EQ(BeginOf(EventKind::kElasticReinitEnd), EventKind::kElasticReinitBegin);
  EXPECT_EQ(BeginOf(EventKind::kCheckpointRestoreEnd), EventKind::kCheckpointRestoreBegin);
  EXPECT_EQ(BeginOf(EventKind::kCustomBegin), EventKind::kNone);
  EXPECT_EQ(BeginOf(EventKind::kStepEnd), EventKind::kNone);
}

// Stored files hold these numbers.
TEST(Event, KindsKeepTheirNumbers) {
  EXPECT_EQ(static_cast<int>(EventKind::kStepStart), 3);
  EXPECT_EQ(static_cast<int>(EventKind::kElasticSlices), 21);
  EXPECT_EQ(static_cast<int>(EventKind::kDropped), 29);
  EXPECT_EQ(static_cast<int>(EventKind::kCheckpointSaveBegin), 32);
  EXPECT_EQ(static_cast<int>(EventKind::kLabel), 36);
}

}  // namespace
}  // namespace stepscope::goodput::event_test
