// Reports how often a job fails (modeled, observed, by cause), and the standbys that suffice.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "goodput/model/evidence_reports.h"
#include "goodput/model/model_input.h"
#include "goodput/model/spares.h"
#include "goodput/report/format.h"
#include "report/columns.h"
#include "report/humanize.h"

namespace stepscope::goodput {
namespace {

constexpr double kDisagrees = 1.5;  // factor between observed and modeled
constexpr double kPrintedDisagrees =
    0.005;  // of a share: more than rounding to a tenth of a percent
constexpr size_t kCausesShown = 8;

Metric TimeMetric(std::string key, Phrase title, std::optional<double> seconds) {
  return {std::move(key), std::move(title), TimeCell(seconds), Unit::kNanoseconds};
}

Cell RatePerThousandNodeDays(const GoodputModelOptions& options) {
  const auto failures = FailuresOf(options), nodes = NodesOf(options);
  if (!failures || !nodes || !options.over_s) return {};
  return 1000 * *failures / (*nodes * *options.over_s / kDayS);
}

std::optional<Finding> MtbfsDisagree(const GoodputModelOptions& options) {
  const auto modeled = ModeledMtbfS(options), observed = ObservedMtbfS(options);
  const auto nodes = NodesOf(options);
  if (!modeled || !observed || !nodes) return std::nullopt;
  const double factor = std::max(*modeled / *observed, *observed / *modeled);
  if (factor < kDisagrees) return std::nullopt;
  return Finding{
      .severity = Severity::kMedium,
      .message = Say("Observed and modeled time between failures differ by a factor of {factor}.",
                     fmt::format("{:.1f}", factor)),
      .because = Say("observed {observed} vs {nodes} nodes failing independently: {modeled}",
                     FormatSeconds(*observed), HumanCount(*nodes), FormatSeconds(*modeled)),
      .hint =
          "model goodput with the observed time; look for failures other than those of nodes: "
          "software, network, storage, a few bad nodes"};
}

// Failures of one cause or group, with the printed share.
struct Tally {
  int64_t count = 0;
  std::optional<double> printed;
  bool all_printed = true;

