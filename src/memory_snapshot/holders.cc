// Sums over stacks.
#include "memory_snapshot/holders.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace stepscope::memory {
namespace {

constexpr int64_t kLeastShare = 100;  // growth is at least the peak over this
constexpr int64_t kUneven = 4;        // times of the mean that one window may grow more, or less

uint64_t KeyOf(By by, const Place& place) {
  const auto category = static_cast<uint64_t>(place.category);
  switch (by) {
    case By::kSite:
      return uint64_t{place.site} << 8 | category;
    case By::kOperator:
      return place.op;
    case By::kCategory:
      return category;
  }
  return 0;
}

bool GrowsEvenly(const std::array<int64_t, kWindows>& live, int64_t peak) {
  const int64_t whole = live.back() - live.front();
  if (whole <= 0 || whole < peak / kLeastShare) return false;
  const int64_t mean = whole / static_cast<int64_t>(kWindows - 1);
  for (size_t i = 1; i < kWindows; ++i) {
    const int64_t rise = live[i] - live[i - 1];
    if (rise <= 0 || rise < mean / kUneven || rise / kUneven > mean) return false;
  }
  return true;
}

}  // namespace

std::vector<Holder> HoldersBy(By by, const Sites& sites, const Replay& replay) {
  std::unordered_map<uint64_t, size_t> found;
  std::vector<Holder> holders;
  std::vector<int64_t> most;  // by holder
  for (StackId stack = 0; stack < replay.at_peak.size(); ++stack) {
    const Amount& amount = replay.at_peak[stack];
    if (amount.count == 0 && amount.bytes == 0) continue;
    const Place& place = sites.places[stack];
    const auto [at, added] = found.try_emplace(KeyOf(by, place), holders.size());
    if (added) {
      holders.push_back({by == By::kOperator ? place.op : place.site, place.category, {}, stack});
      most.push_back(amount.bytes);
    }
    Holder& holder = holders[at->second];
    holder.amount += amount;
    if (amount.bytes > most[at->second]) {
      most[at->second] = amount.bytes;
      holder.largest = stack;
    }
  }
  std::ranges::stable_sort(
      holders, [](const Holder& a, const Holder& b) { return a.amount.bytes > b.amount.bytes; });
  return holders;
}

std::vector<Growing> FindGrowing(const Sites& sites, const Replay& replay) {
  std::unordered_map<StringId, std::pair<std::array<int64_t, kWindows>, StackId>> live;
  for (StackId stack = 1; stack < replay.windows.size(); ++stack) {
    auto& [sum, largest] = live[sites.places[stack].site];
    for (size_t i = 0; i < kWindows; ++i) sum[i] += replay.windows[stack][i];
    if (largest == 0 || replay.windows[stack].back() > replay.windows[largest].back())
      largest = stack;
  }
  std::vector<Growing> growing;
  for (const auto& [site, of] : live)
    if (site != 0 && GrowsEvenly(of.first, replay.peak))
      growing.push_back({site, of.first.front(), of.first.back(), of.second});
  std::ranges::sort(growing, [](const Growing& a, const Growing& b) {
    return std::pair(b.last - b.first, a.site) < std::pair(a.last - a.first, b.site);
  });
  return growing;
}

}  // namespace stepscope::memory
