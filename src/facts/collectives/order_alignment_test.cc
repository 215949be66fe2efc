// Tests sequences whose traces start at different positions.
#include "facts/collectives/order_alignment.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <utility>
#include <vector>

namespace stepscope::order_alignment_test {
namespace {

constexpr int64_t kUs = 1000;

// Collectives at uneven distances, all alike but for what `labels` says.
std::vector<OrderedEntry> Uneven(size_t count, unsigned seed, uint64_t labels = 1) {
  std::mt19937 random(seed);
  std::vector<OrderedEntry> entries;
  int64_t now = 0;
  for (size_t i = 0; i < count; ++i) {
    now += 200 * kUs + static_cast<int64_t>(random() % 800) * kUs;
    entries.push_back({random() % labels, now, 100 * kUs});
  }
  return entries;
}

std::vector<OrderedEntry> Cut(std::vector<OrderedEntry> entries, size_t first, int64_t offset) {
  entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(first));
  for (OrderedEntry& entry : entries) entry.end += offset;
  return entries;
}

TEST(OrderAlignment, TheEndsTellHowFarOneIsAheadWhenAllLookAlike) {
  const auto reference = Uneven(40, 1);
  const auto other = Cut(reference, 5, -3'000 * kUs);
  const OrderAlignment alignment = AlignOrder(reference, other);
  ASSERT_EQ(alignment.partner.size(), 35u);
  for (size_t i = 0; i < 35; ++i) EXPECT_EQ(alignment.partner[i], static_cast<int64_t>(i + 5));
  EXPECT_TRUE(alignment.confirmed);
  const OrderAlignment back = AlignOrder(other, reference);
  EXPECT_EQ(back.partner[4], kUnpaired);
  EXPECT_EQ(back.partner[5], 0);
}

// On one clock, one collective a step: ends scatter by 3 ms, and are more regular one step apart.
TEST(OrderAlignment, WhatRunsAtTheSameTimeInTheSameStepBelongsTogether) {
  std::vector<OrderedEntry> reference, other;
  const auto late = [](int64_t step) { return (step * 7919) % 7 * 1000 * kUs; };
  for (int64_t step = 0; step < 12; ++step) {
    const int64_t at = step * 60'000 * kUs;
    reference.push_back({1, at + late(step), 20'000 * kUs, step});
    other.push_back({1, at + late(step + 1), 20'000 * kUs, step});
  }
  const OrderAlignment alignment = AlignOrder(reference, other);
  for (size_t i = 0; i < other.size(); ++i)
    EXPECT_EQ(alignment.partner[i], static_cast<int64_t>(i));
}

// The other recording begins 81 entries later, in a job whose steps are all alike.
TEST(OrderAlignment, StepsTellHowFarOneIsAhead) {
  std::vector<OrderedEntry> reference;
  for (int64_t i = 0; i < 180; ++i)
    reference.push_back(
        {static_cast<uint64_t>(i % 9), i * 1000 * kUs + i % 7 * 10 * kUs, 100 * kUs, i / 9});
  const auto other = Cut(reference, 81, 0);
  for (const bool one_clock : {true, false}) {
    const OrderAlignment alignment = AlignOrder(reference, other, one_clock);
    EXPECT_TRUE(alignment.confirmed);
    EXPECT_EQ(alignment.partner.front(), 81);
    EXPECT_EQ(alignment.partner.back(), 179);
  }
}

TEST(OrderAlignment, NeighboursMayBeginInEitherOrder) {
  auto reference = Uneven(12, 3);
  for (size_t i = 0; i < reference.size(); ++i) reference[i].label = i % 2;
  auto other = reference;
  std::swap(other[4], other[5]);
  const OrderAlignment alignment = AlignOrder(reference, other);
  EXPECT_EQ(alignment.partner, (std::vector<int64_t>{0, 1, 2, 3, 5, 4, 6, 7, 8, 9, 10, 11}));
  EXPECT_TRUE(alignment.confirmed);
}

TEST(OrderAlignment, TwoLabelsInTurnOneAheadAreNotSwapped) {
  auto reference = Uneven(13, 4);
  for (size_t i = 0; i < reference.size(); ++i) reference[i].label = i % 2;
  const OrderAlignment alignment = AlignOrder(reference, Cut(reference, 1, 7 * kUs));
  for (size_t i = 0; i < alignment.partner.size(); ++i)
    EXPECT_EQ(alignment.partner[i], static_cast<int64_t>(i + 1));
}

TEST(OrderAlignment, WhatOnlyOneHasIsSteppedOver) {
  const auto reference = Uneven(60, 2, 5);
  auto other = reference;
  other.erase(other.begin() + 30);
  other.insert(other.begin() + 10, OrderedEntry{99, other[10].end - 50 * kUs, 10 * kUs});
  const OrderAlignment alignment = AlignOrder(reference, other);
  EXPECT_EQ(alignment.partner[9], 9);
  EXPECT_EQ(alignment.partner[10], kUnpaired);
  EXPECT_EQ(alignment.partner[11], 10);
  EXPECT_EQ(alignment.partner[30], 29);
  EXPECT_EQ(alignment.partner[31], 31);
  EXPECT_TRUE(alignment.confirmed);
}

TEST(OrderAlignment, OneThatDiffersIsADisagreementNotAShift) {
  const auto reference = Uneven(20, 3, 5);
  auto other = reference;
  other[7].label = 99;
  const OrderAlignment alignment = AlignOrder(reference, other);
  EXPECT_EQ(alignment.partner[7], 7);
  EXPECT_EQ(alignment.partner[8], 8);
}

// Two threads take turns; of the other recording one thread is missing, as in a file that was cut.
TEST(OrderAlignment, ALabelIsAlignedAloneWhereAnotherIsMissing) {
  auto reference = Uneven(28, 7);
  for (size_t i = 0; i < reference.size(); ++i) reference[i].label = i % 2;
  std::vector<OrderedEntry> other;
  for (const OrderedEntry& entry : reference) {
    if (entry.label == 1) other.push_back(entry);
  }
  const OrderAlignment alignment = AlignOrder(reference, other);
  EXPECT_TRUE(alignment.confirmed);
  for (size_t i = 0; i < other.size(); ++i)
    EXPECT_EQ(alignment.partner[i], static_cast<int64_t>(2 * i + 1));
}

TEST(OrderAlignment, UnrelatedSequencesAreNotConfirmed) {
  EXPECT_FALSE(AlignOrder(Uneven(40, 4), Uneven(40, 5)).confirmed);
  EXPECT_FALSE(AlignOrder(Uneven(2, 4), Uneven(2, 4)).confirmed);
  EXPECT_FALSE(AlignOrder({}, Uneven(4, 5)).confirmed);
  EXPECT_FALSE(AlignOrder(Uneven(4, 5), {}).confirmed);
}

TEST(OrderAlignment, CostsNoMoreThanItsLength) {
  const auto reference = Uneven(200'000, 6, 3);
  auto other = Uneven(200'000, 7, 3);  // agrees nowhere for long
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(AlignOrder(reference, other).confirmed);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

// Collectives at regular intervals: only that the clock is one tells which ones are partners.
TEST(OrderAlignment, OnOneClockTakesTheEntriesThatEndTogether) {
  std::vector<OrderedEntry> reference, other;
  for (int64_t i = 0; i < 20; ++i) reference.push_back({1, i * 1'000'000, 100'000});
  for (int64_t i = 5; i < 20; ++i) other.push_back({1, i * 1'000'000 + 800, 100'000});
  const OrderAlignment alignment = AlignOrder(reference, other, /*one_clock=*/true);
  EXPECT_TRUE(alignment.confirmed);
  EXPECT_EQ(alignment.partner.front(), 5);
  EXPECT_TRUE(
      AlignOrder(std::span(reference).first(1), std::span(reference).first(1), true).confirmed);
  for (OrderedEntry& entry : other) entry.end += 400'000;
  EXPECT_FALSE(AlignOrder(reference, other, true).confirmed);
}

// Entries of these labels; label l ends after l ms, so that partners end together.
std::vector<OrderedEntry> Labeled(const std::vector<uint64_t>& labels) {
  std::vector<OrderedEntry> entries;
  for (const uint64_t label : labels) {
    entries.push_back({label, static_cast<int64_t>(label) * 1000 * kUs, 100 * kUs});
  }
  return entries;
}

TEST(OrderAlignment, WhatOnlyOneHasIsSkipped) {
  const auto partners = [](const std::vector<uint64_t>& reference,
                           const std::vector<uint64_t>& other) {
    return AlignOrder(Labeled(reference), Labeled(other)).partner;
  };
  using Partners = std::vector<int64_t>;
  const std::vector<uint64_t> all = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(partners(all, {1, 2, 3, 4, 5, 6, 8, 9}), Partners({0, 1, 2, 3, 4, 5, 7, 8}));
  EXPECT_EQ(partners({1, 2, 3, 4, 5, 6, 8, 9}, all), Partners({0, 1, 2, 3, 4, 5, -1, 6, 7}));
  // Where only the last one agrees again.
  EXPECT_EQ(partners(all, {1, 2, 3, 4, 5, 6, 7, 9}), Partners({0, 1, 2, 3, 4, 5, 6, 8}));
  EXPECT_EQ(partners({1, 2, 3, 4, 5, 6, 7, 9}, all), Partners({0, 1, 2, 3, 4, 5, 6, -1, 7}));
  // One label, 7, that agrees by chance is no reason to skip; two, 8 and 9, are.
  EXPECT_EQ(partners(all, {1, 2, 3, 4, 7, 20, 21, 22, 8, 9}),
            Partners({0, 1, 2, 3, 4, 5, 6, -1, 7, 8}));
  // Two that began in the other order, in the middle and at the end.
  EXPECT_EQ(partners(all, {1, 2, 4, 3, 5, 6, 7, 9, 8}), Partners({0, 1, 3, 2, 4, 5, 6, 8, 7}));
}

// Of 100 us each, they may be 20 us and a quarter of that from their usual offset.
TEST(OrderAlignment, EndsConfirmWhatIsNear) {
  const auto confirm = [](const std::vector<int64_t>& apart, bool one_clock) {
    std::vector<OrderedEntry> reference, other;
    OrderAlignment alignment;
    for (size_t i = 0; i < apart.size(); ++i) {
      const int64_t end = static_cast<int64_t>(i) * 1000 * kUs;
      reference.push_back({1, end, 300 * kUs});
      other.push_back({1, end + apart[i], 100 * kUs});
      alignment.partner.push_back(static_cast<int64_t>(i));
    }
    ConfirmByEnds(reference, other, one_clock, alignment);
    EXPECT_EQ(alignment.agreeing, std::ssize(apart));
    EXPECT_EQ(alignment.duration, 100 * kUs);
    return std::pair(alignment.confirmed, alignment.apart);
  };
  EXPECT_EQ(confirm({0, 45'000, 90'000}, false), std::pair(true, int64_t{45'000}));
  EXPECT_EQ(confirm({0, 45'001, 90'002}, false), std::pair(false, int64_t{45'001}));
  EXPECT_EQ(confirm({0, 0}, false).first, false) << "too few to know the offset";
  EXPECT_EQ(confirm({45'000}, true).first, true);
  EXPECT_EQ(confirm({-45'000}, true).first, true);
  EXPECT_EQ(confirm({-45'001}, true).first, false);
}

}  // namespace
}  // namespace stepscope::order_alignment_test
