// Tests repeated stretches.
#include "analyses/repeats.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

namespace stepscope::repeats_test {
namespace {

// "ab x 3 at 0 2 4" for each repeat.
std::string Found(std::string_view text, size_t most = 3) {
  const std::vector<uint32_t> sequence(text.begin(), text.end());
  std::string found;
  for (const Repeat& r : FindRepeats(sequence, most)) {
    if (!found.empty()) found += "; ";
    found += std::string(text.substr(r.starts[0], r.length)) + " at";
    for (const size_t start : r.starts) found += " " + std::to_string(start);
  }
  return found;
}

TEST(Repeats, TheOneThatSavesMostComesFirst) {
  EXPECT_EQ(Found("abcXabcYabcZpqWpq", 1), "abc at 0 4 8");
  EXPECT_EQ(Found("abcXabcYabcZpqWpq"), "abc at 0 4 8; pq at 12 15");
}

TEST(Repeats, OfRepeatsOfRepeatsTheUnit) {
  EXPECT_EQ(Found("abababab"), "ab at 0 2 4 6");
  EXPECT_EQ(Found("xabcabcyabcabcz", 1), "abc at 1 4 8 11");
}

TEST(Repeats, ASingleItemIsNoSequence) {
  EXPECT_EQ(Found("aaaaaa"), "");
  EXPECT_EQ(Found("abcdef"), "");
  EXPECT_EQ(Found(""), "");
  EXPECT_EQ(Found("a"), "");
}

TEST(Repeats, OccurrencesDoNotOverlap) { EXPECT_EQ(Found("abaXabaYababa", 1), "aba at 0 4 8"); }

TEST(Repeats, TimeGrowsNearlyLinearly) {
  const auto seconds = [](size_t n) {
    std::mt19937 random(1);
    std::vector<uint32_t> sequence;
    for (size_t i = 0; i < n; ++i) {
      sequence.push_back(i % 50 == 49 ? static_cast<uint32_t>(random() % 5 + 100)
                                      : static_cast<uint32_t>(i % 50));
    }
    const auto began = std::chrono::steady_clock::now();
    EXPECT_FALSE(FindRepeats(sequence, 5).empty());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  const double small = seconds(4'000);
  EXPECT_LT(seconds(32'000), 30 * small + 0.05);
}

}  // namespace
}  // namespace stepscope::repeats_test
