// Tests that each result is derived once and stays where it is.
#include "facts/memo.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/parallel.h"

namespace stepscope::memo_test {
namespace {

struct Whole {
  mutable Memo memo;
  mutable int derived = 0;
};

int Three(const Whole& whole) { return 3 + 0 * ++whole.derived; }
int Four(const Whole& whole) { return 4 + 0 * ++whole.derived; }
int Sum(const Whole& whole) {
  ++whole.derived;
  return whole.memo.Of<Three>(whole) + whole.memo.Of<Four>(whole);
}
int Twice(const Whole& whole, const int& part) { return 2 * part + 0 * ++whole.derived; }

TEST(Memo, FunctionsOfOneTypeHaveResultsOfTheirOwn) {
  const Whole whole;
  EXPECT_EQ(whole.memo.Of<Three>(whole), 3);
  EXPECT_EQ(whole.memo.Of<Four>(whole), 4);
  EXPECT_EQ(whole.memo.Of<Three>(whole), 3);
  EXPECT_EQ(whole.derived, 2);
}

TEST(Memo, EachPartHasAResult) {
  const Whole whole;
  const std::array parts = {1, 2};
  const int& first = whole.memo.Of<Twice>(whole, parts[0]);
  EXPECT_EQ(whole.memo.Of<Twice>(whole, parts[1]), 4);
  EXPECT_EQ(first, 2);
  EXPECT_EQ(&whole.memo.Of<Twice>(whole, parts[0]), &first);
  EXPECT_EQ(whole.derived, 2);
}

TEST(Memo, AResultMayNeedOthers) {
  const Whole whole;
  EXPECT_EQ(whole.memo.Of<Sum>(whole), 7);
  EXPECT_EQ(whole.memo.Of<Three>(whole), 3);
  EXPECT_EQ(whole.memo.Of<Four>(whole), 4);
  EXPECT_EQ(whole.derived, 3);
}

TEST(Memo, ResultsStayWhereTheyAreWhenTheWholeMoves) {
  Whole whole;
  const int* three = &whole.memo.Of<Three>(whole);
  const Whole moved = std::move(whole);
  EXPECT_EQ(&moved.memo.Of<Three>(moved), three);
}

int Slow(const Whole& whole) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return ++whole.derived;
}

TEST(Memo, ThreadsThatAskAtOnceShareAResult) {
  const Whole whole;
  std::array<int, 4> found{};
  ParallelFor(found.size(), found.size(), [&](size_t i) { found[i] = whole.memo.Of<Slow>(whole); });
  EXPECT_EQ(found, (std::array{1, 1, 1, 1}));
}

int StopsOnce(const Whole& whole) {
  if (++whole.derived == 1) throw Stopped();
  return 5;
}

TEST(Memo, WhatWasStoppedIsNotKept) {
  const Whole whole;
  EXPECT_THROW(whole.memo.Of<StopsOnce>(whole), Stopped);
  EXPECT_EQ(whole.memo.Of<StopsOnce>(whole), 5);
  std::stop_source source;
  source.request_stop();
  const StopScope scope(source.get_token());
  EXPECT_THROW(whole.memo.Of<Three>(whole), Stopped);
  EXPECT_EQ(whole.derived, 2);
}

}  // namespace
}  // namespace stepscope::memo_test
