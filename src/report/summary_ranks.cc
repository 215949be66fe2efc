// Reads the ranks that differ from the table of the analysis `breakdown`.
#include "report/summary_ranks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/saturate.h"
#include "report/columns.h"
#include "report/findings.h"
#include "report/humanize.h"
#include "report/lookup.h"

namespace stepscope {
namespace {

constexpr size_t kMostRanks = 3;       // of those that differ
constexpr size_t kAllRanks = 4;        // so few are all shown
constexpr double kRankDiffers = 0.05;  // of step time, from the median of ranks

int64_t MedianOf(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// A rank, its mean step over all its recordings, and how far that is from the median of ranks.
struct RankRow {
  int64_t rank = -1;
  Phrase title;
  std::vector<int64_t> times;
  int64_t differs = 0;
};

// Times of some steps, added up.
struct SumOfRows {
  std::vector<double> times;
  double steps = 0;
};

std::vector<RankRow> ReadRankRows(const Table& table, const std::vector<size_t>& columns) {
  const ColumnOf rank(table, "rank");
  const auto steps = FindColumn(table, "steps");
  std::map<int64_t, SumOfRows> ranks;
  for (const auto& row : table.rows) {
    SumOfRows& sum = ranks[rank.Int(row)];
    const auto own = static_cast<double>(steps ? WholeIn(row[*steps]).value_or(1) : 1);
    sum.steps += own;
    sum.times.resize(columns.size());
    for (size_t c = 0; c < columns.size(); ++c)
      sum.times[c] += own * static_cast<double>(WholeIn(row[columns[c]]).value_or(0));
  }
  std::vector<RankRow> rows;
  for (const auto& [number, sum] : ranks) {
    RankRow& row = rows.emplace_back(RankRow{.rank = number, .title = Say("rank {rank}", number)});
    for (const double time : sum.times) row.times.push_back(ToInt64(time / sum.steps));
  }
  return rows;
}

// Medians of each column.
std::vector<int64_t> MediansOf(const std::vector<RankRow>& rows, size_t columns) {
  std::vector<int64_t> medians;
  for (size_t c = 0; c < columns; ++c) {
    std::vector<int64_t> values;
    for (const RankRow& row : rows) values.push_back(row.times[c]);
    medians.push_back(MedianOf(std::move(values)));
  }
  return medians;
}

// Only the columns of which some rank has a thousandth of a step.
std::vector<size_t> ColumnsToShow(const Table& table, bool compared, int64_t step_time) {
  std::vector<size_t> columns;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].unit != Unit::kNanoseconds) continue;
    if (compared && !table.columns[c].key.ends_with("_change")) continue;
    const bool any = std::ranges::any_of(table.rows, [&](const auto& row) {
      return std::abs(static_cast<double>(WholeIn(row[c]).value_or(0))) >=
             10 * kLeastPart * static_cast<double>(step_time);
    });
    if (any) columns.push_back(c);
  }
  return columns;
}

// The ranks that the first finding names, ascending, where they are several and fewer than half.
std::vector<int64_t> NamedRanks(const ReportSet& answer, size_t ranks) {
  const std::vector<const Finding*> findings = FindingsInOrder(answer);
  if (findings.empty()) return {};
  const std::vector<int64_t>& named = findings.front()->where.ranks;
  return named.size() > 1 && 2 * named.size() < ranks ? named : std::vector<int64_t>();
}

// "ranks 8 to 11, median", "5 named ranks, median".
Phrase SayNamed(const std::vector<RankRow>& rows) {
  const auto [first, last] = std::ranges::minmax(rows, {}, &RankRow::rank);
  const bool in_a_row = last.rank - first.rank + 1 == std::ssize(rows);
  return in_a_row ? Say("ranks {first} to {last}, median", first.rank, last.rank)
                  : Say("{count} named ranks, median", rows.size());
}

