// Compares the steps of two runs: their time, its categories, and the ranks.
#pragma once

#include <string>
#include <vector>

#include "stepscope/report.h"

namespace stepscope::comparison {

// A category of the mean step, in both runs.
struct CategoryChange {
  std::string name;      // "device compute"
  std::string key;       // of its column in the table of steps; empty: it has none
  bool is_rest = false;  // what no other category has
  CauseKind cause = CauseKind::kNone;
  double a = 0, b = 0;              // ns per step
  double share_a = 0, share_b = 0;  // of step time
  double Change() const { return b - a; }
};

// The steps of both runs, from their reports `overview`. All is empty or 0 unless both have steps.
struct StepChange {
  double a = 0, b = 0;                     // ns: the mean step
  std::vector<CategoryChange> categories;  // the largest change first
  bool known() const { return a > 0 && b > 0; }
};
StepChange CompareSteps(const ReportSet& a, const ReportSet& b);

// "Mean step time: 165 ms before, 118 ms after (-28.5%). Input: 47.3 ms before, 0.30 ms after
// (28.5% to 0.6% of step time)."
std::string SayStepChange(const StepChange& steps);

Table CategoryTable(const StepChange& steps);

// Adds the table of ranks, and findings: categories that take more, and the rank whose time rose
// beyond the others'. Their impact is ns per step.
void AddRankChange(const ReportSet& a, const ReportSet& b, const StepChange& steps, Report& report);
void AddCategoryFindings(const ReportSet& a, const ReportSet& b, const StepChange& steps,
                         Report& report);

// "47.3 ms before, 0.30 ms after (-99.4%)".
std::string SaySides(double a, double b);

}  // namespace stepscope::comparison
