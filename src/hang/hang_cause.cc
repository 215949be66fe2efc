// Says a hang as the cause of a disruption, from its tables.
#include <algorithm>
#include <string>
#include <vector>

#include "hang/hang_words.h"
#include "report/columns.h"
#include "stepscope/hang.h"

namespace stepscope {
namespace {

const Table* TableOf(const Report& report, std::string_view key) {
  const auto at = std::ranges::find(report.tables, key, &Table::key);
  return at == report.tables.end() ? nullptr : &*at;
}

int64_t LastArrival(const Report& report) {
  const auto at = std::ranges::find(report.metrics, "last_arrival", &Metric::key);
  if (at == report.metrics.end()) return 0;
  const auto* time = std::get_if<int64_t>(&at->value);
  return time == nullptr ? 0 : *time;
}

// Where it stands: "all_reduce 15118 of dp (2)".
Phrase PlaceOf(const Table& roots, const std::vector<Cell>& row) {
  const std::string operation = ColumnOf(roots, "operation").Text(row);
  if (operation.empty()) return {};
  return Say("{operation} {sequence} of group {group}", Phrase::Name(operation),
             ColumnOf(roots, "sequence").Int(row),
             Phrase::Name(ColumnOf(roots, "group").Text(row)));
}

}  // namespace

std::optional<HangCause> HangCauseOf(const ReportSet& hang) {
  if (hang.reports.empty()) return std::nullopt;
  const Report& report = hang.reports.front();
  const Table* roots = TableOf(report, "roots");
  const int64_t time = LastArrival(report);
  if (roots == nullptr || time <= 0) return std::nullopt;
  std::vector<int64_t> ranks;
  const std::vector<Cell>* first = nullptr;
  for (const auto& row : roots->rows) {
    if (ColumnOf(*roots, "certain").Text(row) != "yes") continue;
    if (first == nullptr) first = &row;
    if (ColumnOf(*roots, "reason").Text(row) == ColumnOf(*roots, "reason").Text(*first))
      ranks.push_back(ColumnOf(*roots, "rank").Int(row));
  }
  if (first == nullptr) return std::nullopt;
  const Phrase reason = Phrase::Name(ColumnOf(*roots, "reason").Text(*first));
  const Phrase named = hang::SayRanks(ranks);
  const Phrase place = PlaceOf(*roots, *first);
  return HangCause{
      .time = time,
      .text = place.empty() ? Say("hang: {ranks}: {reason}", named, reason)
                            : Say("hang: {ranks} at {operation}: {reason}", named, place, reason),
      .reason = Say("hang: {reason}", reason)};
}

}  // namespace stepscope
