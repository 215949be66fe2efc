// Implements the search for ranks that became slower together, and its words.
#include "report/compare_rank_groups.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "base/robust.h"
#include "base/saturate.h"
#include "report/humanize.h"
#include "report/period_of_steps.h"

namespace stepscope::comparison {
namespace {

constexpr double kMinShare = 0.03;       // of the longer step time
constexpr double kRankByChance = 0.003;  // of the pairs of equal runs, in a category
constexpr double kAlike = 0.5;           // of the largest change, that each of them has
constexpr double kOthers = 0.25;         // of it, that no other rank has

std::vector<int64_t> Without(const std::vector<int64_t>& ranks, const std::vector<int64_t>& some) {
  std::vector<int64_t> others;
  std::ranges::copy_if(ranks, std::back_inserter(others),
                       [&](int64_t rank) { return std::ranges::find(some, rank) == some.end(); });
  return others;
}

// Of one category.
std::optional<RankGroup> GroupIn(const CategoryChange& category, const std::vector<int64_t>& ranks,
                                 const StepComparison& steps) {
  std::vector<std::pair<double, int64_t>> changes;
  for (const int64_t rank : ranks)
    changes.emplace_back(steps.in_b.Mean(category.key, rank) - steps.in_a.Mean(category.key, rank),
                         rank);
  std::ranges::sort(changes, std::ranges::greater{});
  const auto [most, rank] = changes.front();
  RankGroup group{.most = rank, .category = &category, .change = most};
  std::vector<double> rest;
  for (const auto& [change, of] : changes) {
    if (change >= kAlike * most)
      group.ranks.push_back(of);
    else if (change > kOthers * most)
      return std::nullopt;
    else
      rest.push_back(change);
  }
  if (most <= 0 || group.ranks.size() < 2 || group.ranks.size() > rest.size()) return std::nullopt;
  group.beyond = std::min(most - Median(std::move(rest)), most);
  std::ranges::sort(group.ranks);
  const std::vector<int64_t> others = Without(ranks, group.ranks);
  const Series others_a = MedianOfRanks(steps.in_a, category.key, others),
               others_b = MedianOfRanks(steps.in_b, category.key, others);
  const double by_chance = kRankByChance / static_cast<double>(ranks.size());
  const bool all_changed = std::ranges::all_of(group.ranks, [&](int64_t of) {
    return ExcessChanged(steps.in_a.Values(category.key, of), others_a,
                         steps.in_b.Values(category.key, of), others_b, by_chance);
  });
  return all_changed ? std::optional(std::move(group)) : std::nullopt;
}

// "fit_transform (features.py:35) takes longer on ranks 0 and 2 (up to 38.4 ms more input per
// step)".
Phrase SayClause(const RankGroup& group, const Reason& reason) {
  const std::string time = HumanTime(group.change);
  const Phrase ranks = SayRanks(group.ranks);
  return reason.brief.empty() ? Say("{ranks} take up to {time} more {category} per step", ranks,
                                    time, group.category->part)
                              : Say("{reason} on {ranks} (up to {time} more {category} per step)",
                                    reason.brief, ranks, time, group.category->part);
}

// "rank 0: 10.6 ms before, 43.7 ms after (+312.3%); rank 2: ...".
Phrase SayEach(const RankGroup& group, const StepComparison& steps) {
  constexpr size_t kNamed = 3;
  Phrase said;
  for (size_t i = 0; i < std::min(group.ranks.size(), kNamed); ++i) {
    const int64_t rank = group.ranks[i];
    said += (said.empty() ? "" : "; ") + Say("rank {rank}: {sides}", rank,
                                             SaySides(steps.in_a.Mean(group.category->key, rank),
                                                      steps.in_b.Mean(group.category->key, rank)));
  }
  return said;
}

}  // namespace

Phrase SayRanks(const std::vector<int64_t>& ranks) {
  return Say("ranks {ranks} and {last}", AllButLast(ranks), ranks.back());
}

Series MedianOfRanks(const StepSamples& steps, const std::string& key,
                     const std::vector<int64_t>& ranks) {
  std::map<std::pair<int64_t, int64_t>, std::vector<double>> times;
  for (const int64_t rank : ranks) {
    for (const auto& [step, time] : steps.Values(key, rank)) times[step].push_back(time);
  }
  Series medians;
  for (auto& [step, of_ranks] : times) medians[step] = Median(std::move(of_ranks));
  return medians;
}

std::optional<RankGroup> FindRankGroup(const std::vector<int64_t>& ranks,
                                       const StepComparison& steps) {
  std::optional<RankGroup> most;
  for (const CategoryChange& category : steps.categories) {
    // Waiting in collectives is due to other ranks.
    if (category.cause == CauseKind::kCommunication || category.cause == CauseKind::kNone) continue;
    if (category.key.empty()) continue;
    auto group = GroupIn(category, ranks, steps);
    if (group && (!most || group->beyond > most->beyond)) most = std::move(group);
  }
  if (most && most->beyond < kMinShare * std::max(steps.a, steps.b)) return std::nullopt;
  return most;
}

void AddRankGroup(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                  const RankGroup& group, Report& report, Leads& leads) {
  const CategoryChange& category = *group.category;
  const Reason reason = ReasonOf(a, b, category.cause, group.most, group.change);
  const Phrase ranks = SayRanks(group.ranks);
  const Phrase message =
      Say("{ranks} take up to {time} more {category} per step than before{why}.",
          Capitalized(ranks), HumanTime(group.change), category.part, AfterColon(reason));
  leads.more.push_back(
      {.message = message, .clause = SayClause(group, reason), .time = group.change});
  report.findings.push_back({.message = message,
                             .because = SayEach(group, steps) + reason.because,
                             .hint = Say("on {ranks}: {hint}", ranks, HintOn(category, reason)),
                             .impact = ToInt64(group.beyond),
                             .table = "ranks",
                             .cause = {category.cause},
                             .nearness = Nearness::kCause,
                             .extent = {.time = ToInt64(steps.b), .steps = 1}});
}

}  // namespace stepscope::comparison
