// Keeps the rows of an answer that name a kernel or an operator.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/word_pattern.h"
#include "stepscope/select.h"

namespace stepscope {
namespace {

// Where names of a kind stand: columns of any analysis, and columns `name` of some.
struct NamePlaces {
  std::string_view noun;
  std::array<std::string_view, 3> columns;
  std::array<std::string_view, 6> named;  // analyses
};
constexpr NamePlaces kOfKernels = {
    "kernel",
    {"kernel", "sequence", "event"},
    {"kernel_breakdown", "kernel_distribution", "kernels", "critical_path", "cupti_counters", ""}};
constexpr NamePlaces kOfOperators = {
    "operator", {"operator", "call", "op"}, {"operators", "hlo_operators", "", "", "", ""}};

bool Holds(const NamePlaces& places, const Report& report, const Column& column) {
  if (std::ranges::find(places.columns, column.key) != places.columns.end()) return true;
  const bool named = std::ranges::find(places.named, report.analysis) != places.named.end();
  return named && column.key == "name";
}

bool KeepRows(const Report& report, const NamePlaces& places, const WordPattern& pattern,
              Table& table) {
  std::vector<size_t> columns;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (Holds(places, report, table.columns[c])) columns.push_back(c);
  }
  const auto is_other = [&](const std::vector<Cell>& row) {
    return std::ranges::none_of(columns, [&](size_t c) {
      const auto* text = std::get_if<std::string>(&row[c]);
      return text != nullptr && pattern.IsIn(*text);
    });
  };
  std::erase_if(table.rows, is_other);
  table.text_rows = Table::kAllRows;
  return !table.rows.empty();
}

Result<ReportSet> Keep(ReportSet answer, const NamePlaces& places, const std::string& text) {
  const WordPattern pattern(text);
  for (Report& report : answer.reports) {
    std::erase_if(report.tables,
                  [&](Table& table) { return !KeepRows(report, places, pattern, table); });
    report.metrics.clear();
    report.series.clear();
    report.findings.clear();
    report.headline.clear();
    report.notes.clear();
  }
  std::erase_if(answer.reports, [](const Report& report) { return report.tables.empty(); });
  if (!answer.reports.empty()) return answer;
  const std::string hint = text.contains('*')
                               ? fmt::format("see {}s for their names", places.noun)
                               : "give whole words of a name, or * for any text: '*gemm*'";
  return std::unexpected(
      Error{fmt::format("no {} has '{}' in its name", places.noun, text), "", hint});
}

}  // namespace

Result<ReportSet> KeepNamed(ReportSet answer, const NamePatterns& patterns) {
  Result<ReportSet> kept = std::move(answer);
  if (!patterns.kernel.empty()) kept = Keep(*std::move(kept), kOfKernels, patterns.kernel);
  if (kept && !patterns.op.empty()) kept = Keep(*std::move(kept), kOfOperators, patterns.op);
  if (kept) kept->verdict.clear();
  return kept;
}

}  // namespace stepscope
