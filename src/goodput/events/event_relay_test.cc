// Checks that events arrive complete and in order, and that exceptions are passed on.
#include "goodput/events/event_relay.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace stepscope::goodput::event_relay_test {
namespace {

std::vector<Event> Relayed(const std::vector<Event>& events, size_t alone) {
  std::vector<Event> taken;
  const EventSink sink = [&](const Event& event) { taken.push_back(event); };
  EventRelay relay(sink, alone);
  for (const Event& event : events) relay.Give(event);
  relay.Finish();
  return taken;
}

Event Step(int64_t step) {
  return {.kind = EventKind::kStepStart, .time = 10 * step, .job = "j", .step = step};
}

std::vector<Event> Steps(int64_t count) {
  std::vector<Event> events;
  for (int64_t step = 0; step < count; ++step) events.push_back(Step(step));
  return events;
}

// Differs from the event before in anything, or in nothing.
Event Changed(Event event, std::mt19937_64& random) {
  const auto number = static_cast<int64_t>(random() % 3);
  const std::string text = number == 0 ? "" : std::string(random() % 40, 'x');
  switch (random() % 16) {
    case 0:
      event.kind = static_cast<EventKind>(random() % static_cast<uint64_t>(EventKind::kCount));
      break;
    case 1:
      event.job = text;
      break;
    case 2:
      event.attempt = text;
      break;
    case 3:
      event.writer = text;
      break;
    case 4:
      event.text = text;
      break;
    case 5:
      event.counts[random() % 3] = number;
      break;
    case 6:
      event.checkpoint.manager.duration = number;
      break;
    case 7:
      event.checkpoint.broadcast.start = number;
      break;
    case 8:
      event.monotonic = number;
      break;
    case 9:
      event.sequence = number == 0 ? kUnknown : number;
      break;
    case 10:
      break;
    case 11:
      event.step = static_cast<int64_t>(random());
      break;
    case 12:
      event.step = number == 0 ? kUnknown : number == 1 ? INT64_MAX : int64_t{1} << 31;
      break;
    default:
      event.time = static_cast<int64_t>(random());
      event.step = number;
      break;
  }
  return event;
}

// 8192 events are a batch, and four batches a ring.
TEST(EventRelay, KeepsOrderAcrossBatches) {
  for (const int64_t count : {0, 1, 8191, 8192, 8193, 4 * 8192, 4 * 8192 + 1, 100'000}) {
    const std::vector<Event> events = Steps(count);
    for (const size_t alone : {size_t{0}, size_t{1}, size_t{8192}, EventRelay::kNever}) {
      EXPECT_TRUE(Relayed(events, alone) == events) << count << " " << alone;
    }
  }
}

TEST(EventRelay, PassesEveryField) {
  std::mt19937_64 random(7);
  std::vector<Event> events{Step(1)};
  while (events.size() < 40'000) events.push_back(Changed(events.back(), random));
  EXPECT_TRUE(Relayed(events, 0) == events);
  EXPECT_TRUE(Relayed(events, 3) == events);
}

// Of several writers in turn, and of one that stays longer at times.
TEST(EventRelay, PassesAlternatingEvents) {
  std::vector<Event> events;
  for (int64_t k = 0; k < 10'000; ++k) {
    events.push_back(Step(k));
    events.back().writer = std::string(30, static_cast<char>('a' + k % 16));
    if (k % 100 < 3) events.back().kind = EventKind::kHeartbeat;
    if (k % 1000 < 7) events.back().writer = "again";
  }
  EXPECT_TRUE(Relayed(events, 0) == events);
}

TEST(EventRelay, LongTextsFillABatch) {
  std::vector<Event> events;
  for (int64_t k = 0; k < 300; ++k) {
    events.push_back(Step(k));
    events.back().text =
        std::string(static_cast<size_t>(k) * 1000, static_cast<char>('a' + k % 26));
  }
  EXPECT_TRUE(Relayed(events, 0) == events);
}

// Thousands of texts end the thread's work, and long after it another one begins.
TEST(EventRelay, StopsTheThreadForLargeEvents) {
  std::vector<Event> events;
  for (int64_t k = 0; k < 240'000; ++k) {
    events.push_back(Step(k));
    if (k % 120'000 < 5000) events.back().text = std::to_string(k);
  }
  std::vector<std::thread::id> threads;
  std::vector<Event> taken;
  const EventSink sink = [&](const Event& event) {
    taken.push_back(event);
    threads.push_back(std::this_thread::get_id());
  };
  EventRelay relay(sink, 10);
  for (const Event& event : events) relay.Give(event);
  relay.Finish();
  EXPECT_TRUE(taken == events);
  const auto self = std::this_thread::get_id();
  EXPECT_NE(threads[10], self);
  EXPECT_EQ(threads[10'000], self);
  EXPECT_NE(threads[110'000], self);
  EXPECT_EQ(threads[130'000], self);
  EXPECT_NE(threads[235'000], self);
}

TEST(EventRelay, FewEventsStartNoThread) {
  std::vector<std::thread::id> threads;
  const EventSink sink = [&](const Event&) { threads.push_back(std::this_thread::get_id()); };
  EventRelay relay(sink, 10);
  for (const Event& event : Steps(30)) relay.Give(event);
  relay.Finish();
  ASSERT_EQ(threads.size(), 30u);
  EXPECT_EQ(threads[9], std::this_thread::get_id());
  EXPECT_NE(threads[10], std::this_thread::get_id());
  EXPECT_EQ(threads[29], threads[10]);
}

// The events before are taken, and none after.
TEST(EventRelay, RethrowsExceptionsOfTheSink) {
  for (const int64_t bad : {0, 100, 8191, 8192, 9000, 29'999}) {
    for (const size_t alone : {size_t{0}, size_t{500}, EventRelay::kNever}) {
      std::atomic<int64_t> taken = 0;
      const EventSink sink = [&](const Event& event) {
        if (event.step == bad) throw std::runtime_error("full");
        ++taken;
      };
      const auto give_all = [&] {
        EventRelay relay(sink, alone);
        for (const Event& event : Steps(30'000)) relay.Give(event);
        relay.Finish();
      };
      EXPECT_THROW(give_all(), std::runtime_error) << bad << " " << alone;
      EXPECT_EQ(taken, bad) << alone;
    }
  }
}

TEST(EventRelay, StopsWithoutFinish) {
  for (const int64_t count : {0, 1, 3000, 20'000}) {
    std::atomic<int64_t> taken = 0;
    const EventSink sink = [&](const Event&) { ++taken; };
    {
      EventRelay relay(sink, 0);
      for (const Event& event : Steps(count)) relay.Give(event);
    }
    EXPECT_LE(taken, count);
  }
}

}  // namespace
}  // namespace stepscope::goodput::event_relay_test
