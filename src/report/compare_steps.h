// Compares the steps of two runs: their time and its categories.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/compare_growth.h"
#include "report/compare_samples.h"
#include "stepscope/phrase.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

// A category of the mean step, in both runs.
struct CategoryChange {
  std::string name;      // "device compute"
  Phrase part;           // the same in a sentence: "unrecorded time" of "all others"
  std::string key;       // of its column in the table of steps; empty: it has none
  bool is_rest = false;  // what no other category has
  CauseKind cause = CauseKind::kNone;
  double a = 0, b = 0;              // ns per step
  double share_a = 0, share_b = 0;  // of step time
  double noise = 0;                 // ns that it may change by though nothing changed
  double Change() const { return b - a; }
  bool IsNoise() const { return noise > 0 && (b > a ? b - a : a - b) <= noise; }
};

// The typical steps of both runs, from their reports `overview`. All is empty or 0 unless both have
// steps.
struct StepComparison {
  double a = 0, b = 0;                     // ns: the mean step
  double noise = 0;                        // as that of categories
  std::vector<CategoryChange> categories;  // the largest change first
  StepSamples in_a, in_b;
  bool known() const { return a > 0 && b > 0; }
  bool IsNoise() const { return noise > 0 && (b > a ? b - a : a - b) <= noise; }
  // ns that the categories which grew beyond noise take more.
  double Growth() const;
};
StepComparison CompareSteps(const ReportSet& a, const ReportSet& b);
// The same from the run after to the one before.
StepComparison Swapped(StepComparison steps);

// Whether the category of this cause is known, and changed by noise only.
bool IsNoise(const StepComparison& steps, CauseKind cause);

// What else is told of steps.
struct ToldOfSteps {
  bool has_cause = false;           // a finding explains a change, so that it is none of noise
  bool by_slow_steps = false;       // slow steps, most of the noise, are told to be the change
  bool without_evaluation = false;  // runs spend other times on evaluation, which no step has
  Phrase first = {};                // the first sentence, which tells step time and a reason
};
// "Mean step time: 165 ms before, 118 ms after (-28.5%). Input: 47.3 ms before, 0.30 ms after (load
// (data.py:7) takes 46.1 ms less)." Where there is a first sentence, it stands for both: people see
// the parts below it.
Phrase SayStepChange(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                     const ToldOfSteps& told);

// " Slow steps and warm-up, left out: none before, 4 steps of 284 ms after."; empty where runs lose
// about as much time to them.
Phrase SayLeftOut(const StepComparison& steps);

// " Within the run after, step time changed: 38.3 ms since step 8.": of each run whose steps
// changed, what `breakdown` says of it, as means of all steps hide that; empty where none did.
Phrase SayChangeWithin(const ReportSet& a, const ReportSet& b);

Table CategoryTable(const StepComparison& steps);

// "47.3 ms before, 0.30 ms after (-99.4%)".
Phrase SaySides(double a, double b);

// "28.5% to 0.6% of step time".
Phrase SayPoints(const CategoryChange& category);

// What a category takes more time for, on a rank or on all; less, where `more` is negative.
Reason ReasonOf(const ReportSet& a, const ReportSet& b, CauseKind cause,
                std::optional<int64_t> rank, double more);

// What to do about it.
Phrase HintOn(const CategoryChange& category, const Reason& reason);

}  // namespace stepscope::comparison
