// Tests that items come out as from a stable sort.
#include "base/sort_runs.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <utility>

namespace stepscope::sort_runs_test {
namespace {

using Item = std::pair<int, int>;  // of which the first is the key

// `runs` ascending stretches of keys that repeat, `count` items in all.
std::vector<Item> Make(size_t count, size_t runs, std::mt19937& random) {
  std::vector<Item> items;
  for (size_t i = 0; i < count; ++i) {
    const auto key = static_cast<int>(random() % 1000);
    items.emplace_back(key, static_cast<int>(i));
  }
  for (size_t r = 0; r < runs; ++r) {
    const auto at = [&](size_t run) {
      return items.begin() + static_cast<std::ptrdiff_t>(count * run / runs);
    };
    std::sort(at(r), at(r + 1));
  }
  return items;
}

TEST(SortRuns, SortsAsAStableSortDoes) {
  std::mt19937 random(7);
  for (const size_t count : {0u, 1u, 2u, 3u, 31u, 100u, 5000u}) {
    for (const size_t runs : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 64u, 5000u}) {
      auto items = Make(count, std::min(runs, std::max<size_t>(count, 1)), random);
      auto sorted = items;
      std::ranges::stable_sort(sorted, {}, &Item::first);
      SortRuns(items, {}, &Item::first);
      EXPECT_EQ(items, sorted) << count << " in " << runs;
    }
  }
}

TEST(SortRuns, SortsWhatDescends) {
  std::vector<int> items;
  for (int i = 0; i < 1000; ++i) items.push_back(1000 - i);
  SortRuns(items);
  EXPECT_TRUE(std::ranges::is_sorted(items));
}

}  // namespace
}  // namespace stepscope::sort_runs_test
