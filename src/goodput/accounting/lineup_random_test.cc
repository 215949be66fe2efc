// Holds random jobs of several ranks against what was planted: each second's bucket is known, since
// the test makes the events from it.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/scenario.h"

namespace stepscope::goodput::lineup_random_test {
namespace {

// A job as it really went, second by second, and what its ranks recorded of it.
class PlantedJob {
 public:
  explicit PlantedJob(unsigned seed) : random_(seed), ranks_(1 + Below(6)) {
    const int64_t planned = 1 + Below(4);
    for (int64_t a = 0; a < planned; ++a) Attempt(a, a + 1 == planned);
    FindLost();
  }

  std::vector<Event> events;
  BucketTimes truth{};
  int64_t attempts = 0;

 private:
  struct Step {
    int64_t attempt = 0, step = 0, time = 0;
    bool finished = true;
  };

  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  void Take(Bucket bucket, int64_t seconds) {
    truth[static_cast<size_t>(bucket)] += seconds * kSecond;
    now_ += seconds;
  }
  // Ranks are at most a few tenths of a second apart; the leader is exact.
  void Tell(EventKind kind, int64_t step = kUnknown, const std::string& text = {}) {
    for (int64_t rank = 0; rank < ranks_; ++rank) {
      const double late = rank == 0 ? 0 : 0.1 + 0.01 * static_cast<double>(rank);
      Event event{.kind = kind, .time = ScenarioTime(static_cast<double>(now_) + late)};
      event.step = step;
      event.text = text;
      event.writer = ScenarioWriter(std::to_string(rank) + "process" + std::to_string(attempts));
      event.sequence = sequence_++;
      events.push_back(event);
    }
  }
  // Heartbeats of all ranks, the last one exactly at the end.
  void Beat(int64_t seconds) {
    for (int64_t k = 0; k < seconds; ++k) {
      ++now_;
      if (now_ % 10 == 0 || k + 1 == seconds) {
        Event event{.kind = EventKind::kHeartbeat,
                    .time = ScenarioTime(static_cast<double>(now_)),
                    .writer = ScenarioWriter("0process" + std::to_string(attempts)),
                    .sequence = sequence_++};
        events.push_back(event);
      }
    }
    now_ -= seconds;
  }

  void Span(EventKind begin, Bucket bucket, int64_t seconds, const std::string& text = {}) {
    Tell(begin, kUnknown, text);
    Take(bucket, seconds);
    Tell(static_cast<EventKind>(static_cast<int>(begin) + 1), kUnknown, text);
  }

  void Attempt(int64_t a, bool last) {
    if (a > 0) Take(Bucket::kRecovery, 40 + Below(200));
    Tell(EventKind::kJobStart);
    Span(EventKind::kAcceleratorInitBegin, Bucket::kAcceleratorInit, 1 + Below(20));
    Take(Bucket::kOther, Below(5));
    if (a > 0) first_ = std::max<int64_t>(0, next_ - Below(8));
    next_ = first_;
    for (const int64_t end = next_ + 5 + Below(30); next_ < end; ++next_) OneStep(a);
    if (last) {
      Tell(EventKind::kJobEnd);
    } else {
      Die(a);
    }
    ++attempts;
  }

  void OneStep(int64_t a) {
    Tell(EventKind::kStepStart, next_);
    steps_.push_back({a, next_, 6, true});
    now_ += 3;
    if (Below(3) == 0) Span(EventKind::kDataLoadingBegin, Bucket::kDataLoading, 1 + Below(3));
    if (Below(9) == 0) Span(EventKind::kCustomBegin, Bucket::kCustom, 2 + Below(40), "eval");
    if (next_ > first_ && Below(12) == 0) Take(Bucket::kSlowStep, 60 + Below(500));
    now_ += 3;
    Tell(EventKind::kStepEnd, next_);
    if (Below(3) == 0) {
      Span(EventKind::kDataLoadingBegin, Bucket::kDataLoading, 1 + Below(4));
    } else {
      Take(Bucket::kOther, Below(3));
    }
  }

  // In a step, after some usual time, and perhaps a hang.
  void Die(int64_t a) {
    Tell(EventKind::kStepStart, next_);
    const int64_t hung = Below(2) == 0 ? 0 : 600 + Below(1000);
    Beat(6 + hung);
    steps_.push_back({a, next_, 6, false});
    now_ += 6;
    Take(Bucket::kHungStep, hung);
    if (Below(2) == 0) ++next_;  // saved at the last moment: goes on after it
  }

  void FindLost() {
    std::vector<int64_t> first(static_cast<size_t>(attempts), -1);
    for (const Step& s : steps_) {
      int64_t& f = first[static_cast<size_t>(s.attempt)];
      if (f < 0) f = s.step;
    }
    for (const Step& s : steps_) {
      bool lost = false;
      for (size_t later = static_cast<size_t>(s.attempt) + 1; later < first.size(); ++later) {
        lost = lost || s.step >= first[later];
      }
      truth[static_cast<size_t>(lost ? Bucket::kWasted : Bucket::kProductive)] += 6 * kSecond;
    }
  }

  std::mt19937_64 random_;
  int64_t ranks_;
  int64_t now_ = 0, next_ = 0, first_ = 0, sequence_ = 0;
  std::vector<Step> steps_;
};

std::string Text(const BucketTimes& times) {
  std::string text;
  for (size_t b = 0; b < kBuckets; ++b) {
    if (times[b] == 0) continue;
    text += fmt::format("{} {:.1f}; ", BucketName(static_cast<Bucket>(b)),
                        static_cast<double>(times[b]) / 1e9);
  }
  return text;
}

TEST(LineupRandom, EachSecondIsInItsBucket) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    PlantedJob job(seed);
    for (const int order : {0, 1, 2}) {
      std::vector<Event> events = job.events;
      if (order == 1) std::ranges::stable_sort(events, {}, &Event::writer);
      if (order == 2) std::ranges::stable_sort(events, std::greater<>(), &Event::writer);
      Accounting accounting;
      for (const Event& event : events) accounting.Add(event);
      const Partition p = accounting.Query();
      ASSERT_EQ(p.unaccounted, 0);
      ASSERT_EQ(std::ssize(p.attempts), job.attempts);
      for (size_t b = 0; b < kBuckets; ++b) {
        ASSERT_NEAR(static_cast<double>(p.times[b]), static_cast<double>(job.truth[b]),
                    2e-3 * static_cast<double>(p.total()))
            << BucketName(static_cast<Bucket>(b)) << "\n"
            << Text(p.times) << "\n"
            << Text(job.truth);
      }
    }
  }
}

}  // namespace
}  // namespace stepscope::goodput::lineup_random_test
