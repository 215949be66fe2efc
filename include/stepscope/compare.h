// Compares two answers: of two runs, or of two steps or ranks of one run.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "stepscope/report.h"

namespace stepscope {

// What two runs are asked for to be compared, where nobody says otherwise.
inline constexpr std::array<std::string_view, 7> kComparedAnalyses = {
    "overview",         "temporal_breakdown", "comm_overlap", "idle_time",
    "kernel_breakdown", "operator_kernels",   "operators"};

struct CompareOptions {
  // Kernels are the same when their names are, without template arguments, return types and
  // parameters: for a new compiler, library version or data type.
  bool short_names = false;
};

// Compares `b` with `a`, which are answers to the same questions. The result holds
//   - a report "compare" with the tables `operators` and `kernels`: counts and times of each side,
//     and what happened to each: added, removed, more, fewer, slower, faster or same; those whose
//     time changed most first. These are sums: where the two hold different numbers of steps, a
//     note says so, and what is said in words is of a step;
//   - for every analysis that both could answer, a report of its name: each metric and each table
//     row by row, with every number X as X_a, X_b, X_change = b - a, and X_change_ratio =
//     (b - a) / a. The X_change of a ratio is a difference of ratios. Rows match by the table's
//     keys. A key that has one value on each side, as the rank of two traces of one rank, is no
//     obstacle. Of a row that only one side has, the other side's cells are empty.
ReportSet Compare(const ReportSet& a, const ReportSet& b, const CompareOptions& options = {});

}  // namespace stepscope
