// Splits ranks where their times are furthest apart.
#include "analyses/uneven_ranks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "analyses/build.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr double kTimesAsMuch = 2;  // as any other rank

struct Spent {
  double time = 0, steps = 0;
};

// ns per step and rank, the most first.
std::vector<std::pair<double, int64_t>> SpentPerStep(const std::vector<RankSteps>& ranks,
                                                     StepCategory category) {
  std::map<int64_t, Spent> spent;
  for (const RankSteps& rank : ranks) {
    Spent& own = spent[rank.rank->rank];
    for (const StepBreakdown& step : rank.steps) {
      own.time += static_cast<double>(TimeOf(step, category));
      ++own.steps;
    }
  }
  std::vector<std::pair<double, int64_t>> sorted;
  for (const auto& [rank, own] : spent)
    sorted.emplace_back(own.time / std::max(own.steps, 1.0), rank);
  std::ranges::sort(sorted, std::greater());
  return sorted;
}

}  // namespace

UnevenRanks FindUnevenRanks(const std::vector<RankSteps>& ranks, StepCategory category) {
  const auto spent = SpentPerStep(ranks, category);
  double all = 0, most = 0;
  for (const auto& [time, rank] : spent) all += time;
  UnevenRanks uneven;
  double widest = kTimesAsMuch;
  for (size_t count = 1; 2 * count <= spent.size(); ++count) {
    most += spent[count - 1].first;
    const double least = spent[count - 1].first, next = spent[count].first;
    const double times = next > 0 ? least / next : HUGE_VAL;
    if (least <= 0 || most <= all / 2 || times < widest) continue;
    widest = times;
    uneven = {.share = most / all};
    for (size_t i = 0; i < count; ++i) uneven.ranks.push_back(spent[i].second);
  }
  std::ranges::sort(uneven.ranks);
  return uneven;
}

std::vector<RankSteps> RanksThatCount(const Facts& facts, const std::vector<RankSteps>& ranks,
                                      const UnevenRanks& uneven) {
  if (uneven.ranks.empty() || facts.collectives.matches.empty()) return ranks;
  std::vector<RankSteps> count;
  for (const RankSteps& rank : ranks) {
    if (std::ranges::binary_search(uneven.ranks, rank.rank->rank)) count.push_back(rank);
  }
  return count;
}

Phrase SayUnevenRanks(const UnevenRanks& uneven) {
  if (uneven.ranks.empty()) return "";
  return Say(" {ranks} {have} {share} of it.", Capitalized(SayRanks(uneven.ranks)),
             uneven.ranks.size() == 1 ? "has" : "have", HumanRatio(uneven.share));
}

}  // namespace stepscope
