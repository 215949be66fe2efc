// Counts the exceptions of every split.
#include "base/rise.h"

#include <algorithm>

#include "base/growth.h"
#include "base/robust.h"

namespace stepscope {
namespace {

constexpr size_t kFewest = 8;        // values
constexpr size_t kFewestOfSide = 3;  // values on each side
constexpr size_t kSmallestPart = 5;  // a side has one of so many values
constexpr size_t kFloorPart = 10;    // one of so many values may be below the floor
constexpr size_t kMostBefore = 4;    // one of so many may be high before
constexpr size_t kMostSince = 8;     // one of so many may be low since
constexpr size_t kFewestBeforeSpell = 2;
constexpr size_t kFewestAfter = 2;  // low ones: a single one at the end may be an exception

double MedianOf(std::span<const int64_t> values) {
  return Median(std::vector<double>(values.begin(), values.end()));
}

bool IsHigh(double value, double floor, const RiseLimits& limits) {
  return value >= floor + limits.least && value >= floor * limits.times;
}

// The split with the fewest exceptions, where they are few enough; 0: none is.
size_t BestSplit(const std::vector<bool>& high) {
  const size_t side = std::max(kFewestOfSide, (high.size() + kSmallestPart - 1) / kSmallestPart);
  const auto all = static_cast<size_t>(std::ranges::count(high, true));
  size_t high_before = 0, best = 0, best_before = 0, best_since = 0;
  for (size_t at = 1; at + side <= high.size(); ++at) {
    high_before += high[at - 1] ? 1 : 0;
    if (at < side) continue;
    const size_t low_since = high.size() - at - (all - high_before);
    if (best != 0 && high_before + low_since >= best_before + best_since) continue;
    best = at;
    best_before = high_before;
    best_since = low_since;
  }
  const bool few =
      best_before * kMostBefore <= best && best_since * kMostSince <= high.size() - best;
  return few ? best : 0;
}

std::optional<Rise> SplitBy(std::span<const int64_t> values, const std::vector<bool>& high) {
  const size_t at = BestSplit(high);
  if (at == 0) return std::nullopt;
  size_t end = high.size();
  while (end > at && !high[end - 1]) --end;
  if (end == at || end + kFewestAfter > high.size()) end = high.size();
  return Rise{at, end, MedianOf(values.first(at)), MedianOf(values.subspan(at, end - at))};
}

// The only stretch of high values; empty where there are several, or none.
std::optional<Rise> OnlyStretch(std::span<const int64_t> values, const std::vector<bool>& high) {
  const auto first = std::ranges::find(high, true);
  const auto end = std::find(first, high.end(), false);
  if (std::find(end, high.end(), true) != high.end()) return std::nullopt;
  const auto at = static_cast<size_t>(first - high.begin());
  const size_t count = static_cast<size_t>(end - first);
  const bool ends_again = at >= kFewestBeforeSpell && end != high.end();
  if (!ends_again || count < kFewestOfSide || 2 * count > values.size()) return std::nullopt;
  std::vector<double> others(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at));
  others.insert(others.end(), values.begin() + static_cast<std::ptrdiff_t>(at + count),
                values.end());
  return Rise{at, at + count, Median(std::move(others)), MedianOf(values.subspan(at, count))};
}

}  // namespace

int64_t FloorOf(std::span<const int64_t> values) {
  std::vector<int64_t> sorted(values.begin(), values.end());
  const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / kFloorPart);
  std::ranges::nth_element(sorted, at);
  return *at;
}

std::vector<bool> HighAbove(int64_t floor, std::span<const int64_t> values,
                            const RiseLimits& limits) {
  std::vector<bool> high;
  high.reserve(values.size());
  for (const int64_t value : values)
    high.push_back(IsHigh(static_cast<double>(value), static_cast<double>(floor), limits));
  return high;
}

std::optional<Rise> FindRise(std::span<const int64_t> values, const RiseLimits& limits) {
  if (values.size() < kFewest) return std::nullopt;
  auto rise = SplitBy(values, HighAbove(FloorOf(values), values, limits));
  if (!rise) return std::nullopt;
  // Once the levels are known, the values at the boundary belong to the nearer one.
  const double middle = (rise->before + rise->since) / 2;
  std::vector<bool> nearer;
  for (const int64_t value : values) nearer.push_back(static_cast<double>(value) > middle);
  rise = SplitBy(values, nearer);
  if (!rise || !IsHigh(rise->since, rise->before, limits)) return std::nullopt;
  if (FindGrowth(values, limits.least)) return std::nullopt;
  return rise;
}

std::optional<Rise> FindSpell(std::span<const int64_t> values, const RiseLimits& limits) {
  if (values.size() < kFewest) return std::nullopt;
  const auto spell = OnlyStretch(values, HighAbove(FloorOf(values), values, limits));
  if (!spell || !IsHigh(spell->since, spell->before, limits)) return std::nullopt;
  return spell;
}

}  // namespace stepscope
