// Implements the samples of steps and their noise.
#include "report/compare_samples.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "base/robust.h"
#include "report/compare_sides.h"
#include "report/lookup.h"

namespace stepscope::comparison {
namespace {

constexpr size_t kFew = 6;                // steps, below which they show less of their noise
constexpr double kDeviationsOfFew = 3;    // that a change of few steps must exceed
constexpr double kOfAShift = 0.5;         // of the deviation from the mean, that of neighbors
constexpr double kLeastDeviations = 0.5;  // that runs of any number of steps differ by

std::vector<double> NumbersOf(const Series& steps) {
  std::vector<double> numbers;
  for (const auto& [step, number] : steps) numbers.push_back(number);
  return numbers;
}

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// b - a of the steps that both have.
Series NumbersByStep(const Series& a, const Series& b) {
  Series differences;
  for (const auto& [step, number] : a) {
    const auto other = b.find(step);
    if (other != b.end()) differences[step] = other->second - number;
  }
  return differences;
}

// Of the steps that take time.
Series Logarithms(const Series& steps) {
  Series logarithms;
  for (const auto& [step, number] : steps) {
    if (number > 0) logarithms[step] = std::log(number);
  }
  return logarithms;
}

// The sample's, but of a run with a shift in it that of the steps about the shift.
double DeviationBesideShift(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = MeanOf(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  const double sample = std::sqrt(sum / static_cast<double>(values.size() - 1));
  const double of_neighbors = DeviationOf(values);
  return of_neighbors < kOfAShift * sample ? of_neighbors : sample;
}

// The value that Student's t exceeds, up or down, by this chance: an expansion about the normal
// distribution's (Abramowitz and Stegun, 26.2.23 and 26.7.5).
double StudentsT(double by_chance, double freedom) {
  const double t = std::sqrt(-2 * std::log(by_chance / 2));
  const double z = t - (2.515517 + 0.802853 * t + 0.010328 * t * t) /
                           (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
  const double cube = z * z * z;
  return z + (cube + z) / (4 * freedom) +
         (5 * cube * z * z + 16 * cube + 3 * z) / (96 * freedom * freedom);
}

// Of two independent runs.
double NoiseOfMeans(const std::vector<double>& a, const std::vector<double>& b, double by_chance) {
  const auto in_a = static_cast<double>(a.size()), in_b = static_cast<double>(b.size());
  if (a.empty() || b.empty() || in_a + in_b < 3) return 0;
  double own_a = DeviationBesideShift(a), own_b = DeviationBesideShift(b);
  // The run with more steps knows more of what steps differ by.
  if (std::min(a.size(), b.size()) < kFew) own_a = own_b = std::max(own_a, own_b);
  const double of_means = std::sqrt(own_a * own_a / in_a + own_b * own_b / in_b) *
                          StudentsT(by_chance, in_a + in_b - 2);
  const bool few = std::max(a.size(), b.size()) < kFew;
  return std::max(of_means, few ? kDeviationsOfFew * std::max(DeviationOf(a), DeviationOf(b))
                                : kLeastDeviations * std::max(own_a, own_b));
}

// Of medians, which bursts on a busy machine move less than means; 0: unknown, for steps are few or
// nearly alike. Their standard error is 1.25 times that of means, and the median deviation knows
// the deviation as well as the sample's of 0.37 times as many values.
double NoiseOfMedians(const std::vector<double>& a, const std::vector<double>& b,
                      double by_chance) {
  constexpr size_t kEnough = 8;
  if (std::min(a.size(), b.size()) < kEnough) return 0;
  double error = 0, own = 0;
  for (std::vector<double> values : {a, b}) {
    const auto count = static_cast<double>(values.size());
    const double deviation = kDeviationPerMad * MadOf(values);
    own = std::max(own, deviation);
    error += 1.2533 * 1.2533 * deviation * deviation / count;
  }
  const double freedom = 0.37 * static_cast<double>(a.size() + b.size() - 2);
  return std::max(std::sqrt(error) * StudentsT(by_chance, freedom), kLeastDeviations * own);
}

// Of the differences of pairs of steps with one number; 0: unknown.
double NoiseOfPairs(const Series& a, const Series& b, double by_chance) {
  const std::vector<double> differences = NumbersOf(NumbersByStep(a, b));
  if (differences.size() < kFew || 2 * differences.size() < std::max(a.size(), b.size())) return 0;
  const auto pairs = static_cast<double>(differences.size());
  return DeviationBesideShift(differences) *
         std::max(kLeastDeviations, StudentsT(by_chance, pairs - 1) / std::sqrt(pairs));
}

}  // namespace

StepSamples::StepSamples(const ReportSet& answer) {
  const Table* table = FindTable(FindReport(answer, "overview"), "steps");
  if (table == nullptr) return;
  const auto rank = FindColumn(*table, "rank"), window = FindColumn(*table, "window"),
             step = FindColumn(*table, "step"), time = FindColumn(*table, "time"),
             typical = FindColumn(*table, "typical");
  if (!rank) return;
  const auto whole = [](const std::vector<Cell>& cells, std::optional<size_t> at) {
    const auto* number = at ? std::get_if<int64_t>(&cells[*at]) : nullptr;
    return number == nullptr ? int64_t{0} : *number;
  };
  for (const auto& cells : table->rows) {
    ++steps_[whole(cells, rank)];
    const auto took = static_cast<double>(whole(cells, time));
    all_time_ += took;
    Row row{.rank = whole(cells, rank),
            .typical = !typical || cells[*typical] != Cell("no"),
            .step = {whole(cells, window), whole(cells, step)},
            .times = {}};
    if (!row.typical) {
      ++left_out_;
      left_out_time_ += took;
    }
    for (size_t c = 0; c < cells.size(); ++c) {
      const Column& column = table->columns[c];
      if (column.unit == Unit::kNanoseconds && IsNumber(cells[c]))
        row.times[column.key] = NumberOf(cells[c]);
    }
    rows_.push_back(std::move(row));
  }
}

std::set<int64_t> StepSamples::Ranks() const {
  std::set<int64_t> ranks;
  for (const Row& row : rows_) {
    if (row.typical) ranks.insert(row.rank);
  }
  return ranks;
}

int64_t StepSamples::StepsOf(int64_t rank) const {
  const auto at = steps_.find(rank);
  return at == steps_.end() ? 0 : at->second;
}

size_t StepSamples::left_out_numbers() const {
  std::set<std::pair<int64_t, int64_t>> steps;
  for (const Row& row : rows_)
    if (!row.typical) steps.insert(row.step);
  return steps.size();
}

double StepSamples::Mean(const std::string& key, std::optional<int64_t> rank) const {
  double sum = 0, count = 0;
  for (const Row& row : rows_) {
    if (!row.typical || (rank && row.rank != *rank)) continue;
    const auto at = row.times.find(key);
    sum += at == row.times.end() ? 0 : at->second;
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

Series StepSamples::Values(const std::string& key, std::optional<int64_t> rank, Which which) const {
  std::map<std::pair<int64_t, int64_t>, std::pair<double, double>> steps;  // sum and count
  for (const Row& row : rows_) {
    if (rank && row.rank != *rank) continue;
    if (which == Which::kTypical && !row.typical) continue;
    const auto at = row.times.find(key);
    auto& [sum, count] = steps[row.step];
    sum += at == row.times.end() ? 0 : at->second;
    ++count;
  }
  Series values;
  for (const auto& [step, of] : steps) values[step] = of.first / of.second;
  return values;
}

double DeviationOf(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  std::vector<double> differences;
  for (size_t i = 1; i < values.size(); ++i)
    differences.push_back(std::abs(values[i] - values[i - 1]));
  std::ranges::sort(differences);
  const double by_median = kDeviationPerMad * Median(differences);
  // Waits are short in most steps and long in some. The largest difference may be a shift.
  constexpr size_t kEnough = 4;
  if (differences.size() >= kEnough) differences.pop_back();
  double sum = 0;
  for (const double d : differences) sum += d * d;
  const double by_squares = std::sqrt(sum / static_cast<double>(differences.size()));
  return std::max(by_median, by_squares) / std::numbers::sqrt2;
}

double DeviationOf(const Series& steps) { return DeviationOf(NumbersOf(steps)); }

double NoiseOf(const Series& a, const Series& b, double by_chance) {
  const std::vector<double> in_a = NumbersOf(a), in_b = NumbersOf(b);
  double noise = NoiseOfMeans(in_a, in_b, by_chance);
  const auto allow = [&](double other) { noise = other > 0 ? std::min(noise, other) : noise; };
  allow(NoiseOfPairs(a, b, by_chance));
  const Series log_a = Logarithms(a), log_b = Logarithms(b);
  if (log_a.size() < a.size() || log_b.size() < b.size()) return noise;
  // Noise that is a share of a relative change is as much of the change.
  const double change = MeanOf(in_b) - MeanOf(in_a);
  const double relative = MeanOf(NumbersOf(log_b)) - MeanOf(NumbersOf(log_a));
  if (change * relative > 0) allow(change / relative * NoiseOfPairs(log_a, log_b, by_chance));
  return noise;
}

bool ExcessChanged(const Series& own_a, const Series& others_a, const Series& own_b,
                   const Series& others_b, double by_chance) {
  const auto changed = [&](const Series& a, const Series& b) {
    const std::vector<double> in_a = NumbersOf(a), in_b = NumbersOf(b);
    if (std::abs(MeanOf(in_b) - MeanOf(in_a)) > NoiseOfMeans(in_a, in_b, by_chance)) return true;
    const double noise = NoiseOfMedians(in_a, in_b, by_chance / 2);
    return noise > 0 && std::abs(Median(in_b) - Median(in_a)) > noise;
  };
  if (changed(NumbersByStep(others_a, own_a), NumbersByStep(others_b, own_b))) return true;
  const Series log_a = NumbersByStep(Logarithms(others_a), Logarithms(own_a)),
               log_b = NumbersByStep(Logarithms(others_b), Logarithms(own_b));
  const bool all = log_a.size() == own_a.size() && log_b.size() == own_b.size();
  return all && std::min(log_a.size(), log_b.size()) >= kFew && changed(log_a, log_b);
}

}  // namespace stepscope::comparison
