// Departures among windows that are given as numbers: noise, spikes, slow drifts.
#include "watch/departure.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace stepscope {
namespace {

constexpr int64_t kStep = 100'000'000;  // ns
constexpr int kRanks = 8;
const std::vector<std::string> kParts = {"device_compute", "exposed_communication", "input",
                                         "wait"};

// Each part takes a quarter of a step, and up to `noise` of that more or less, normally
// distributed.
WatchedWindow Noisy(std::mt19937_64& random, double noise) {
  std::normal_distribution<double> factor(1, noise);
  WatchedWindow window{.step_time = kStep};
  for (int rank = 0; rank < kRanks; ++rank) {
    for (const std::string& part : kParts)
      window.parts.push_back({rank, part, static_cast<int64_t>(factor(random) * kStep / 4)});
  }
  return window;
}

// In which of `count` windows something was told, with changes by `change`.
template <class Change>
std::vector<int> Told(int count, double noise, Change change) {
  std::mt19937_64 random(7);
  std::vector<WatchedWindow> windows;
  std::vector<int> told;
  for (int w = 0; w < count; ++w) {
    windows.push_back(Noisy(random, noise));
    change(w, windows.back());
    windows.back().departed = DeparturesOf(windows);
    if (!windows.back().departed.empty()) told.push_back(w);
  }
  return told;
}

TEST(Departure, NoiseIsRarelyOne) {
  for (const double noise : {0.05, 0.1, 0.3}) {
    const auto told = Told(1000, noise, [](int, WatchedWindow&) {});
    EXPECT_LE(told.size(), 10u) << noise;
  }
}

TEST(Departure, OneSlowWindowIsNone) {
  const auto told = Told(100, 0.05, [](int w, WatchedWindow& window) {
    if (w == 50) window.parts[0].time *= 3;
  });
  EXPECT_EQ(told, std::vector<int>{});
}

TEST(Departure, AChangeIsToldInItsSecondWindow) {
  for (const double noise : {0.02, 0.05, 0.1}) {
    const auto told = Told(100, noise, [](int w, WatchedWindow& window) {
      if (w >= 50) window.parts[4].time *= 2;
    });
    EXPECT_EQ(told, std::vector<int>{51}) << noise;
  }
}

}  // namespace
}  // namespace stepscope
