// Asks the session for all reports of a window, and takes the times of the ranks from `breakdown`.
#include "watch/read_window.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "report/columns.h"
#include "report/lookup.h"
#include "stepscope/session.h"

namespace stepscope {
namespace {

constexpr size_t kMostFindings = 3;

void TakeParts(const Table& ranks, std::vector<WatchedPart>& parts) {
  const ColumnOf rank(ranks, "rank");
  for (const auto& row : ranks.rows) {
    for (size_t c = 0; c < ranks.columns.size(); ++c) {
      const Column& column = ranks.columns[c];
      if (column.unit != Unit::kNanoseconds || column.role == Role::kKey) continue;
      const auto time = WholeIn(row[c]);
      if (time) parts.push_back({.rank = rank.Int(row), .part = column.key, .time = *time});
    }
  }
}

// The costliest first.
std::vector<std::string> FindingsOf(const ReportSet& answer) {
  std::vector<const Finding*> placed;
  for (const Report& report : answer.reports) {
    for (const Finding& finding : report.findings) {
      if (finding.place > 0) placed.push_back(&finding);
    }
  }
  std::ranges::sort(placed, {}, &Finding::place);
  if (placed.size() > kMostFindings) placed.resize(kMostFindings);
  std::vector<std::string> messages;
  for (const Finding* finding : placed) messages.push_back(finding->message);
  return messages;
}

void Take(const ReportSet& answer, WatchedWindow& window) {
  window.verdict = answer.verdict;
  window.findings = FindingsOf(answer);
  const Report* breakdown = FindReport(answer, "breakdown");
  const auto step_time = WholeIn(FindMetric(breakdown, "step_time"));
  const Table* ranks = FindTable(breakdown, "ranks");
  if (!step_time || ranks == nullptr) {
    window.why = "no step was recorded whole; record longer, or mark steps";
    return;
  }
  window.step_time = *step_time;
  TakeParts(*ranks, window.parts);
}

}  // namespace

void ReadWindow(const std::string& folder, WatchedWindow& window) {
  const auto session = Session::Open({{folder}});
  if (!session) {
    window.why = session.error().what;
    return;
  }
  const auto answer = session->Analyze({});
  if (answer)
    Take(*answer, window);
  else
    window.why = answer.error().what;
}

}  // namespace stepscope
