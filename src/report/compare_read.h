// Reads rows of reports for a comparison, per step of a rank or of all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/compare_sides.h"
#include "report/lookup.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

// Something that runs in steps. All is per step.
struct Growth {
  std::string name;
  double a = 0, b = 0;              // ns
  double calls_a = 0, calls_b = 0;  // 0 on both sides: unknown
  double Change() const { return b - a; }
  bool IsNew() const { return calls_a == 0 && calls_b > 0; }
  bool HasMoreCalls() const { return calls_b > 1.05 * calls_a; }
};

using Row = std::vector<Cell>;
using Rank = std::optional<int64_t>;

inline double Number(const Row& row, std::optional<size_t> at) {
  return at && IsNumber(row[*at]) ? NumberOf(row[*at]) : 0;
}

inline std::string_view Text(const Row& row, std::optional<size_t> at) {
  const auto* text = at ? std::get_if<std::string>(&row[*at]) : nullptr;
  return text == nullptr ? std::string_view() : *text;
}

// Ranks of the job, recorded or not.
inline int64_t RanksOfJob(const RunInfo& run) {
  return run.ranks + CountOfNotes(run, "missing_ranks");
}

// Whether the jobs have different numbers of ranks: a collective of more ranks takes another time,
// and may wait for ranks that only one of them has, so that its times are not comparable.
inline bool RanksDiffer(const ReportSet& a, const ReportSet& b) {
  return a.run.ranks != b.run.ranks || RanksOfJob(a.run) != RanksOfJob(b.run);
}

// "JAX"; empty: unknown.
inline std::string FrameworkOf(const ReportSet& answer) {
  return TextOf(answer, "breakdown", "framework");
}

// Two frameworks call the same work by other names.
inline bool FrameworksDiffer(const ReportSet& a, const ReportSet& b) {
  const std::string before = FrameworkOf(a), after = FrameworkOf(b);
  return !before.empty() && !after.empty() && before != after;
}

// The steps of a rank, or of all.
inline double StepsOf(const ReportSet& answer, Rank rank) {
  if (!rank) return std::max(MetricOf(answer, "overview", "steps"), 1.0);
  const Table* table = FindTable(FindReport(answer, "overview"), "steps");
  const auto at = table == nullptr ? std::nullopt : FindColumn(*table, "rank");
  if (!at) return 1;
  const auto steps =
      std::ranges::count_if(table->rows, [&](const Row& row) { return row[*at] == Cell(*rank); });
  return static_cast<double>(std::max<int64_t>(steps, 1));
}

// ns per step that evaluation takes between steps. No step has it, but tables of kernels and
// operators do.
inline double EvaluationPerStep(const ReportSet& answer) {
  return MetricOf(answer, "overview", "evaluation_per_step");
}
inline double MoreEvaluation(const ReportSet& a, const ReportSet& b) {
  return EvaluationPerStep(b) - EvaluationPerStep(a);
}

// Calls visit(table, row) for the rows of this rank, or all.
template <class Visit>
void ForRows(const ReportSet& answer, std::string_view analysis, std::string_view key, Rank rank,
             const Visit& visit) {
  const Table* table = FindTable(FindReport(answer, analysis), key);
  if (table == nullptr) return;
  const auto at = FindColumn(*table, "rank");
  for (const Row& row : table->rows) {
    if (rank && at && row[*at] != Cell(*rank)) continue;
    visit(*table, row);
  }
}

}  // namespace stepscope::comparison
