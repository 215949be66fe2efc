// Tests that every item runs once, on no more threads than asked for.
#include "base/parallel.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

namespace stepscope::parallel_test {
namespace {

TEST(ParallelFor, CallsEveryItemOnce) {
  for (const size_t threads : {size_t{0}, size_t{1}, size_t{2}, size_t{7}, size_t{100}}) {
    for (const size_t count : {size_t{0}, size_t{1}, size_t{2}, size_t{1000}}) {
      std::vector<std::atomic<int>> calls(count);
      ParallelFor(count, threads, [&](size_t i) { ++calls[i]; });
      for (size_t i = 0; i < count; ++i) EXPECT_EQ(calls[i], 1) << i << " of " << count;
    }
  }
}

TEST(ParallelFor, OneThreadIsTheCallersAndGoesInOrder) {
  const auto caller = std::this_thread::get_id();
  std::vector<size_t> order;
  ParallelFor(5, 1, [&](size_t i) {
    order.push_back(i);
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
  EXPECT_EQ(order, (std::vector<size_t>{0, 1, 2, 3, 4}));
}

TEST(ParallelFor, UsesNoMoreThreadsThanAskedFor) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  ParallelFor(1000, 3, [&](size_t) {
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_LE(seen.size(), 3u);
}

TEST(ParallelFor, ThrowsOnWhatOneThrew) {
  std::atomic<int> calls = 0;
  const auto body = [&](size_t i) {
    ++calls;
    if (i == 10) throw std::runtime_error("ten");
  };
  EXPECT_THROW(ParallelFor(100'000'000, 3, body), std::runtime_error);
  EXPECT_LT(calls, 100'000'000);
}

TEST(ParallelFor, StopsAllWithTheCaller) {
  std::stop_source stop;
  const StopScope scope(stop.get_token());
  const auto body = [&](size_t i) {
    if (i == 10) stop.request_stop();
    StopIfAsked();
  };
  EXPECT_THROW(ParallelFor(100'000'000, 3, body), Stopped);
}

}  // namespace
}  // namespace stepscope::parallel_test
