// Compares two answers: of two runs, or of two steps or ranks of one run.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

// What two runs are asked for to be compared, where nobody says otherwise.
inline constexpr std::array<std::string_view, 13> kComparedAnalyses = {
    "overview",     "breakdown",        "temporal_breakdown",
    "comm_overlap", "idle_time",        "stragglers",
    "collectives",  "kernel_breakdown", "operator_kernels",
    "operators",    "shapes",           "modules",
    "python"};

struct CompareOptions {
  // Kernels are the same when their names are, without template arguments, return types and
  // parameters: for a new compiler, library version or data type.
  bool short_names = false;
  // A kernel whose calls went to one other kernel is one row with it, "old | new".
  bool join_replaced = true;
  // What each side is of where both are of one run: "rank 3". Empty: of other runs.
  Phrase before = {};
  Phrase after = {};
};

// Compares `b`, the run after, with `a`, the run before: answers to the same questions. The result
// holds
//   - a report "compare". Its headline begins with what the mean step changed by and the first
//     causes of that: function, rank and steps. It and table `categories` say which categories of
//     the mean step changed most, for better or worse, beyond what steps of one run differ by; the
//     headline says where nothing did, and what both runs do differently: FLOP, precision, and
//     where times say nothing, calls; `ranks`, how each rank's step changed; `operators`, `shapes`
//     (operators by input shapes) and `kernels`, counts and times of each side and what happened:
//     added, removed, replaced, more, fewer, slower, faster or same; the largest change first. The
//     last three are sums: where the two hold different numbers of steps, a note says so, and what
//     is said in words is of a step. Findings are rises of a category, of one rank, of a kernel, of
//     a shape whose calls became slower, merged by cause; they name the Python functions or kernels
//     that grew. Each costs what it takes after minus before, as a share of the later step, and all
//     together cost at most what the step grew by beyond what became shorter, waits aside, or what
//     one rank grew by beyond the others. Where neither marks steps and both ran the same operators
//     as often, the recordings of a rank take their place, with the metrics recorded_a and
//     recorded_b;
//   - for every analysis that both could answer, a report of its name: each metric and each table
//     row by row, with every number X as X_a, X_b, X_change = b - a, and X_change_ratio =
//     (b - a) / a. The X_change of a ratio is a difference of ratios; identifiers have none. Rows
//     match by the table's keys. A key that has one value on each side, as the rank of two traces
//     of one rank, is no obstacle. Of a row that only one side has, the other side's cells are
//     empty.
ReportSet Compare(const ReportSet& a, const ReportSet& b, const CompareOptions& options = {});

// Two answers of ranks that can be compared.
struct RunsToCompare {
  std::shared_ptr<const ReportSet> before, after;
  // The answers of all ranks, where some were left out: what their findings say of these is told.
  // Null: none were left out.
  std::shared_ptr<const ReportSet> all_before, all_after;
};

// Asks one of the runs for these ranks; where there are none, as the question says.
using AskForRanks =
    std::function<Result<std::shared_ptr<const ReportSet>>(const std::vector<int64_t>& ranks)>;

// Asks both. Where runs have different ranks, but for one of each, it asks again for those that
// both have, unless the questions chose ranks. Fails as they do, and if no rank is in both.
Result<RunsToCompare> AskBoth(const AskForRanks& before, const AskForRanks& after,
                              bool ranks_are_chosen = false);

// As Compare() of both, and findings of ranks that only one of the runs has.
ReportSet Compare(const RunsToCompare& runs, const CompareOptions& options = {});

}  // namespace stepscope
