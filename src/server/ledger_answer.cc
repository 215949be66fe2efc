// Joins two answers about a ledger.
#include "server/ledger_answer.h"

#include <algorithm>
#include <iterator>

#include "report/columns.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_report.h"

namespace stepscope::server {

Result<ReportSet> AskLedger(const std::string& path, std::string job) {
  auto answer = GoodputJobs(path);
  if (!answer) return answer;
  for (const Report& report : answer->reports) {
    for (const Table& table : report.tables) {
      if (!job.empty() || table.key != "jobs" || table.rows.empty()) continue;
      if (const auto* name = ColumnOf(table, "job").FindText(table.rows[0])) job = *name;
    }
  }
  if (job.empty()) return answer;
  auto report = GoodputReport({.files = {}, .store = path, .job = job});
  if (!report) return report;
  answer->verdict = report->verdict;
  std::ranges::move(report->reports, std::back_inserter(answer->reports));
  return answer;
}

}  // namespace stepscope::server
