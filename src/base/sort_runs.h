// Sorts what is made of few stretches that are sorted already, such as the events of several
// threads, one thread after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <ranges>
#include <vector>

namespace stepscope {

// As std::ranges::stable_sort(). Takes time by the number of items times the logarithm of the
// number of their ascending stretches, which is that of any sort if there are many.
template <std::ranges::random_access_range Items, class Compare = std::ranges::less,
          class Key = std::identity>
void SortRuns(Items&& items, const Compare& compare = {}, const Key& key = {}) {
  const auto less = [&](const auto& a, const auto& b) {
    return std::invoke(compare, std::invoke(key, a), std::invoke(key, b));
  };
  const auto begin = std::ranges::begin(items), end = std::ranges::end(items);
  std::vector<std::ranges::iterator_t<Items>> runs = {begin};  // where they begin, and the end
  const auto most = static_cast<size_t>(end - begin) / 32;
  for (auto run = begin; run != end;) {
    run = std::is_sorted_until(run, end, less);
    runs.push_back(run);
    if (runs.size() > most + 2) return std::stable_sort(begin, end, less);
  }
  while (runs.size() > 2) {
    size_t kept = 1;
    for (size_t r = 0; r + 1 < runs.size(); r += 2) {
      const auto merged = runs[std::min(r + 2, runs.size() - 1)];
      if (r + 2 < runs.size()) std::inplace_merge(runs[r], runs[r + 1], merged, less);
      runs[kept++] = merged;
    }
    runs.resize(kept);
  }
}

}  // namespace stepscope
