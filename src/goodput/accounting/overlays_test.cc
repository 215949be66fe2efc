// Checks that exactly one of overlapping spans counts at each moment.
#include "goodput/accounting/overlays.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "base/time_units.h"

namespace stepscope::goodput::overlays_test {
namespace {

// At each whole moment the bucket that counts, worked out one by one.
std::vector<int> ByHand(const std::vector<Overlays::Piece>& spans, int64_t until) {
  std::vector<int> owners;
  for (int64_t t = 0; t < until; ++t) {
    const Overlays::Piece* best = nullptr;
    for (const auto& s : spans) {
      if (s.start > t || s.end <= t) continue;
      if (best == nullptr || s.bucket < best->bucket) best = &s;
    }
    owners.push_back(best == nullptr ? -1 : static_cast<int>(best->label));
  }
  return owners;
}

std::vector<int> Owners(std::span<const Overlays::Piece> pieces, int64_t until) {
  std::vector<int> owners(static_cast<size_t>(until), -1);
  int64_t before = 0;
  for (const auto& p : pieces) {
    EXPECT_LE(before, p.start);
    EXPECT_LT(p.start, p.end);
    before = p.end;
    for (int64_t t = p.start; t < p.end; ++t) owners[static_cast<size_t>(t)] = p.label;
  }
  return owners;
}

TEST(Overlays, PrecedenceIsIndependentOfOrder) {
  constexpr int64_t kUntil = 60;
  constexpr Bucket kSome[] = {Bucket::kCustom, Bucket::kSave, Bucket::kTrainingPrep};
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    Overlays overlays;
    std::vector<Overlays::Piece> spans;
    for (uint8_t k = 0; k < 12; ++k) {
      const int64_t start = random() % 50;
      const int64_t end = start + 1 + static_cast<int64_t>(random() % 10);
      spans.push_back({start, end, kSome[random() % 3], k});
      overlays.Add(start, end, spans.back().bucket, k);
      if (random() % 4 == 0) overlays.Pieces();  // settling early changes nothing
    }
    ASSERT_EQ(Owners(overlays.Pieces(), kUntil), ByHand(spans, kUntil)) << round;
  }
}

std::string Told(std::span<const Overlays::Piece> pieces) {
  std::string text;
  for (const auto& p : pieces) {
    const int64_t start = p.start / kSecond, end = p.end / kSecond;
    text += fmt::format("{}..{} {}{} ", start, end, static_cast<int>(p.bucket), p.label);
  }
  return text;
}

void AddAll(Overlays& overlays, const std::vector<Overlays::Piece>& pieces) {
  for (const auto& p : pieces) {
    overlays.Add(p.start * kSecond, p.end * kSecond, p.bucket, p.label);
  }
}

constexpr int64_t kScenario = 1'780'000'000 * kSecond;
constexpr Bucket kLoad = Bucket::kDataLoading, kOwn = Bucket::kCustom;  // 9 and 8

// Within a minute that no cut divides, pieces of one kind become one, those that count first in
// front. What begins before 30 s or ends after 200 s stays.
TEST(Overlays, PackedOnesKeepTheirSums) {
  Overlays overlays;
  AddAll(overlays, {{10, 12, kLoad, 0},
                    {31, 33, kLoad, 0},
                    {35, 36, kOwn, 2},
                    {40, 45, kLoad, 0},
                    {50, 51, kOwn, 1},
                    {55, 65, kLoad, 0},
                    {70, 71, kOwn, 2},
                    {80, 82, kOwn, 2},
                    {91, 92, kOwn, 2},
                    {199, 201, kOwn, 2}});
  const std::vector<int64_t> cuts = {90 * kSecond};
  overlays.Pack(30 * kSecond, 200 * kSecond, cuts);
  EXPECT_EQ(Told(overlays.Pieces()),
            "10..12 90 31..32 81 32..33 82 33..40 90 55..65 90 70..73 82 91..92 82 199..201 82 ");
}

TEST(Overlays, MovedOnesAreTheSameLater) {
  Overlays overlays;
  AddAll(overlays, {{10, 20, kLoad, 0}, {15, 17, kOwn, 1}});
  overlays.Move(5 * kSecond);
  AddAll(overlays, {{30, 31, kLoad, 0}});
  EXPECT_EQ(Told(overlays.Pieces()), "15..20 90 20..22 81 22..25 90 30..31 90 ");
}

// A span that was added later counts before one of its kind, also after it was saved.
TEST(Overlays, SavedOnesAreTheSame) {
  Overlays overlays, loaded;
  AddAll(overlays, {{10, 20, kLoad, 0}, {15, 17, kOwn, 1}, {40, 50, kOwn, 2}});
  StateWriter out;
  overlays.Save(out);
  StateReader in(out.bytes());
  loaded.Load(in);
  ASSERT_TRUE(in.ok());
  EXPECT_TRUE(in.rest().empty());
  EXPECT_EQ(Told(loaded.Pieces()), "10..15 90 15..17 81 17..20 90 40..50 82 ");
  for (Overlays* each : {&overlays, &loaded}) {
    AddAll(*each, {{45, 47, kOwn, 3}, {16, 19, kOwn, 4}});
    EXPECT_EQ(Told(each->Pieces()), Told(overlays.Pieces()));
  }
}

// Times between steps: all of one kind, one after the other.
TEST(Overlays, ManyOfOneKindTakeFewBytes) {
  Overlays overlays;
  for (int64_t k = 0; k < 10'000; ++k) {
    const int64_t start = kScenario + k * 40 * kMillisecond;
    overlays.Add(start, start + 20 * kMillisecond, Bucket::kOther);
  }
  EXPECT_EQ(overlays.size(), 10'000U);
  EXPECT_LT(overlays.bytes(), 10'000U * 12);
  const std::vector<Overlays::Piece> pieces = overlays.Pieces();
  ASSERT_EQ(pieces.size(), 10'000U);
  EXPECT_EQ(pieces.back().start, kScenario + 9999 * 40 * kMillisecond);
  EXPECT_EQ(pieces.back().end, pieces.back().start + 20 * kMillisecond);
  EXPECT_EQ(pieces.back().order, 9999U);
}

// A damaged state may hold any times: they stay as they are.
TEST(Overlays, ExtremeTimesAreStoredAsTheyAre) {
  StateWriter state;
  for (const uint64_t number : {7U, 3U}) state.Unsigned(number);  // the next order, and pieces
  const auto piece = [&](int64_t start, int64_t lasts, uint64_t kind, uint64_t order) {
    state.Signed(start);
    state.Signed(lasts);
    state.Unsigned(kind);
    state.Unsigned(order);
  };
  piece(INT64_MIN, INT64_MAX, 5 << 8 | 30, UINT32_MAX);
  piece(INT64_MAX, INT64_MAX, 9 << 8 | 0, 0);
  piece(-5, -7, 8 << 8 | 255, 6);
  Overlays overlays;
  StateReader in(state.bytes());
  overlays.Load(in);
  ASSERT_TRUE(in.ok());
  const std::vector<Overlays::Piece> pieces = overlays.Pieces();
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0].start, INT64_MIN);
  EXPECT_EQ(pieces[0].end, -1);
  EXPECT_EQ(pieces[0].order, UINT32_MAX);
  EXPECT_EQ(pieces[1].end, INT64_MAX);
  EXPECT_EQ(pieces[2].start, INT64_MAX - 5);
  EXPECT_EQ(pieces[2].end, INT64_MAX - 12);
  EXPECT_EQ(pieces[2].label, 255);
  StateWriter again;
  overlays.Save(again);
  EXPECT_EQ(again.bytes().substr(0, 8), state.bytes().substr(0, 8));
}

}  // namespace
}  // namespace stepscope::goodput::overlays_test