// Each of a few; of more those in a row as one, as the ranks of a host, since others may be late
// for another reason; and where these are many, all together.
std::vector<RankRow> RowsOfNamed(std::vector<RankRow> rows) {
  if (rows.size() <= kMostRanks) return rows;
  std::ranges::sort(rows, {}, &RankRow::rank);
  std::vector<std::vector<RankRow>> runs;
  for (const RankRow& row : rows) {
    if (runs.empty() || runs.back().back().rank + 1 != row.rank) runs.emplace_back();
    runs.back().push_back(row);
  }
  if (runs.size() > kMostRanks) runs = {rows};
  std::vector<RankRow> told;
  for (const std::vector<RankRow>& run : runs) {
    told.push_back(run.size() == 1 ? run.front()
                                   : RankRow{.title = SayNamed(run),
                                             .times = MediansOf(run, run.front().times.size())});
  }
  return told;
}

// Those that the first sentence names, then those that differ, then the median of others.
void KeepThoseThatDiffer(const std::vector<int64_t>& named, double least,
                         std::vector<RankRow>& rows) {
  const size_t columns = rows.front().times.size();
  std::ranges::stable_sort(rows, std::ranges::greater{}, &RankRow::differs);
  const auto first_other = std::ranges::stable_partition(rows, [&](const RankRow& row) {
                             return std::ranges::binary_search(named, row.rank);
                           }).begin();
  std::vector<RankRow> shown = RowsOfNamed({rows.begin(), first_other});
  auto other = first_other;
  while (shown.size() < kMostRanks && other != rows.end() &&
         static_cast<double>(other->differs) >= least) {
    shown.push_back(*other++);
  }
  const std::vector<RankRow> others(other, rows.end());
  shown.push_back(
      {.title = Say("{count} others, median", HumanCount(static_cast<int64_t>(others.size()))),
       .times = MediansOf(others, columns)});
  rows = std::move(shown);
}

// "compute" of "compute, after - before", in any language.
std::string PartOf(std::string_view title) {
  return std::string(
      title.substr(0, std::min({title.find(','), title.find("、"), title.find(" (変更後")})));
}

}  // namespace

Phrase SayWhatRanksShow(const SummaryRanks& ranks) {
  if (ranks.changes) return "Change per step";
  return ranks.since ? Say("Mean since step {step}", *ranks.since) : Phrase("Mean per step");
}

std::string SayRankTime(const SummaryRanks& ranks, int64_t time) {
  return (ranks.changes && time > 0 ? "+" : "") + HumanNanoseconds(time);
}

SummaryRanks ReadRanks(const ReportSet& answer, int64_t step_time) {
  const Table* table = FindTable(FindReport(answer, "breakdown"), "ranks");
  SummaryRanks ranks;
  if (table == nullptr || table->rows.size() < 2 || step_time <= 0) return ranks;
  // A comparison of two ranks has no column of them.
  if (!FindColumn(*table, "rank")) return ranks;
  ranks.changes = FindColumn(*table, "step_time_change").has_value();
  ranks.since = WholeIn(FindMetric(FindReport(answer, "breakdown"), "since_step"));
  const std::vector<size_t> columns = ColumnsToShow(*table, ranks.changes, step_time);
  std::vector<RankRow> rows = ReadRankRows(*table, columns);
  const std::vector<int64_t> medians = MediansOf(rows, columns.size());
  int64_t most = 0;
  for (RankRow& row : rows) {
    for (size_t c = 0; c < columns.size(); ++c)
      row.differs = std::max(row.differs, std::abs(row.times[c] - medians[c]));
    most = std::max(most, row.differs);
  }
  if (rows.size() < 2) return ranks;
  const double least = kRankDiffers * static_cast<double>(step_time);
  if (static_cast<double>(most) < least) return ranks;
  for (const size_t c : columns) {
    const Phrase& title = table->columns[c].title;
    ranks.parts.push_back(ranks.changes ? Phrase(PartOf(title.str())) : title);
  }
  if (rows.size() > kAllRanks) KeepThoseThatDiffer(NamedRanks(answer, rows.size()), least, rows);
  for (RankRow& row : rows) ranks.rows.push_back({std::move(row.title), std::move(row.times)});
  return ranks;
}

}  // namespace stepscope
