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

// Of a collective that ends now early and then late, by milliseconds.
int64_t Late(int64_t step) {
  constexpr int64_t kMs[] = {0, 5, 1, 6, 2, 4, 0, 6, 3, 5, 1, 4, 2};
  return kMs[step] * 1000 * kUs;
}

// On one clock, one collective a step: ends scatter by 3 ms, and are more regular one step apart.
TEST(OrderAlignment, WhatRunsAtTheSameTimeInTheSameStepBelongsTogether) {
  std::vector<OrderedEntry> reference, other;
  for (int64_t step = 0; step < 12; ++step) {
    const int64_t at = step * 60'000 * kUs;
    reference.push_back({1, at + Late(step), 20'000 * kUs, step});
    other.push_back({1, at + Late(step + 1), 20'000 * kUs, step});
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

// Where a sequence ends, or two entries begin in the other order.
TEST(OrderAlignment, WhatIsSkippedAtTheEndOfOne) {
  const auto partners = [](const std::vector<uint64_t>& reference,
                           const std::vector<uint64_t>& other) {
    return AlignOrder(Labeled(reference), Labeled(other)).partner;
  };
  using Partners = std::vector<int64_t>;
  // 9 is the last one of the reference, or of the other.
  EXPECT_EQ(partners({1, 2, 3, 4, 5, 6, 7, 9}, {1, 2, 3, 4, 5, 6, 9, 20, 21}),
            Partners({0, 1, 2, 3, 4, 5, 7, -1, -1}));
  EXPECT_EQ(partners({1, 2, 3, 4, 5, 6, 9, 20, 21}, {1, 2, 3, 4, 5, 6, 7, 9}),
            Partners({0, 1, 2, 3, 4, 5, -1, 6}));
  // 7 and 8 are swapped at the end of the one or of the other.
  EXPECT_EQ(partners({1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 8, 7, 20}),
            Partners({0, 1, 2, 3, 4, 5, 7, 6, -1}));
  EXPECT_EQ(partners({1, 2, 3, 4, 5, 6, 7, 8, 20}, {1, 2, 3, 4, 5, 6, 8, 7}),
            Partners({0, 1, 2, 3, 4, 5, 7, 6}));
  // What follows differs, so that they may as well be others.
  EXPECT_EQ(partners({1, 2, 3, 4, 5, 6, 7, 8, 30, 31}, {1, 2, 3, 4, 5, 6, 8, 7, 40, 41}),
            Partners({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  // 4 and 5 are swapped, and come again.
  EXPECT_EQ(partners({1, 2, 3, 4, 5, 4, 5, 6, 7}, {1, 2, 3, 5, 4, 4, 5, 6, 7}),
            Partners({0, 1, 2, 4, 3, 5, 6, 7, 8}));
  // One differs, 20 for 4, and the next ones agree, although 20 and 5 come again.
  EXPECT_EQ(partners({1, 2, 3, 4, 5, 6, 7, 20, 5, 9}, {1, 2, 3, 20, 5, 6, 7, 20, 5, 9}),
            Partners({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

// 32 entries of only one are skipped, more are not.
TEST(OrderAlignment, LooksAheadSoFar) {
  const auto skips = [](size_t more) {
    std::vector<uint64_t> longer = {1, 2, 3};
    for (size_t k = 0; k < more; ++k) longer.push_back(100 + k);
    for (const uint64_t label : {4U, 5U, 6U}) longer.push_back(label);
    const auto one = Labeled(longer), other = Labeled({1, 2, 3, 4, 5, 6});
    const bool ahead = AlignOrder(one, other).partner[3] == static_cast<int64_t>(3 + more);
    const bool back = AlignOrder(other, one).partner[3 + more] == 3;
    EXPECT_EQ(ahead, back);
    return ahead;
  };
  EXPECT_TRUE(skips(32));
  EXPECT_FALSE(skips(33));
}

// `count` entries of one label and a last one of another; the ends of the other sequence are those
// of the reference one entry later. At that shift, all but one of count - 1 pairs agree.
TEST(OrderAlignment, LabelsDecideBeforeEnds) {
  const auto ahead = [](size_t count) {
    auto reference = Uneven(count, 9), other = reference;
    for (size_t i = 0; i + 1 < count; ++i) other[i].end = reference[i + 1].end;
    reference.back().label = other.back().label = 2;
    return AlignOrder(reference, other).partner.front();
  };
  EXPECT_EQ(ahead(11), 1) << "9 of 10 are nine tenths of what agrees unshifted";
  EXPECT_EQ(ahead(10), 0) << "8 of 9 are less";
}

// Of two shifts that fit alike, one back and one ahead, the one back.
TEST(OrderAlignment, LabelsInTurnMayBeEitherWay) {
  std::vector<OrderedEntry> reference, other;
  for (int64_t i = 0; i < 12; ++i) {
    reference.push_back({static_cast<uint64_t>(i % 2), i * 1000 * kUs, 100 * kUs});
    other.push_back({static_cast<uint64_t>((i + 1) % 2), i * 1000 * kUs, 100 * kUs});
  }
  EXPECT_EQ(AlignOrder(reference, other).partner[1], 0);
  // With two, none of which tells how ends scatter, too.
  EXPECT_EQ(AlignOrder(std::span(reference).first(2), std::span(other).first(2)).partner,
            (std::vector<int64_t>{kUnpaired, 0}));
  EXPECT_EQ(AlignOrder(Labeled({1, 1}), Labeled({1, 1})).partner, (std::vector<int64_t>{0, 1}));
}

// The ends fit at a shift of six, but for `scatter` us times a number below eleven also unshifted.
TEST(OrderAlignment, AShiftMustBeNearerByOneMicrosecondPerEntry) {
  const auto first = [](int64_t scatter) {
    std::mt19937 random(3);
    std::vector<OrderedEntry> reference;
    for (int64_t i = 0; i < 60; ++i) {
      const auto off = static_cast<int64_t>(random() % 11) * scatter;
      reference.push_back({1, (i * 1000 + off) * kUs, 100 * kUs});
    }
    const auto other = Cut(reference, 6, -6000 * kUs);
    return AlignOrder(reference, other).partner.front();
  };
  EXPECT_EQ(first(1), 0);
  EXPECT_EQ(first(4), 6);
}

// Ends 1, 3, 5, 7 ms apart, and so on: three pairs fit five entries back. One entry ahead only two
// are left, which do not tell how their ends scatter.
TEST(OrderAlignment, ThreeThatFitAreBetterThanTwoThatAreNear) {
  std::vector<OrderedEntry> other;
  for (int64_t i = 0; i < 8; ++i) other.push_back({1, i * i * 1000 * kUs, 100 * kUs});
  const auto alignment = AlignOrder(Cut(other, 5, 77 * kUs), other);
  EXPECT_EQ(alignment.partner, (std::vector<int64_t>{-1, -1, -1, -1, -1, 0, 1, 2}));
}

TEST(OrderAlignment, LongSequencesAreJudgedByTheirFirstPairs) {
  const auto reference = Uneven(300, 12);
  EXPECT_EQ(AlignOrder(reference, Cut(reference, 0, 7 * kUs)).partner.front(), 0);
  const auto none = AlignOrder(Labeled({1, 2, 3}), Labeled({4, 5}));
  EXPECT_EQ(none.partner, (std::vector<int64_t>{kUnpaired, kUnpaired}));
}

// 80 entries of the reference are in no step, which is further than is looked without steps.
TEST(OrderAlignment, AStepIsFoundBehindEntriesInNone) {
  std::vector<OrderedEntry> reference;
  for (int64_t i = 0; i < 100; ++i) {
    reference.push_back({1, i * 1000 * kUs, 100 * kUs, i < 80 ? -1 : 0});
  }
  EXPECT_EQ(AlignOrder(reference, Cut(reference, 80, 0)).partner.front(), 80);
}

// A collective a step, alike in all steps, whose ends fit best one step apart. What runs at the
// same time decides: in nine of ten steps no member ends before the other begins.
TEST(OrderAlignment, NearlyAllMustRunAtTheSameTime) {
  const auto first = [](int64_t apart_in, int64_t by) {
    std::vector<OrderedEntry> reference, other;
    for (int64_t step = 0; step < 10; ++step) {
      const int64_t at = step * 60'000 * kUs;
      reference.push_back({1, at + Late(step), 20'000 * kUs, step});
      other.push_back({1, at + Late(step + 1), 20'000 * kUs, step});
      if (step < 3 || step >= 3 + apart_in) continue;
      OrderedEntry &a = reference.back(), &b = other.back();
      (a.end > b.end ? a : b).duration = std::abs(a.end - b.end) + by;
    }
    return AlignOrder(reference, other).partner.front();
  };
  EXPECT_EQ(first(1, 0), 0);
  EXPECT_EQ(first(2, 0), 1) << "they begin when the other ends";
  EXPECT_EQ(first(2, 1), 0) << "they begin 1 ns before";
  EXPECT_EQ(first(7, 0), 1);
}

// One entry a step; the steps of the other sequence have the numbers of five steps before.
TEST(OrderAlignment, StepNumbersMayBeWrong) {
  auto reference = Uneven(40, 13);
  for (size_t i = 0; i < reference.size(); ++i) reference[i].step = static_cast<int64_t>(i);
  auto other = Cut(reference, 5, 0);
  for (OrderedEntry& entry : other) entry.step -= 5;
  EXPECT_EQ(AlignOrder(reference, other, /*one_clock=*/true).partner.front(), 5);
  // On two clocks they count for more than ends that fit: steps are alike.
  EXPECT_LE(AlignOrder(reference, other).partner.front(), 2);
  // Not where labels contradict.
  for (size_t i = 0; i < reference.size(); ++i) reference[i].label = i / 3;
  for (size_t i = 0; i < other.size(); ++i) other[i].label = reference[i + 5].label;
  EXPECT_EQ(AlignOrder(reference, other).partner.front(), 5);
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
