// Implements GoodputLosses: accounts for each job of a ledger that has changed.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/time_units.h"
#include "goodput/accounting/periods.h"
#include "goodput/ledger/ledger_jobs.h"
#include "goodput/ledger/load_jobs.h"
#include "goodput/report/format.h"
#include "report/columns.h"
#include "report/humanize.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_losses.h"

namespace stepscope {
namespace {

constexpr int64_t kTrendParts = 40;

Table LossesOfJobs() {
  Table table{.key = "jobs", .title = "Jobs by lost chip-hours", .text_rows = 30};
  table.columns = {KeyColumn("job", "job"),
                   RatioColumn("goodput_ratio", "goodput"),
                   CountColumn("chip_hours", "lost chip-hours"),
                   CountColumn("cost", "cost of them"),
                   TimeColumn("lost", "lost time"),
                   CountColumn("chips", "chips"),
                   TimeColumn("time", "total time"),
                   CountColumn("attempts", "attempts"),
                   ValueColumn("state", "state"),
                   ValueColumn("first", "start", Unit::kUnixTime, true),
                   ValueColumn("last", "end", Unit::kUnixTime, true),
                   Detail(CountColumn("events", "events"))};
  return table;
}

Table TrendTable() {
  return {.key = "trend",
          .title = "Goodput over time",
          .columns = {KeyColumn("job", "job"), KeyColumn("from", "from", Unit::kUnixTime),
                      RatioColumn("goodput_ratio", "goodput")},
          .text_rows = 0};
}

// The jobs whose chips are not known count as jobs of one chip.
double LostWeight(const ColumnOf& chip_hours, const ColumnOf& lost, const std::vector<Cell>& row) {
  if (const double* hours = chip_hours.FindReal(row)) return *hours;
  const auto* time = std::get_if<int64_t>(&lost(row));
  return time == nullptr ? -1 : static_cast<double>(*time) / kHour;
}

void MostLostFirst(Table& table) {
  const ColumnOf chip_hours(table, "chip_hours"), lost(table, "lost");
  std::ranges::stable_sort(table.rows, std::greater<>(), [&](const std::vector<Cell>& row) {
    return LostWeight(chip_hours, lost, row);
  });
}

Phrase LossesHeadline(const Table& table, const Phrase& jobs) {
  const ColumnOf job(table, "job"), chip_hours(table, "chip_hours");
  double hours = 0;
  size_t known = 0;
  for (const auto& row : table.rows) {
    const double* of = chip_hours.FindReal(row);
    hours += of == nullptr ? 0 : *of;
    known += of == nullptr ? 0 : 1;
  }
  if (known == 0 || hours <= 0) return jobs;
  if (known < table.rows.size()) {
    return Say("{jobs} Lost chip-hours of those whose chips are known: {hours}.", jobs,
               HumanCount(hours));
  }
  if (known == 1) return Say("{jobs} Lost chip-hours: {hours}.", jobs, HumanCount(hours));
  return Say("{jobs} Lost chip-hours: {hours}, most by {job}: {most}.", jobs, HumanCount(hours),
             job.Text(table.rows.front()), HumanCount(*chip_hours.FindReal(table.rows.front())));
}

void NoteUnknownChips(Report& report, const Table& table) {
  const ColumnOf chips(table, "chips");
  const auto unknown = std::ranges::count_if(
      table.rows, [&](const auto& row) { return chips.FindReal(row) == nullptr; });
  if (unknown == 0) return;
  report.notes.push_back(
      {"chips_unknown", unknown,
       "the number of a job's chips is not known (it is ordered as a job of one chip)", ""});
}

void NoteUnread(Report& report, int64_t jobs) {
  if (jobs == 0) return;
  report.notes.push_back({"jobs_not_read", jobs,
                          "jobs were not read again for this answer (their rows are as of "
                          "the last reading)",
                          ""});
}

}  // namespace

GoodputReportOptions GoodputOptionsOf(const std::string& job, GoodputReportOptions options) {
  if (!options.job.empty() && options.job != job) {
    options.chips = 0;
    options.program.reset();
    options.scheduler_job.clear();
  }
  options.job = job;
  return options;
}

GoodputLosses::GoodputLosses(std::string store, GoodputReportOptions options)
    : store_(std::move(store)),
      options_(std::move(options)),
      list_(std::make_shared<goodput::JobList>()) {
  options_.files.clear();
  options_.store = store_;
  options_.mode = GoodputMode::kPartition;
  options_.window.reset();
}

Result<GoodputLosses::Lost> GoodputLosses::Account(const std::string& job) const {
  const GoodputReportOptions options = GoodputOptionsOf(job, options_);
  auto loaded = goodput::LoadJobs(options);
  if (!loaded) return std::unexpected(loaded.error());
  Lost lost;
  if (loaded->job == nullptr || loaded->job->accounting.empty()) return lost;
  goodput::Accounting& accounting = loaded->job->accounting;
  goodput::PartitionQuery query = goodput::QueryOf(options);
  query.periods = true;
  const goodput::Partition whole = accounting.Query(query);
  const double chips = options.chips > 0
                           ? options.chips
                           : static_cast<double>(accounting.scheduling().most_requested());
  if (chips > 0) lost.chips = chips;
  lost.goodput = whole.goodput();
  lost.time =
      whole.total() - whole.At(goodput::Bucket::kExcluded) - whole.At(goodput::Bucket::kProductive);
  if (whole.total() <= 0) return lost;
  lost.start = whole.start;
  lost.total = whole.total();
  lost.trend = goodput::GoodputOverTime(whole, kTrendParts);
  return lost;
}

// Reads the jobs that have changed, or may still run: those have another goodput each second.
Result<void> GoodputLosses::Refresh(const Table& jobs) {
  const ColumnOf name(jobs, "job"), events(jobs, "events"), last(jobs, "last"),
      state(jobs, "state");
  std::map<std::string, Lost> known;
  for (const std::vector<Cell>& row : jobs.rows) {
    const std::string& job = name.Text(row);
    const auto before = known_.find(job);
    const auto keep = [&] { known[job] = before == known_.end() ? Lost() : before->second; };
    if (list_->waiting.contains(job)) {
      keep();
      continue;
    }
    const auto* end = std::get_if<int64_t>(&last(row));
    const std::tuple listed(events.Int(row), end == nullptr ? 0 : *end, state.Text(row));
    const bool same = before != known_.end() && before->second.listed == listed;
    if (same && state.Text(row) != "running") {
      keep();
    } else if (!list_->MayRead(job)) {
      list_->waiting.insert(job);
      keep();
    } else {
      auto fresh = Account(job);
      if (!fresh) return std::unexpected(fresh.error());
      fresh->listed = listed;
      known[job] = std::move(*fresh);
    }
  }
  known_ = std::move(known);
  return {};
}

std::vector<Cell> GoodputLosses::RowOf(const std::vector<Cell>& listed, const Table& jobs) const {
  const auto cell = [&](std::string_view key) { return listed[ColumnAt(jobs, key)]; };
  const Lost& lost = known_.at(std::get<std::string>(cell("job")));
  std::optional<double> hours, cost;
  if (lost.time && lost.chips) hours = static_cast<double>(*lost.time) / kHour * *lost.chips;
  if (hours && options_.price_per_chip_hour > 0)
    cost = goodput::CostOfChipHours(*hours, options_.price_per_chip_hour);
  const Cell start = lost.start ? Cell(*lost.start) : cell("first");
  const Cell total = lost.total ? Cell(*lost.total) : cell("time");
  return {cell("job"), Maybe(lost.goodput), Maybe(hours),
          Maybe(cost), Maybe(lost.time),    Maybe(lost.chips),
          total,       cell("attempts"),    cell("state"),
          start,       cell("last"),        cell("events")};
}

Result<ReportSet> GoodputLosses::Now() {
  list_->first.clear();
  list_->until.reset();
  return Answer(0);
}

Result<ReportSet> GoodputLosses::NowOf(const std::string& job, int64_t patience) {
  list_->first = job;
  list_->ReadOthersFor(patience / 2);
  return Answer(patience / 2);
}

// `patience`: for which jobs are accounted for once they are listed.
Result<ReportSet> GoodputLosses::Answer(int64_t patience) {
  auto answer = goodput::ListJobs(store_, *list_);
  if (!answer) return answer;
  if (list_->until) list_->ReadOthersFor(patience);
  Report& report = answer->reports.front();
  const auto listed = std::ranges::find(report.tables, "jobs", &Table::key);
  if (listed == report.tables.end()) return answer;
  if (auto read = Refresh(*listed); !read) return std::unexpected(read.error());
  Table table = LossesOfJobs(), trend = TrendTable();
  for (const auto& row : listed->rows) table.rows.push_back(RowOf(row, *listed));
  MostLostFirst(table);
  const ColumnOf job(table, "job");
  for (const auto& row : table.rows) {
    for (const auto& [from, ratio] : known_.at(job.Text(row)).trend) {
      trend.rows.push_back({job.Text(row), from, ratio});
    }
  }
  report.headline = LossesHeadline(table, report.headline);
  answer->verdict = report.headline;
  NoteUnknownChips(report, table);
  NoteUnread(report, std::ssize(list_->waiting));
  *listed = std::move(table);
  report.tables.push_back(std::move(trend));
  return answer;
}

}  // namespace stepscope
