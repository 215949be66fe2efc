// Checks that an accounting that drops what lies long back answers like one that keeps all.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/time_units.h"
#include "goodput/accounting/accounting.h"

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

}  // namespace
}  // namespace stepscope::goodput::accounting_thin_test
