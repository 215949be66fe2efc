// Implements the search for the steps that take longer.
#include "report/compare_reach.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/robust.h"
#include "report/findings.h"
#include "report/period_of_steps.h"

namespace stepscope::comparison {
namespace {

constexpr size_t kEnough = 6;       // steps
constexpr size_t kLeast = 2;        // steps on each side
constexpr double kShare = 1.0 / 8;  // of the steps, on each side
constexpr size_t kFew = 4;  // steps that take longer, which may follow one another by chance
constexpr double kApart = 2, kFewApart = 3;  // deviations of a side, between the medians of both
constexpr double kLeastTime = 0.03;          // of the later step
constexpr double kOfTheRise = 0.4;  // of it, that the other steps may take more than before

// Of one step.
struct Excess {
  int64_t number = 0;
  double time = 0;  // ns more than before
};

// In the order of steps; empty where several recordings number their steps anew.
std::vector<Excess> ExcessOf(const StepComparison& steps, const std::string& key, Rank rank) {
  std::vector<double> before;
  for (const auto& [step, time] : steps.in_a.Values(key, rank)) before.push_back(time);
  std::vector<Excess> all;
  if (before.empty()) return all;
  const double usual = Median(std::move(before));
  std::optional<int64_t> window;
  for (const auto& [step, time] : steps.in_b.Values(key, rank, StepSamples::Which::kAll)) {
    if (window.value_or(step.first) != step.first) return {};
    window = step.first;
    all.push_back({step.second, time - usual});
  }
  return all;
}

std::vector<double> TimesOf(const std::vector<Excess>& all, double above, bool is_above) {
  std::vector<double> times;
  for (const Excess& one : all) {
    if ((one.time > above) == is_above) times.push_back(one.time);
  }
  return times;
}

// Where `middle` says, between the medians of the steps above and below it.
template <class Middle>
double Threshold(const std::vector<Excess>& all, const Middle& middle) {
  constexpr int kRounds = 10;
  double threshold = std::ranges::max(all, {}, &Excess::time).time / 2;
  for (int round = 0; round < kRounds; ++round) {
    const auto high = TimesOf(all, threshold, true), low = TimesOf(all, threshold, false);
    if (high.empty() || low.empty()) break;
    threshold = middle(std::max(Median(low), 0.0), Median(high));
  }
  return threshold;
}

// By ratio, as a few steps may take much longer than others that take longer, and by difference.
// Times below `least` do not count.
std::array<double, 2> Thresholds(const std::vector<Excess>& all, double least) {
  const auto by_ratio = [&](double low, double high) {
    return std::sqrt((low + least) * (high + least)) - least;
  };
  return {Threshold(all, by_ratio),
          Threshold(all, [](double low, double high) { return std::midpoint(low, high); })};
}

// Whether the two sides are clearly two, by the ratio of their times, and only the upper one
// differs from the run before.
bool AreTwo(const std::vector<double>& high, const std::vector<double>& low, double least) {
  const double rise = Median(high);
  if (rise < least || Median(low) > kOfTheRise * rise) return false;
  const auto logarithms = [&](std::vector<double> values) {
    for (double& value : values) value = std::log(std::max(value, 0.0) + least);
    return values;
  };
  std::vector<double> above = logarithms(high), below = logarithms(low);
  const double between = Median(above) - Median(below);
  const double apart = high.size() < kFew ? kFewApart : kApart;
  return between >= apart * kDeviationPerMad * std::max(MadOf(above), MadOf(below));
}

// The distance between these steps, where all steps at that distance are among them, but for the
// last one; 0: they are irregular.
int64_t DistanceOf(const std::vector<Excess>& all, const std::set<int64_t>& numbers) {
  const int64_t first = *numbers.begin(), every = *std::next(numbers.begin()) - first;
  if (numbers.size() < 3 || every < 2) return 0;
  int64_t in_period = 0;
  for (const Excess& one : all)
    in_period += one.number >= first && (one.number - first) % every == 0;
  const bool regular =
      std::ranges::all_of(numbers, [&](int64_t number) { return (number - first) % every == 0; });
  return regular && in_period <= std::ssize(numbers) + 1 ? every : 0;
}

Phrase SayWhen(const std::vector<Excess>& all, const std::set<int64_t>& numbers) {
  const int64_t first = *numbers.begin(), last = *numbers.rbegin();
  const auto within = std::ranges::count_if(
      all, [&](const Excess& one) { return one.number >= first && one.number <= last; });
  if (within == std::ssize(numbers)) {
    if (last == all.back().number) return Say(" since step {step}", first);
    if (first == all.front().number) return Say(" until step {step}", last);
    return Say(" in steps {first} to {last}", first, last);
  }
  const int64_t every = DistanceOf(all, numbers);
  if (every == 0) return {};
  return Say(" in {steps}", PeriodOfSteps{.numbers = numbers, .every = every}.Say());
}

// By the times of the steps.
Reach ReachIn(const std::vector<Excess>& all, double threshold, double least) {
  Reach reach;
  for (const Excess& one : all) {
    if (one.time > threshold) reach.numbers.insert(one.number);
  }
  const size_t others = all.size() - reach.numbers.size();
  const auto fewest =
      std::max(kLeast, static_cast<size_t>(kShare * static_cast<double>(all.size())));
  if (std::min(reach.numbers.size(), others) < fewest) return {};
  if (!AreTwo(TimesOf(all, threshold, true), TimesOf(all, threshold, false), least)) return {};
  reach.when = SayWhen(all, reach.numbers);
  return reach;
}

// By what the run's own findings say of the rank; empty where they say nothing.
std::optional<int64_t> SinceOf(const ReportSet& after, CauseKind cause, Rank rank) {
  if (!rank) return std::nullopt;
  for (const Finding* finding : FindingsInOrder(after)) {
    if (finding->since && finding->cause.rank == rank && finding->cause.kind == cause)
      return finding->since;
  }
  return std::nullopt;
}

}  // namespace

Reach ReachOf(const ReportSet& after, const StepComparison& steps, const CategoryChange& category,
              Rank rank) {
  if (category.key.empty()) return {};
  const std::vector<Excess> all = ExcessOf(steps, category.key, rank);
  if (all.size() < kEnough) return {};
  Reach reach;
  if (const auto since = SinceOf(after, category.cause, rank)) {
    reach.when = Say(" since step {step}", *since);
    for (const Excess& one : all) {
      if (one.number >= *since) reach.numbers.insert(one.number);
    }
  }
  const double least = kLeastTime * steps.b;
  for (const double threshold : Thresholds(all, least)) {
    if (!reach.when.empty()) break;
    Reach found = ReachIn(all, threshold, least);
    if (reach.numbers.empty() || !found.when.empty()) reach = std::move(found);
  }
  if (reach.numbers.empty()) return {};
  for (const Excess& one : all) {
    if (reach.numbers.contains(one.number)) reach.level += one.time;
  }
  reach.level /= static_cast<double>(reach.numbers.size());
  return reach;
}

}  // namespace stepscope::comparison
