// Checks that exactly one of overlapping spans counts at each moment.
#include "goodput/accounting/overlays.h"

#include <gtest/gtest.h>

#include <random>

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

}  // namespace
}  // namespace stepscope::goodput::overlays_test
