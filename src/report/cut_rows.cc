// Cuts tables, and says so in the notes of their reports.
#include "stepscope/cut_rows.h"

#include <fmt/format.h>

#include <utility>

#include "report/humanize.h"
#include "report/phrase_format.h"

namespace stepscope {
namespace {

Note RowsLeftOut(const Report& report, const Table& table, int64_t left_out) {
  return {"rows_left_out", left_out,
          Say("rows were left out of table {table}: only its first {rows} are here (set "
              "`most_rows` to 0 to keep all; 'stepscope table {name} PATH' and SQL have them)",
              table.key, table.rows.size(), report.analysis + "." + table.key),
          ""};
}

}  // namespace

std::vector<CutTable> CutRows(ReportSet& answer, int64_t most) {
  std::vector<CutTable> cut;
  if (most <= 0) return cut;
  for (Report& report : answer.reports) {
    for (Table& table : report.tables) {
      const auto all = static_cast<int64_t>(table.rows.size());
      if (all <= most) continue;
      table.rows.resize(static_cast<size_t>(most));
      table.rows.shrink_to_fit();
      report.notes.push_back(RowsLeftOut(report, table, all - most));
      cut.push_back({report.analysis, table.key, all});
    }
  }
  return cut;
}

}  // namespace stepscope
