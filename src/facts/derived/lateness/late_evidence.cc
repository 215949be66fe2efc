// Compares own times step by step.
#include "facts/derived/lateness/late_evidence.h"

#include <algorithm>
#include <cmath>

#include "base/robust.h"
#include "base/saturate.h"
#include "base/signed_rank.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/steps/step_use.h"

namespace stepscope {
namespace {

constexpr size_t kEnoughSteps = 6;        // of fewer, variation says little
constexpr size_t kFewestLate = 3;         // in fewer steps it is late by chance
constexpr double kBeyond = 2;             // variations, where the rank is late
constexpr double kBeyondRare = 3;         // where it is late in few of the steps
constexpr double kByChance = 2e-3;        // that any of the ranks is late so often
constexpr double kSlowByChance = 1.5e-3;  // that a rank takes longer so often and so much
constexpr double kNearlyAll = 0.9;        // of the steps in which it is late
constexpr double kBeyondUnexplained = 3;  // of what others wait for it

// 0 of too few.
double Variation(std::vector<double> values) {
  if (values.size() < kFewestLate) return 0;
  const double median = Median(values);
  for (double& value : values) value = std::abs(value - median);
  return kDeviationPerMad * Median(std::move(values));
}

double UnexplainedBeyond(const StepBlame& steps, uint32_t rank) {
  std::vector<double> waits;
  for (const int64_t wait : CausedBySteps(steps, rank)) waits.push_back(static_cast<double>(wait));
  const double variation = Variation(waits), median = Median(std::move(waits));
  return variation > 0 ? median / variation : median > 0 ? kBeyondUnexplained : 0;
}

}  // namespace

bool IsNoChance(int64_t times, int64_t all, size_t participants) {
  const auto ranks = static_cast<double>(std::max<size_t>(participants, 2));
  const auto n = static_cast<double>(all);
  double chance = 0;
  for (int64_t k = times; k <= all; ++k) {
    const auto i = static_cast<double>(k);
    const double ways = std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1);
    chance += std::exp(ways - i * std::log(ranks) + (n - i) * std::log1p(-1 / ranks));
  }
  return chance * ranks < kByChance;
}

OwnTimes::OwnTimes(const Facts& facts) : own_(facts.collectives.ranks.size()) {
  for (const RankSteps& rank : RankStepsOf(facts)) {
    if (rank.whole_recording) continue;
    std::vector<StepWindow> windows;
    for (const StepBreakdown& step : rank.steps) windows.push_back(step.window);
    const auto uses = UseOfDevices(*rank.rank, windows);
    for (size_t d = 0; d < uses.size(); ++d) {
      const uint32_t participant =
          facts.collectives.ParticipantOf(rank.rank->rank, rank.rank->devices[d]);
      if (participant == kNobody) continue;
      for (size_t s = 0; s < windows.size(); ++s) {
        int64_t& own = own_[participant][windows[s].number];
        own = AddSaturated(own, rank.steps[s].Total() - uses[d][s].exposed);
      }
    }
  }
}

std::map<int64_t, double> OwnTimes::BeyondOthers(uint32_t rank) const {
  std::map<int64_t, double> beyond;
  for (const auto& [step, own] : own_[rank]) {
    std::vector<double> others;
    for (uint32_t r = 0; r < own_.size(); ++r) {
      const auto at = own_[r].find(step);
      if (r != rank && at != own_[r].end()) others.push_back(static_cast<double>(at->second));
    }
    if (!others.empty()) beyond[step] = static_cast<double>(own) - Median(std::move(others));
  }
  return beyond;
}

LateEvidence OwnTimes::Weigh(const StepBlame& steps, uint32_t rank) const {
  const std::map<int64_t, double> beyond = BeyondOthers(rank);
  if (beyond.size() < kEnoughSteps) return LateEvidence::kFewSteps;
  const std::set<int64_t> late = LateSteps(steps, rank);
  std::vector<double> all, late_beyond, own_late, own_else, own_all;
  for (const auto& [step, time] : beyond) {
    const auto own = static_cast<double>(own_[rank].at(step));
    const bool is_late = late.contains(step);
    all.push_back(time);
    own_all.push_back(own);
    if (is_late) late_beyond.push_back(time);
    (is_late ? own_late : own_else).push_back(own);
  }
  if (late_beyond.size() < kFewestLate) return LateEvidence::kNone;
  const double typical = Median(late_beyond);
  const double varies =
      std::max({Variation(late_beyond), Variation(own_late), Variation(own_else)});
  if (typical > 0 && typical >= kBeyond * varies) return LateEvidence::kClear;
  // Steps may vary by far more than it is late, as with batches of other lengths.
  const auto longer =
      static_cast<double>(std::ranges::count_if(late_beyond, [](double time) { return time > 0; }));
  if (typical > 0 && IsNoChance(std::ssize(late_beyond), std::ssize(beyond), own_.size()) &&
      longer >= kNearlyAll * static_cast<double>(late_beyond.size()))
    return LateEvidence::kClear;
  const double rare = kBeyondRare * std::max(Variation(all), Variation(own_all));
  const auto is_rare = [&](double time) { return time > 0 && time > rare; };
  if (std::ranges::count_if(late_beyond, is_rare) >= static_cast<int64_t>(kFewestLate))
    return LateEvidence::kClear;
  const bool waited_for = typical <= 0 && UnexplainedBeyond(steps, rank) >= kBeyondUnexplained;
  return waited_for ? LateEvidence::kUnexplained : LateEvidence::kNone;
}

bool OwnTimes::IsAlwaysSlow(uint32_t rank, std::optional<int64_t> since) const {
  const std::map<int64_t, double> beyond = BeyondOthers(rank);
  if (beyond.size() < kEnoughSteps) return true;
  std::vector<double> before, all;
  for (const auto& [step, time] : beyond) (since && step < *since ? before : all).push_back(time);
  if (all.size() < kFewestLate) return false;
  const bool apart = before.size() + 1 >= kFewestLate &&
                     std::ranges::min(all) > std::max(std::ranges::max(before), 0.0);
  if (all.size() < kEnoughSteps) return apart;
  const auto longer = std::ranges::count_if(all, [](double time) { return time > 0; });
  if (IsNoChance(longer, std::ssize(all), 2)) return true;
  const double varies = Variation(all), chance = ChanceToBeAbove(all);
  const double usual = Median(std::move(all));
  return usual > 0 && usual >= (chance < kSlowByChance ? 1 : kBeyond) * varies;
}

bool OwnTimes::TakesLongerSince(uint32_t rank, int64_t since) const {
  const auto rise = [since](const auto& by_step) {
    std::vector<double> before, later;
    for (const auto& [step, time] : by_step)
      (step < since ? before : later).push_back(static_cast<double>(time));
    if (before.empty() || later.empty()) return 0.0;
    return Median(std::move(later)) - Median(std::move(before));
  };
  return 2 * rise(own_[rank]) >= rise(BeyondOthers(rank));
}

}  // namespace stepscope
