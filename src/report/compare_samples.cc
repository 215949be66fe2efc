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
StepSamples::StepSamples(const ReportSet& answer) {
  const Table* table = FindTable(FindReport(answer, "overview"), "steps");
  if (table == nullptr) return;
  const auto rank = FindColumn(*table, "rank"), window = FindColumn(*table, "window"),
             step = FindColumn(*table, "step"), typical = FindColumn(*table, "typical");
  if (!rank) return;
  const auto whole = [](const std::vector<Cell>& cells, std::optional<size_t> at) {
    const auto* number = at ? std::get_if<int64_t>(&cells[*at]) : nullptr;
    return number == nullptr ? int64_t{0} : *number;
  };
  for (const auto& cells : table->rows) {
    ++steps_[whole(cells, rank)];
    if (typical && cells[*typical] == Cell("no")) {
      ++left_out_;
      continue;
    }
    Row row{.rank = whole(cells, rank),
            .step = {whole(cells, window), whole(cells, step)},
            .times = {}};
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
  for (const Row& row : rows_) ranks.insert(row.rank);
  return ranks;
}

int64_t StepSamples::StepsOf(int64_t rank) const {
  const auto at = steps_.find(rank);
  return at == steps_.end() ? 0 : at->second;
}

double StepSamples::Mean(const std::string& key, std::optional<int64_t> rank) const {
  double sum = 0, count = 0;
  for (const Row& row : rows_) {
    if (rank && row.rank != *rank) continue;
    const auto at = row.times.find(key);
    sum += at == row.times.end() ? 0 : at->second;
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

std::vector<double> StepSamples::Values(const std::string& key, std::optional<int64_t> rank) const {
  std::map<std::pair<int64_t, int64_t>, std::pair<double, double>> steps;  // sum and count
  for (const Row& row : rows_) {
    if (rank && row.rank != *rank) continue;
    const auto at = row.times.find(key);
    auto& [sum, count] = steps[row.step];
    sum += at == row.times.end() ? 0 : at->second;
    ++count;
  }
  std::vector<double> values;
  for (const auto& [step, of] : steps) values.push_back(of.first / of.second);
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

double NoiseOf(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr double kEnough = 10, kFew = 6;
  // The run with more steps knows more of what steps differ by.
  const auto steps = static_cast<double>(std::max(a.size(), b.size()));
  const double deviations = steps < kFew ? 3 : std::clamp(2 * std::sqrt(kEnough / steps), 1.0, 2.0);
  return deviations * std::max(DeviationOf(a), DeviationOf(b));
}

}  // namespace stepscope::comparison
