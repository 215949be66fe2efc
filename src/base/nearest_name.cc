// Finds the nearest known name by edit distance.
#include "base/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace stepscope {
namespace {

// Levenshtein's distance: insertions, deletions and replacements from one text to the other.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string NearestName(std::string_view name, std::span<const std::string> known) {
  const std::string_view asked = name.substr(0, 64);
  const auto distance = [&](const std::string& candidate) {
    return EditDistance(asked, candidate);
  };
  const auto nearest = std::ranges::min_element(known, {}, distance);
  if (nearest == known.end()) return {};
  if (distance(*nearest) <= std::max<size_t>(2, asked.size() / 3)) return *nearest;
  constexpr size_t kEnough = 3;  // fewer letters begin too many names
  const std::string* longer = nullptr;
  for (const std::string& candidate : known) {
    if (asked.size() < kEnough || !candidate.starts_with(asked)) continue;
    if (longer == nullptr || candidate.size() < longer->size()) longer = &candidate;
  }
  return longer == nullptr ? std::string() : *longer;
}

}  // namespace stepscope
