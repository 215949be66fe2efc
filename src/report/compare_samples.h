// Reads the steps of a run as samples: what a step takes, and how much steps of one run differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "stepscope/report.h"

namespace stepscope::comparison {

// The typical steps of one run: without warm-up and slow steps, as `overview` tells them.
class StepSamples {
 public:
  explicit StepSamples(const ReportSet& answer);

  bool empty() const { return rows_.empty(); }
  std::set<int64_t> Ranks() const;
  // All steps of a rank, typical or not.
  int64_t StepsOf(int64_t rank) const;
  // Steps that are not typical, over all ranks.
  int64_t left_out() const { return left_out_; }

  // ns per step in a column, such as "time", on a rank or in the mean of all; 0: it has none.
  double Mean(const std::string& key, std::optional<int64_t> rank = {}) const;

  // ns of each step number, the mean of its ranks.
  std::vector<double> Values(const std::string& key, std::optional<int64_t> rank = {}) const;

 private:
  struct Row {
    int64_t rank = 0;
    std::pair<int64_t, int64_t> step;     // window and number
    std::map<std::string, double> times;  // ns, by column key
  };
  std::vector<Row> rows_;
  std::map<int64_t, int64_t> steps_;  // by rank: all of them
  int64_t left_out_ = 0;
};

// The standard deviation, from the differences of neighbors but the largest: a fault that begins in
// the middle of a run is no noise of its steps. 0 of fewer than two.
double DeviationOf(const std::vector<double>& values);

// The change that may be noise: runs of one job differ by what their own steps differ by, so it is
// twice the larger standard deviation; three times of fewer than six steps, which show less of it,
// and down to one of forty and more. 0: unknown, for each run has one step.
double NoiseOf(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace stepscope::comparison
