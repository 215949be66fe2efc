// Checks that an accounting that drops what lies long back answers like one that keeps all.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/time_units.h"
#include "goodput/accounting/accounting.h"
#include "tests/support/scenario.h"

namespace stepscope::goodput::accounting_thin_test {
namespace {

constexpr int64_t kBegin = 1'780'000'000 * kSecond;
constexpr int64_t kExact = 256;

// Two accountings of the same events, one of which drops what lies long back.
class Pair {
 public:
  void Tell(EventKind kind, int64_t time, int64_t step = kUnknown) {
    Event event;
    event.kind = kind;
    event.job = "llm";
    event.writer = writer;
    event.time = time;
    event.step = step;
    event.sequence = sequence_++;
    all.Add(event);
    thin.Add(event);
    thin.ThinOld(kExact);
  }

  // Steps from `first` to `last`, each of 900 ms with 100 ms until the next one, a save each 50.
  void Steps(int64_t first, int64_t last) {
    for (int64_t step = first; step <= last; ++step) {
      Tell(EventKind::kStepStart, now, step);
      const bool hangs = step % 1000 == 500;
      now += 900 * kMillisecond + (hangs ? 20 * kSecond : 0);
      Tell(EventKind::kStepEnd, now, step);
      now += 10 * kMillisecond;
      if (step % 50 == 0) {
        Tell(EventKind::kCheckpointSaveBegin, now, step);
        Tell(EventKind::kCheckpointSaveEnd, now + 30 * kMillisecond, step);
      }
      now += 90 * kMillisecond;
    }
  }

  // Another process goes on at `step`.
  void Restart(int64_t step) {
    writer = "host-" + std::to_string(step) + "/1/r0";
    now += 30 * kSecond;
    sequence_ = 0;
    Tell(EventKind::kJobStart, now);
    now += 10 * kSecond;
    Tell(EventKind::kResumeFrom, now, step);
  }

  void ExpectSame(const PartitionQuery& query) {
    const Partition one = all.Query(query), other = thin.Query(query);
    EXPECT_EQ(one.times, other.times);
    EXPECT_EQ(one.disruptions, other.disruptions);
    EXPECT_EQ(one.max_productive_step, other.max_productive_step);
    ASSERT_EQ(one.attempts.size(), other.attempts.size());
    for (size_t a = 0; a < one.attempts.size(); ++a) {
      EXPECT_EQ(one.attempts[a].times, other.attempts[a].times);
      EXPECT_EQ(one.attempts[a].steps, other.attempts[a].steps);
      ASSERT_EQ(one.attempts[a].slowest.has_value(), other.attempts[a].slowest.has_value());
      if (!one.attempts[a].slowest) continue;
      EXPECT_EQ(one.attempts[a].slowest->step, other.attempts[a].slowest->step);
      EXPECT_EQ(one.attempts[a].slowest->beyond, other.attempts[a].slowest->beyond);
    }
  }

  Accounting all, thin;
  int64_t now = kBegin;
  std::string writer = "host/1/r0";

