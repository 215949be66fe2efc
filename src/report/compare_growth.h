// Finds what grew behind a longer part of steps: Python functions, kernels, calls by shape.
#pragma once

#include <optional>
#include <vector>

#include "report/compare_read.h"
#include "stepscope/phrase.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

// What explains that a part of steps takes longer, and what to do about it. Empty texts where
// nothing does.
struct Reason {
  Phrase is;       // "check_tokens (data.py:17) takes 42.0 ms more"
  Phrase because;  // "; Python: check_tokens (data.py:17) 0 ns before, 42.0 ms after"
  Phrase hint;
  Phrase brief;  // what it is without its numbers: "check_tokens (data.py:17) takes longer"
};
// ": " and what it is; empty where nothing is.
Phrase AfterColon(const Reason& reason);

// Behind `more` ns per step of a part of steps, on one rank or in the mean of all: of the host,
// where Python functions are its reason; of compute, where kernels (or operators) and their shapes
// are. Hardware is advised only where the same calls on the same shapes all take longer by about
// one factor.
Reason ReasonOnHost(const ReportSet& a, const ReportSet& b, std::optional<int64_t> rank,
                    double more);
Reason ReasonInCompute(const ReportSet& a, const ReportSet& b, std::optional<int64_t> rank,
                       double more);

// What to do about a function that takes longer.
Phrase LookAt(const Phrase& function);

// The innermost function of the user's program that takes about `more` ns per step longer, with
// what it calls: "check_tokens (data.py:17)"; empty: none does.
Phrase FunctionThatGrew(const ReportSet& a, const ReportSet& b, std::optional<int64_t> rank,
                        double more);

// Of programs that are compiled within steps of one run alone, whether that takes more or less.
Reason ReasonInCompilation(const ReportSet& a, const ReportSet& b, double more);

// Of a run after that alone has Python's functions: the largest one between operators. Whether it
// is new is not known.
Reason ReasonAfterOnly(const ReportSet& a, const ReportSet& b);

// ns per step that a rank's Python waits longer for work of others, as in a collective's wait().
double MoreWaiting(const ReportSet& a, const ReportSet& b, std::optional<int64_t> rank);

// What explains that a part takes `less` ns per step: "check_tokens (data.py:17) no longer runs".
// Empty where nothing does.
Reason LessOnHost(const ReportSet& a, const ReportSet& b, std::optional<int64_t> rank, double less);
Reason LessInCompute(const ReportSet& a, const ReportSet& b, std::optional<int64_t> rank,
                     double less);

// " Inputs have other sizes, as mm M=256 N=192 K=768 (0 times per step before, 1.25 after)."; empty
// where they do not, or take little of what computes.
Phrase SayOtherSizes(const ReportSet& a, const ReportSet& b);

// Whether the same compute kernels run as often, on the same shapes, and all take longer by about
// one factor. False where shapes are unknown.
bool SlowerByOneFactor(const ReportSet& a, const ReportSet& b, std::optional<int64_t> rank);

}  // namespace stepscope::comparison
