// Tests what polls are answered, in every order of events that was seen to harm.
#include "capture/torch/desk.h"

#include <gtest/gtest.h>

#include "base/time_units.h"

namespace stepscope::capture::desk_test {
namespace {

constexpr int64_t kNow = 1'700'000'000 * kSecond;
const Poll kReady{.type = 2, .job = 0, .pids = {7}}, kBusy{.type = 0, .job = 0, .pids = {7}};

TraceRequest Window(int64_t start = 0) {
  return {.file = "/tmp/a/0.json", .duration = 300 * kMillisecond, .start = start};
}

TEST(TorchDesk, HandsARequestOutOnce) {
  Desk desk;
  EXPECT_EQ(desk.Answer(7, "client", kReady, kNow, kNow), "");
  ASSERT_TRUE(desk.Offer(7, Window(), kNow).has_value());
  EXPECT_EQ(desk.Answer(8, "other", kReady, kNow, kNow), "");
  const auto text = desk.Answer(7, "client", kReady, kNow + kSecond, kNow + kSecond);
  ASSERT_TRUE(text.has_value());
  EXPECT_TRUE(text->contains("ACTIVITIES_DURATION_MSECS=300\n")) << *text;
  EXPECT_TRUE(text->contains("PROFILE_START_TIME=1700000004000\n")) << *text;
  EXPECT_EQ(desk.StateOf(7).start, kNow + 4 * kSecond);
  EXPECT_EQ(desk.Answer(7, "client", kReady, kNow + 6 * kSecond, kNow + 6 * kSecond), "");
}

TEST(TorchDesk, AnswersOneOfTwoPollsAtOnce) {
  Desk desk;
  EXPECT_EQ(desk.Answer(7, "client", kReady, kNow, kNow), "");
  const int64_t next = kNow + kMillisecond / 2;
  EXPECT_EQ(desk.Answer(7, "client", kReady, next, next), std::nullopt);
  EXPECT_EQ(desk.Answer(9, "another", kReady, next, next), "");
}

TEST(TorchDesk, NeverAnswersLate) {
  Desk desk;
  ASSERT_TRUE(desk.Offer(7, Window(), kNow).has_value());
  EXPECT_EQ(desk.Answer(7, "client", kReady, kNow, kNow + 60 * kMillisecond), std::nullopt);
  EXPECT_TRUE(desk.StateOf(7).waiting);
  EXPECT_NE(desk.Answer(7, "client", kReady, kNow + 5 * kSecond, kNow + 5 * kSecond), "");
}

TEST(TorchDesk, KeepsARequestWhileTheProcessRecords) {
  Desk desk;
  ASSERT_TRUE(desk.Offer(7, Window(), kNow).has_value());
  EXPECT_EQ(desk.Answer(7, "client", kBusy, kNow, kNow), "");
  EXPECT_EQ(desk.StateOf(7).last_busy, kNow);
  EXPECT_TRUE(desk.StateOf(7).waiting);
}

TEST(TorchDesk, TakesBackWhatCouldNotBeSent) {
  Desk desk;
  ASSERT_TRUE(desk.Offer(7, Window(), kNow).has_value());
  EXPECT_NE(desk.Answer(7, "client", kReady, kNow, kNow), "");
  desk.NotSent(7);
  EXPECT_NE(desk.Answer(7, "client", kReady, kNow + kSecond, kNow + kSecond), "");
}

TEST(TorchDesk, HasOneOfferForAProcess) {
  Desk desk;
  ASSERT_TRUE(desk.Offer(7, Window(), kNow).has_value());
  EXPECT_FALSE(desk.Offer(7, Window(), kNow).has_value());
  desk.Answer(7, "client", kReady, kNow, kNow);
  EXPECT_FALSE(desk.Offer(7, Window(), kNow + kSecond).has_value());
  desk.Over(7);
  EXPECT_TRUE(desk.Offer(7, Window(), kNow + kSecond).has_value());
  desk.Withdraw(7);
  EXPECT_EQ(desk.Answer(7, "client", kReady, kNow + 5 * kSecond, kNow + 5 * kSecond), "");
}

TEST(TorchDesk, KeepsACommonStartUnlessItIsTooNear) {
  Desk desk;
  ASSERT_TRUE(desk.Offer(7, Window(kNow + 8 * kSecond), kNow).has_value());
  ASSERT_TRUE(desk.Offer(8, Window(kNow + 8 * kSecond), kNow).has_value());
  desk.Answer(7, "a", kReady, kNow + kSecond, kNow + kSecond);
  desk.Answer(8, "b", kReady, kNow + 7 * kSecond, kNow + 7 * kSecond);
  EXPECT_EQ(desk.StateOf(7).start, kNow + 8 * kSecond);
  EXPECT_EQ(desk.StateOf(8).start, kNow + 10 * kSecond);
}

}  // namespace
}  // namespace stepscope::capture::desk_test
