// Clocks of hosts that differ: the answer is as with right clocks, or says what is not known.
#include <gtest/gtest.h>

#include "goodput/accounting/servers_clock.h"
#include "tests/goodput_situations.h"

namespace stepscope::testing::goodput_clocks_test {
namespace {

using goodput::Event;

class GoodputClocks : public GoodputSituations {
 protected:
  // The scenario with the processes of these names, such as "/0/boot" or "b-", on a host of its
  // own, whose clock is off.
  static std::vector<Event> OnHost(const std::string& scenario,
                                   const std::vector<std::string>& names, double off) {
    std::vector<Event> events = Planted(scenario);
    for (Event& event : events) {
      const bool there = std::ranges::any_of(
          names, [&](const std::string& name) { return event.writer.contains(name); });
      if (!there) continue;
      event.writer.replace(0, 4, "next");
      event.time += static_cast<int64_t>(off) * kSecond;
    }
    return events;
  }
};

constexpr double kOffs[] = {30, -30, 90, -90, 2400, -3600, 7200};

// 25 minutes in two attempts, of which the first ends in a crash.
constexpr const char* kFourRanks =
    "[0] 0 start 0; 10..610 steps 0..59 \n [1] 0 start 0; 10..610 steps 0..59;"
    "[2] 1 start 0; 10..610 steps 0..59; [3] 1 start 0; 10..605 steps 0..59;"
    "[0b] 700 start 1; 720..1500 steps 50..127; 1500 end; [1b] 700 start 1; 720..1500 steps "
    "50..127; 1500 end;"
    "[2b] 701 start 1; 720..1500 steps 50..127; 1500 end; [3b] 701 start 1; 720..1500 steps "
    "50..127; 1500 end";

TEST_F(GoodputClocks, RanksOfAHostThatIsOff) {
  const std::string truth = Told(Planted(kFourRanks));
  EXPECT_EQ(truth,
            "PRODUCTIVE 1280, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 100, "
            "WASTED_PROGRESS_FROM_DISRUPTION 90, OTHER 30");
  for (const double off : kOffs) {
    for (const std::vector<std::string>& ranks : {std::vector<std::string>{"/0/boot", "/1/boot"},
                                                  {"/2/boot", "/3/boot"},
                                                  {"/0/boot"},
                                                  {"/3/boot"}}) {
      EXPECT_EQ(Told(OnHost(kFourRanks, ranks, off)), truth)
          << off << " on the host of " << ranks[0];
      EXPECT_TRUE(Notes("other_clock")) << off << " on the host of " << ranks[0];
    }
  }
}

// The job has come to where its ranks are, not to where the clock of the one is.
TEST_F(GoodputClocks, ARunningJobWithAHostAhead) {
  goodput::Accounting accounting;
  for (const Event& event :
       OnHost("[0] 0 start 0; 10..610 steps 0..59; [1] 0 start 0; 10..610 steps 0..59", {"/0/boot"},
              3600)) {
    accounting.Add(event);
  }
  EXPECT_EQ(goodput::Summary(accounting.Query()),
            "total 600: PRODUCTIVE 590, OTHER 10; 0 disruptions; last step 58");
}

// Ranks that wait for each other within a step are on one clock.
TEST_F(GoodputClocks, ARankThatIsLateInEachStep) {
  Told(OnHost(
      "[0] 0 start 0; 0..6000 steps 0..59; 6000 end; [1] 0 start 0; 40..6040 steps 0..59; 6040 end",
      {"/1/boot"}, 0));
  EXPECT_FALSE(Notes("other_clock"));
}

// The launcher counts restarts, so the second attempt did not begin an hour before the first ended.
TEST_F(GoodputClocks, ARestartOnAHostThatIsBehind) {
  const std::string restart =
      "[0] 0 start a~slurm.7.0; 0..1000 steps 0..99;"
      "[0b] 1060 start a~slurm.7.1; 1070..2070 steps 90..189; 2070 end";
  for (const double off : {-120., -1800., -3600., -7200., -86'400.}) {
    EXPECT_EQ(Told(OnHost(restart, {"b-"}, off)),
              "PRODUCTIVE 1900, WASTED_PROGRESS_FROM_DISRUPTION 90, OTHER 10")
        << off;
    EXPECT_TRUE(Notes("clock_order"));
    EXPECT_FALSE(Notes("two_clocks"));
  }
}

// The clocks of an attempt are compared by its steps first; by the order, they are moved together.
TEST_F(GoodputClocks, ARestartOnHostsThatAreBehindByDifferentTimes) {
  std::vector<Event> events = Planted(
      "[0] 0 start a~slurm.7.0; 0..1000 steps 0..99; [1] 0 start a~slurm.7.0; 0..1000 steps 0..99;"
      "[2] 0 start a~slurm.7.0; 0..1000 steps 0..99;"
      "[0b] 1060 start a~slurm.7.1; 1070..2070 steps 90..189; 2070 end;"
      "[1b] 1060 start a~slurm.7.1; 1070..2070 steps 90..189; 2070 end");
  const auto is_off = [](Event& event, std::string_view of, const char* host, int64_t by) {
    if (!event.writer.contains(of)) return;
    event.writer.replace(0, 4, host);
    event.time += by * kSecond;
  };
  for (Event& event : events) {
    is_off(event, "/1/boot/1/-", "one1", 600);
    is_off(event, "/0/boot/1/b-", "two0", -1800);
    is_off(event, "/1/boot/1/b-", "two1", -2700);
  }
  EXPECT_EQ(Told(events), "PRODUCTIVE 1900, WASTED_PROGRESS_FROM_DISRUPTION 90, OTHER 10");
  EXPECT_TRUE(Notes("clock_order"));
}

// Back on the first host it can be said on both sides.
TEST_F(GoodputClocks, AnAttemptBetweenTwoOnAnotherHost) {
  const std::string restarts =
      "[0] 0 start a~slurm.7.0; 0..1000 steps 0..99;"
      "[0b] 1060 start a~slurm.7.1; 1070..2070 steps 90..189;"
      "[0c] 2130 start a~slurm.7.2; 2140..3140 steps 180..279; 3140 end";
  for (const double off : {-3600., 3600.}) {
    EXPECT_EQ(Told(OnHost(restarts, {"b-"}, off)),
              "PRODUCTIVE 2800, WASTED_PROGRESS_FROM_DISRUPTION 180, "
              "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 140, OTHER 20")
        << off;
    EXPECT_TRUE(Notes("clock_order"));
  }
}

// Without counts, a resume tells the order: nobody goes on from a step before it is made.
TEST_F(GoodputClocks, AResumeBeforeItsStep) {
  const std::string resume =
      "[0] 0 start x; 0..1000 steps 0..99;"
      "[0b] 1060 start y; 1060 resume 90; 1070..2070 steps 90..189; 2070 end";
  EXPECT_EQ(Told(OnHost(resume, {"b-"}, -1800)),
            "PRODUCTIVE 1900, WASTED_PROGRESS_FROM_DISRUPTION 90, OTHER 10");
  EXPECT_TRUE(Notes("clock_order"));
}

// An hour behind a pause of one.
TEST_F(GoodputClocks, NothingContradictsAClockThatOnlyShortensAPause) {
  Told(
      OnHost("[0] 0 start a~slurm.7.0; 0..1000 steps 0..99;"
             "[0b] 5000 start a~slurm.7.1; 5000..6000 steps 90..189; 6000 end",
             {"b-"}, -3600));
  EXPECT_FALSE(Notes("clock_order"));
  EXPECT_TRUE(Notes("two_clocks"));
}

// From an hour's pause between two hosts nobody can tell a clock that is ahead.
TEST_F(GoodputClocks, APauseByTwoClocksIsSaidToBe) {
  Told(OnHost(
      "[0] 0 start x; 0..1000 steps 0..99; [0b] 1060 start y; 1060..2060 steps 90..189; 2060 end",
      {"b-"}, 3600));
  EXPECT_TRUE(Notes("two_clocks"));
  EXPECT_TRUE(Findings().contains("by the clocks of two hosts, which nothing compares"))
      << Findings();
}

// Clocks that are ahead of a server's.

Event Received(const char* writer, int64_t time, int64_t received) {
  Event event{.kind = goodput::EventKind::kHeartbeat, .time = time};
  event.writer = writer;
  event.received = received;
  return event;
}

TEST(ServersClock, ClocksMoreThanTenSecondsAheadAreMoved) {
  goodput::ServersClock clock;
  goodput::Notes notes;
  const Event near = Received("a/0/boot/1/x", 110 * kSecond, 100 * kSecond);
  EXPECT_EQ(&clock.Move(near, notes), &near);
  EXPECT_EQ(notes.Count(goodput::NoteKind::kClockAhead), 0);
  const Event ahead = Received("b/1/boot/1/x", 130 * kSecond, 100 * kSecond);
  const Event& moved = clock.Move(ahead, notes);
  EXPECT_EQ(moved.time, 100 * kSecond);
  EXPECT_EQ(moved.received, goodput::kUnknown);
  EXPECT_EQ(moved.writer, ahead.writer);
  EXPECT_EQ(notes.Count(goodput::NoteKind::kClockAhead), 1);
}

// The first event tells by how much; later ones of the host take longer to arrive, or not.
TEST(ServersClock, AHostHasOneClock) {
  goodput::ServersClock clock;
  goodput::Notes notes;
  clock.Move(Received("b/1/boot/1/x", 130 * kSecond, 100 * kSecond), notes);
  EXPECT_EQ(clock.Move(Received("b/2/boot/7/y", 150 * kSecond, 125 * kSecond), notes).time,
            120 * kSecond);
  EXPECT_EQ(notes.Count(goodput::NoteKind::kClockAhead), 1);
  clock.Move(Received("c/3/boot/1/x", 150 * kSecond, 125 * kSecond), notes);
  EXPECT_EQ(notes.Count(goodput::NoteKind::kClockAhead), 2);
  // Of names that tell no host, each is a clock.
  for (const char* writer : {"one", "two", "one"}) {
    clock.Move(Received(writer, 150 * kSecond, 125 * kSecond), notes);
  }
  EXPECT_EQ(notes.Count(goodput::NoteKind::kClockAhead), 4);
}

TEST(ServersClock, WithoutAReceiptOrATimeNothingMoves) {
  goodput::ServersClock clock;
  goodput::Notes notes;
  for (const Event& event :
       {Received("a", 130 * kSecond, goodput::kUnknown),
        Received("a", goodput::kUnknown, 100 * kSecond), Received("a", 130 * kSecond, -1)}) {
    EXPECT_EQ(&clock.Move(event, notes), &event);
  }
  const Event early = Received("a", 130 * kSecond, 0);
  EXPECT_EQ(clock.Move(early, notes).time, 0) << "a server of 1970";
}

TEST(ServersClock, AllTimesOfACheckpointMove) {
  Event event{.kind = goodput::EventKind::kCheckpointSave, .time = 100, .monotonic = 50};
  event.checkpoint.manager = {90, 5};
  event.checkpoint.broadcast = {80, 5};
  goodput::MoveBack(event, 30);
  EXPECT_EQ(event.time, 70);
  EXPECT_EQ(event.monotonic, 50);
  EXPECT_EQ(event.checkpoint.manager.start, 60);
  EXPECT_EQ(event.checkpoint.manager.duration, 5);
  EXPECT_EQ(event.checkpoint.broadcast.start, 50);
  EXPECT_EQ(event.checkpoint.wait_for_prev.start, goodput::kUnknown);
  Event none{.kind = goodput::EventKind::kCheckpointSave};
  goodput::MoveBack(none, 30);
  EXPECT_EQ(none.time, goodput::kUnknown);
}

}  // namespace
}  // namespace stepscope::testing::goodput_clocks_test