  void Add(const FailureCause& cause) {
    count += cause.count;
    if (!cause.printed_share) all_printed = false;
    if (cause.printed_share) printed = printed.value_or(0) + *cause.printed_share;
  }
};

Table CausesTable(std::string key, Phrase title, const std::map<std::string, Tally>& tallies,
                  int64_t all) {
  Table table{
      .key = std::move(key),
      .title = std::move(title),
      .columns = {KeyColumn("cause", "cause"), ValueColumn("failures", "failures", Unit::kCount),
                  ValueColumn("share", "share", Unit::kRatio),
                  ValueColumn("printed_share", "printed share", Unit::kRatio)},
      .rows = {},
      .text_rows = kCausesShown};
  for (const auto& [name, tally] : tallies) {
    table.rows.push_back({name, tally.count, Ratio(tally.count, all),
                          NumberCell(tally.all_printed ? tally.printed : std::nullopt)});
  }
  SortDescending(table, "failures");
  return table;
}

std::optional<Finding> PrintedSharesDisagree(const Table& causes, int64_t all) {
  const ColumnOf cause(causes, "cause"), count(causes, "failures"), shares(causes, "share"),
      printed_shares(causes, "printed_share");
  Phrase which;
  for (const auto& row : causes.rows) {
    const double* share = shares.FindReal(row);
    const double* printed = printed_shares.FindReal(row);
    if (share == nullptr || printed == nullptr) continue;
    if (std::fabs(*share - *printed) <= kPrintedDisagrees) continue;
    if (!which.empty()) which += "; ";
    which += Say("{cause}: {count} of {all} is {share}, printed {printed}", cause.Text(row),
                 count.Int(row), all, HumanRatio(*share), HumanRatio(*printed));
  }
  if (which.empty()) return std::nullopt;
  return Finding{
      .severity = Severity::kLow,
      .message = Say("Printed shares of {table} contradict the printed counts.", causes.key),
      .because = which,
      .hint = "use the counts",
      .table = causes.key};
}

void AddCauses(const GoodputModelOptions& options, Report& report) {
  if (options.causes.empty()) return;
  std::map<std::string, Tally> causes, groups;
  int64_t all = 0;
  for (const FailureCause& cause : options.causes) {
    causes[cause.name].Add(cause);
    all += cause.count;
    const size_t slash = cause.name.find('/');
    if (slash != cause.name.npos) groups[cause.name.substr(0, slash)].Add(cause);
  }
  report.metrics.push_back({"causes_sum", "failures with a cause", all, Unit::kCount});
  report.tables.push_back(CausesTable("causes", "Failures by cause", causes, all));
  if (!groups.empty()) {
    report.tables.push_back(CausesTable("groups", "Failures by group of causes", groups, all));
  }
  for (const Table& table : report.tables) {
    if (auto finding = PrintedSharesDisagree(table, all)) report.findings.push_back(*finding);
  }
}

Phrase Headline(const GoodputModelOptions& options) {
  const auto modeled = ModeledMtbfS(options), observed = ObservedMtbfS(options);
  if (modeled && observed) {
    return Say(
        "Time between failures is {observed} observed, {modeled} modeled from independent nodes.",
        FormatSeconds(*observed), FormatSeconds(*modeled));
  }
  if (observed)
    return Say("Time between failures is {time}, as observed.", FormatSeconds(*observed));
  if (modeled)
    return Say("Time between failures is {time}, modeled from nodes.", FormatSeconds(*modeled));
  return Say("{count} failures have a cause.", HumanCount(FailuresOf(options).value_or(0)));
}

}  // namespace

std::optional<Report> FailuresReport(const GoodputModelOptions& options) {
  const auto modeled = ModeledMtbfS(options), observed = ObservedMtbfS(options);
  if (!modeled && !observed && options.causes.empty()) return std::nullopt;
  Report report{.analysis = "goodput_failures", .title = "Job failures"};
  report.headline = Headline(options);
  if (observed) report.metrics.push_back(TimeMetric("observed_mtbf", "observed MTBF", observed));
  if (modeled) report.metrics.push_back(TimeMetric("modeled_mtbf", "modeled MTBF", modeled));
  const Cell rate = RatePerThousandNodeDays(options);
  if (!std::holds_alternative<std::monostate>(rate)) {
    report.metrics.push_back(
        {"failures_per_1000_node_days", "failures per 1000 node-days", rate, Unit::kCount});
  }
  if (options.target_goodput) {
    const double mtbf_s = MtbfS(options).value_or(NAN);
    report.metrics.push_back(TimeMetric("loss_budget", "loss budget per failure",
                                        (1 - *options.target_goodput) * mtbf_s));
  }
  AddCauses(options, report);
  if (auto finding = MtbfsDisagree(options)) report.findings.push_back(*finding);
  return report;
}

std::optional<Report> SparesReport(const GoodputModelOptions& options) {
  if (options.standby_machines.empty() || !options.down_probability) return std::nullopt;
  const double down = *options.down_probability;
  Report report{.analysis = "goodput_spares", .title = "Hot spares"};
  Table table{.key = "standby",
              .title = Say("Standby machines ({share} of time)", HumanRatio(options.standby_share)),
              .columns = {KeyColumn("machines", "machines"),
                          ValueColumn("standby", "standby", Unit::kCount),
                          ValueColumn("standby_share", "share", Unit::kRatio)}};
  const std::set<int64_t> sizes(options.standby_machines.begin(), options.standby_machines.end());
  for (const int64_t machines : sizes) {
    const int64_t standby = StandbyMachines(machines, down, options.standby_share);
    table.rows.push_back(
        {machines, standby, static_cast<double>(standby) / static_cast<double>(machines)});
  }
  report.headline = Say("{count} machines need {standby} on standby.", *sizes.rbegin(),
                        ColumnOf(table, "standby").Int(table.rows.back()));
  report.tables.push_back(std::move(table));
  return report;
}

}  // namespace stepscope::goodput
