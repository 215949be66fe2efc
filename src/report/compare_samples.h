// Reads the steps of a run as samples: what a step takes, and how much steps of one run differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "stepscope/report.h"

namespace stepscope::comparison {

// ns of each step, by window and number.
using Series = std::map<std::pair<int64_t, int64_t>, double>;

// The typical steps of one run: without warm-up and slow steps, as `overview` tells them.
class StepSamples {
 public:
  StepSamples() = default;  // of a run without steps
  explicit StepSamples(const ReportSet& answer);

  bool empty() const { return std::ssize(rows_) == left_out_; }
  std::set<int64_t> Ranks() const;
  // All steps of a rank, typical or not.
  int64_t StepsOf(int64_t rank) const;
  // Steps that are not typical, over all ranks.
  int64_t left_out() const { return left_out_; }
  // ns of these, and of all steps.
  double left_out_time() const { return left_out_time_; }
  double all_time() const { return all_time_; }
  // How many numbers of steps these have, whatever rank.
  size_t left_out_numbers() const;

  // ns per step in a column, such as "time", on a rank or in the mean of all; 0: it has none.
  double Mean(const std::string& key, std::optional<int64_t> rank = {}) const;

  enum class Which : uint8_t { kTypical, kAll };
  // ns of each step number, the mean of its ranks.
  Series Values(const std::string& key, std::optional<int64_t> rank = {},
                Which which = Which::kTypical) const;

 private:
  struct Row {
    int64_t rank = 0;
    bool typical = true;
    std::pair<int64_t, int64_t> step;     // window and number
    std::map<std::string, double> times;  // ns, by column key
  };
  std::vector<Row> rows_;
  std::map<int64_t, int64_t> steps_;  // by rank: all of them
  int64_t left_out_ = 0;
  double left_out_time_ = 0, all_time_ = 0;
};

// The standard deviation, from the differences of neighbors but the largest: a fault that begins in
// the middle of a run is no noise of its steps. 0 of fewer than two.
double DeviationOf(const std::vector<double>& values);
double DeviationOf(const Series& steps);

// The changes of means by chance that a comparison takes for a change: one of a thousand.
inline constexpr double kByChance = 0.001;

// The change of the mean that may be noise: what the means of two runs with these steps differ by,
// but for `by_chance` of all pairs (Student's t). Steps of one number that do the same work are
// compared with each other, and relative changes where they vary less than times. Of fewer than six
// steps, at least three standard deviations. 0: unknown, for each run has one step.
double NoiseOf(const Series& a, const Series& b, double by_chance = kByChance);

// What a rank takes more than the others do in the same step, whatever all steps vary by: whether
// it changed between runs beyond noise. True where that is unknown, for runs have one step.
bool ExcessChanged(const Series& own_a, const Series& others_a, const Series& own_b,
                   const Series& others_b, double by_chance);

}  // namespace stepscope::comparison