 private:
  int64_t sequence_ = 0;
};

TEST(AccountingThin, ALongJobTakesLittle) {
  Pair pair;
  pair.Tell(EventKind::kJobStart, pair.now);
  pair.Steps(0, 20'000);
  EXPECT_GT(pair.all.kept(), 40'000U);
  // Some steps and overlays of each minute, and twice the exact ones with theirs.
  EXPECT_LT(pair.thin.kept(), static_cast<size_t>(20'001 / 60 * 6 + 4 * kExact));
  pair.ExpectSame({.at = pair.now});
}

// What is kept exactly takes some 5 bytes for each step, and 9 for each time between two.
TEST(AccountingThin, WhatIsKeptExactlyTakesFewBytes) {
  Pair pair;
  pair.Tell(EventKind::kJobStart, pair.now);
  pair.Steps(0, 3000);
  pair.all.Query();  // saves are told before the time around them: now they are in order
  EXPECT_LT(pair.all.kept_bytes(), 10 * pair.all.kept());
}

// A process that is over takes little, and its steps can still be asked about.
TEST(AccountingThin, ProcessesThatAreOverTakeFewBytes) {
  Pair pair;
  pair.Tell(EventKind::kJobStart, pair.now);
  constexpr int64_t kSteps = 310;
  for (int64_t process = 0; process < 40; ++process) {
    pair.Steps(process * kSteps, (process + 1) * kSteps - 1);
    pair.Restart((process + 1) * kSteps);
  }
  EXPECT_LT(pair.thin.kept_bytes(), 40U * 1200);
  pair.ExpectSame({.at = pair.now});
  EXPECT_EQ(pair.thin.step_clock().median(), pair.all.step_clock().median());
  EXPECT_EQ(pair.thin.step_clock().recent_deviation(), pair.all.step_clock().recent_deviation());
}

TEST(AccountingThin, RestartsLoseTheSame) {
  Pair pair;
  pair.Tell(EventKind::kJobStart, pair.now);
  pair.Steps(0, 3000);
  for (int64_t from = 2900; from < 20'000; from += 2900) {
    pair.Restart(from);
    pair.ExpectSame({.at = pair.now});
    pair.Steps(from, from + 3000);
    pair.ExpectSame({.at = pair.now});
  }
  EXPECT_LT(pair.thin.kept(), 5000U);
  EXPECT_EQ(pair.thin.Query().disruptions, 6);
}

TEST(AccountingThin, WindowsOfLateAreExactAndEarlierOnesToAMinute) {
  Pair pair;
  pair.Tell(EventKind::kJobStart, pair.now);
  pair.Steps(0, 10'000);
  pair.ExpectSame({.at = pair.now, .window = Interval{pair.now - 5 * kMinute / 2, pair.now}});
  const PartitionQuery query{.at = pair.now, .window = Interval{pair.now - kHour, pair.now}};
  const Partition one = pair.all.Query(query), other = pair.thin.Query(query);
  for (size_t b = 0; b < one.times.size(); ++b) {
    EXPECT_LE(std::abs(one.times[b] - other.times[b]), 6 * kSecond);  // what a minute has of gaps
  }
  EXPECT_EQ(other.unaccounted, 0);
}

TEST(AccountingThin, AStepOfLongAgoIsLostToAMinute) {
  Pair pair;
  pair.Tell(EventKind::kJobStart, pair.now);
  pair.Steps(0, 10'000);
  pair.Restart(1234);
  pair.Steps(1234, 1300);
  const Partition one = pair.all.Query({.at = pair.now}), other = pair.thin.Query({.at = pair.now});
  const auto wasted = [](const Partition& p) { return p.At(Bucket::kWasted); };
  EXPECT_GT(wasted(one), 7000 * kSecond);
  EXPECT_LE(std::abs(wasted(one) - wasted(other)), kMinute);
  EXPECT_EQ(other.unaccounted, 0);
}

// A start, and so many steps of 6 s, of which an evaluation takes 2 s each.
std::vector<Event> StepsWithSpans(int64_t count) {
  std::vector<Event> events = EventsOf("[0] 0 start");
  const auto tell = [&](EventKind kind, int64_t second, int64_t step) {
    events.push_back({.kind = kind, .time = kScenarioStart + second * kSecond, .step = step});
    events.back().writer = events.front().writer;
    events.back().sequence = std::ssize(events) - 1;
    if (step == kUnknown) events.back().text = "eval";
  };
  for (int64_t k = 0; k < count; ++k) {
    tell(EventKind::kStepStart, 6 * k, k);
    tell(EventKind::kCustomBegin, 6 * k + 3, kUnknown);
    tell(EventKind::kCustomEnd, 6 * k + 5, kUnknown);
  }
  return events;
}

Accounting Taken(const std::vector<Event>& events) {
  Accounting accounting;
  for (const Event& event : events) accounting.Add(event);
  return accounting;
}

// What a saved state keeps of `until`, which `whole` continues.
Accounting Saved(const std::vector<Event>& until, const std::vector<Event>& whole) {
  Accounting loaded;
  EXPECT_TRUE(loaded.Load(Taken(until).SaveThinned(Taken(whole))));
  return loaded;
}

// Of 10,000 spans all are kept, of more of them one per minute: of those of a process that goes on
// the last hour, 600, exactly. Of the steps there is one per minute, too, and of the last ones 256.
TEST(AccountingThin, VeryManySpansAreSavedByTheMinute) {
  const std::vector<Event> many = StepsWithSpans(10'000), more = StepsWithSpans(10'001);
  const size_t steps = 1000 + 256;
  EXPECT_NEAR(static_cast<double>(Saved(many, many).kept()), 10'000 + steps, 30);
  Accounting saved = Saved(more, more), all = Taken(more);
  EXPECT_NEAR(static_cast<double>(saved.kept()), 600 + 940 + steps, 30);
  EXPECT_EQ(saved.Query().times, all.Query().times);
  const int64_t end = more.back().time;
  const PartitionQuery query{.window = Interval{end - 59 * kMinute, end}, .periods = true};
  EXPECT_EQ(saved.Query(query).periods, all.Query(query).periods);
}

// Also where two steps were told, and only those.
TEST(AccountingThin, VeryManySpansInTheSecondStepAreSavedByTheMinute) {
  std::vector<Event> events = EventsOf("[0] 0 start; 0 step 0; 6 step 1");
  for (const Event& event : StepsWithSpans(10'001))
    if (event.kind == EventKind::kCustomBegin || event.kind == EventKind::kCustomEnd)
      events.push_back(event);
  Accounting saved = Saved(events, events), all = Taken(events);
  EXPECT_LT(saved.kept(), 2000U);
  EXPECT_EQ(saved.Query().times, all.Query().times);
}

// Of an attempt that is over, they are by the minute to its end. The next one goes back to a step
// within a minute: what is lost is exact, to the last span.
TEST(AccountingThin, SpansOfAnAttemptThatIsOverAreCutWhereItMatters) {
  for (const int64_t back : {4003, 10'000}) {
    const std::vector<Event> first = StepsWithSpans(10'001);
    std::vector<Event> whole = first;
    for (const Event& event : EventsOf(fmt::format(
             "[0] 60100 start; 60110..60130 steps {}..{}; 60130 end", back, back + 1))) {
      whole.push_back(event);
    }
    Accounting saved = Saved(first, whole), all = Taken(whole);
    for (size_t e = first.size(); e < whole.size(); ++e) saved.Add(whole[e]);
    EXPECT_EQ(saved.Query().times, all.Query().times) << back;
    EXPECT_EQ(saved.Query().attempts.at(0).times, all.Query().attempts.at(0).times) << back;
    Accounting over;
    ASSERT_TRUE(over.Load(Taken(whole).SaveThinned(Taken(whole))));
    EXPECT_EQ(over.Query().times, all.Query().times) << back;
    EXPECT_NEAR(static_cast<double>(over.kept()), 1000 + 1000, 30) << back;
  }
}

// Long steps, the recorded end of the last one, and a planned end are kept exactly.
TEST(AccountingThin, SpansAroundALongStepAreCutAtIt) {
  for (const char* end :
       {"[0] 60320 heartbeat", "[0] 60305 step_end 10001; 60320 heartbeat", "[0] 60321 end"}) {
    std::vector<Event> events = StepsWithSpans(10'001);
    for (const Event& event : EventsOf(
             fmt::format("[0] 60301 step 10001; 60302..60303 eval; {}; [0b] 60330 start", end))) {
      events.push_back(event);
    }
    Accounting saved = Saved(events, events), all = Taken(events);
    EXPECT_EQ(saved.Query().times, all.Query().times) << end;
  }
}

}  // namespace
}  // namespace stepscope::goodput::accounting_thin_test
