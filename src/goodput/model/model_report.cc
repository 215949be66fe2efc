// Presents the model's numbers as tables, series and findings. Computes only differences.
#include "goodput/model/model_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/time_units.h"
#include "goodput/model/checkpoint_interval.h"
#include "goodput/model/levers.h"
#include "goodput/model/model_input.h"
#include "goodput/model/simulate.h"
#include "goodput/report/format.h"
#include "report/columns.h"
#include "report/humanize.h"
#include "report/lookup.h"

namespace stepscope::goodput {
namespace {

constexpr double kDayHours = 24;
constexpr double kFarFromBest = 0.005;  // 0.5 pp
constexpr double kMinReported = 0.001;  // 0.1 pp
constexpr double kMuch = 0.05, kSome = 0.01;
constexpr int kCurvePoints = 61;
constexpr double kCurveSpan = 30;  // from a thirtieth of the middle to thirty times it

double Exact(const Parameters& p) { return ExactForm(p).goodput; }

Cell GoodputAt(const Parameters& now, std::optional<double> interval_s) {
  if (!interval_s) return {};
  return Exact(WithInterval(now, *interval_s));
}

// Cost of a share of the job's time per day; no value without chips and a price.
Cell MoneyPerDay(const GoodputModelOptions& options, double share) {
  const auto chips = ChipsOf(options);
  if (!chips || !options.price_per_chip_hour) return {};
  return std::round(share * *chips * kDayHours * *options.price_per_chip_hour * 100) / 100;
}

// Goodput over all paid nodes, idle spares included. No value if the nodes are unknown.
std::optional<double> PaidGoodput(const GoodputModelOptions& options, double goodput,
                                  int64_t spares) {
  const auto nodes = NodesOf(options);
  if (!nodes) return std::nullopt;
  return goodput * *nodes / (*nodes + static_cast<double>(spares));
}

Table FormsTable(const Parameters& now, const std::optional<Simulated>& simulated) {
  Table table{
      .key = "forms",
      .title = "Expected goodput by form",
      .columns = {Words(KeyColumn("form", "form")), ValueColumn("goodput", "goodput", Unit::kRatio),
                  ValueColumn("off_exact", "minus exact", Unit::kRatioDifference),
                  ValueColumn("best_interval", "best interval", Unit::kNanoseconds),
                  ValueColumn("goodput_there", "exact at best", Unit::kRatio)}};
  const double exact = Exact(now);
  const auto add = [&](std::string name, std::optional<double> goodput,
                       std::optional<double> best_s) {
    const auto off = goodput ? std::optional(*goodput - exact) : std::nullopt;
    table.rows.push_back({std::move(name), NumberCell(goodput), NumberCell(off), TimeCell(best_s),
                          GoodputAt(now, best_s)});
  };
  add("exact", exact, BestIntervalS(now));
  add("simulated", simulated ? std::optional(simulated->goodput) : std::nullopt, std::nullopt);
  add("first order", FirstOrderForm(now), BestFirstOrderIntervalS(now));
  add("uptime", UptimeForm(now), BestUptimeIntervalS(now));
  add("one failure per interval", IntervalForm(now), std::nullopt);
  return table;
}

Table IntervalsTable(const Parameters& now) {
  Table table{.key = "intervals",
              .title = "Checkpoint intervals by rule",
              .columns = {Words(KeyColumn("rule", "rule")),
                          ValueColumn("interval", "interval", Unit::kNanoseconds),
                          ValueColumn("goodput", "exact goodput", Unit::kRatio),
                          ValueColumn("first_order", "first order", Unit::kRatio, true),
                          ValueColumn("uptime", "uptime", Unit::kRatio, true)}};
  const auto add = [&](std::string rule, double interval_s, double work_s) {
    if (!(work_s > 0)) return;
    const Parameters p = WithInterval(now, work_s);
    table.rows.push_back({std::move(rule), TimeCell(interval_s), Exact(p),
                          NumberCell(FirstOrderForm(p)), NumberCell(UptimeForm(p))});
  };
  const double mtbf_s = 1 / now.failures_per_s;
  add("current", now.interval_s, now.interval_s);
  if (const auto best = BestIntervalS(now)) add("best", *best, *best);
  const double young = YoungIntervalS(now.save_s, mtbf_s);
  const double daly = DalyIntervalS(now.save_s, mtbf_s);
  const double period = AvailabilityPeriodS(now.save_s, mtbf_s, MeanRestartS(now));
  add("young", young, young);
  add("daly", daly, daly);
  add("availability", period, period - now.save_s);  // counts from save to save
  return table;
}

// The cells of a lever after its names.
std::vector<Cell> LeverNumbers(const GoodputModelOptions& options, const Parameters& now,
                               const Lever& lever) {
  if (!lever.becomes) return std::vector<Cell>(7);
  const double goodput = Exact(*lever.becomes);
  const double gain = goodput - Exact(now);
  const auto best = BestIntervalS(*lever.becomes);
  const auto nodes = NodesOf(options);
  const double extra = nodes ? static_cast<double>(lever.extra_nodes) / *nodes : 0;
  const auto paid = PaidGoodput(options, goodput, options.spares + lever.extra_nodes);
  const auto paid_now = PaidGoodput(options, Exact(now), options.spares);
  return {goodput,
          gain,
          TimeCell(gain * kDayS),
          MoneyPerDay(options, gain - extra),
          MoneyPerDay(options, extra),
          paid && paid_now ? Cell(*paid - *paid_now) : Cell{},
          best ? GoodputAt(*lever.becomes, best) : Cell{}};
}

Table LeversTable(const GoodputModelOptions& options, const Parameters& now) {
  Table table{
      .key = "levers",
      .title = "Levers",
      .columns = {Detail(KeyColumn("lever", "lever")),
                  Words(ValueColumn("what", "lever", Unit::kNone)),
                  Words(ValueColumn("change", "change", Unit::kNone)),
                  ValueColumn("goodput", "goodput", Unit::kRatio),
                  ValueColumn("gain", "gain", Unit::kRatioDifference),
                  ValueColumn("time_per_day", "time per day", Unit::kNanoseconds, true),
                  ValueColumn("money_per_day", "money per day", Unit::kCount),
                  ValueColumn("cost_per_day", "cost per day", Unit::kCount, true),
                  ValueColumn("paid_gain", "gain over paid nodes", Unit::kRatioDifference, true),
                  ValueColumn("tuned_goodput", "goodput at best interval", Unit::kRatio, true)}};
  for (const Lever& lever : Levers(now, AssumptionsOf(options))) {
    auto& row = table.rows.emplace_back(std::vector<Cell>{lever.key, lever.title, lever.change});
    for (Cell& cell : LeverNumbers(options, now, lever)) row.push_back(std::move(cell));
  }
  // Sorts by gain; unknown gains come last.
  const ColumnOf gain(table, "gain");
  std::ranges::stable_sort(table.rows, [&](const auto& a, const auto& b) {
    const double *x = gain.FindReal(a), *y = gain.FindReal(b);
    return x != nullptr && (y == nullptr || *x > *y);
  });
  return table;
}

Table AssumptionsTable(const GoodputModelOptions& o) {
  const GoodputModelOptions usual;
  Table table{.key = "assumptions",
              .title = "Lever assumptions",
              .columns = {KeyColumn("option", "option"), ValueColumn("value", "value", Unit::kNone),
                          Words(ValueColumn("source", "source", Unit::kNone))},
              .rows = {},
              .text_rows = 0};
  const auto add = [&](std::string option, double value, double usual_value, std::string source) {
    table.rows.push_back(
        {std::move(option), value, value == usual_value ? std::move(source) : "given"});
  };
  add("sigterm_share", o.sigterm_share, usual.sigterm_share,
      "47 of 466 interruptions of Llama 3 were planned, arXiv 2407.21783");
  add("pull_speedup", o.pull_speedup, usual.pull_speedup,
      "preloaded 16 GB image, ML productivity goodput, Google Cloud");
  add("compile_cached_share", o.compile_cached_share, usual.compile_cached_share,
      "upper bound, not measured");
  add("save_speedup", o.save_speedup, usual.save_speedup,
      "148.8 s to 6.3 s for a 7B model with asynchronous saves, PyTorch and IBM");
  add("repair_s", o.repair_s, usual.repair_s, "assumed: one day, no source");
  table.rows.push_back({"swap_s", NumberCell(o.swap_s),
                        o.swap_s ? "given"
                                 : "rescheduling / 10.87, warm standbys of ByteRobust, arXiv "
                                   "2509.16293"});
  return table;
}

std::vector<Series> Curves(const Parameters& now) {
  std::vector<Series> curves{
      {"exact", "Exact goodput", Unit::kNanoseconds, Unit::kRatio, {}},
      {"first_order", "First-order goodput", Unit::kNanoseconds, Unit::kRatio, {}},
      {"uptime", "Uptime-form goodput", Unit::kNanoseconds, Unit::kRatio, {}}};
  const double middle = BestIntervalS(now).value_or(now.interval_s);
  for (int i = 0; i < kCurvePoints; ++i) {
    const double at = 2.0 * i / (kCurvePoints - 1) - 1;
    const Parameters p = WithInterval(now, middle * std::pow(kCurveSpan, at));
    const std::optional<double> values[] = {Exact(p), FirstOrderForm(p), UptimeForm(p)};
    for (size_t c = 0; c < curves.size(); ++c) {
      const std::optional<double>& goodput = values[c];
      if (goodput) curves[c].points.emplace_back(p.interval_s * kSecond, *goodput);
    }
  }
  return curves;
}

std::vector<Metric> Metrics(const GoodputModelOptions& options, const Parameters& now,
                            const std::optional<Simulated>& simulated) {
  const Shares shares = ExactForm(now);
  const auto best = BestIntervalS(now);
  const auto ratio = [](std::string key, Phrase title, Cell value, bool detail = false) {
    return Metric{std::move(key), std::move(title), std::move(value), Unit::kRatio, detail};
  };
  const auto time = [](std::string key, Phrase title, Cell value) {
    return Metric{std::move(key), std::move(title), std::move(value), Unit::kNanoseconds};
  };
  const Cell paid = NumberCell(PaidGoodput(options, shares.goodput, options.spares));
  return {time("mtbf", "mean time between failures", TimeCell(1 / now.failures_per_s)),
          time("restart", "restart, mean", TimeCell(MeanRestartS(now))),
          time("interval", "checkpoint interval", TimeCell(now.interval_s)),
          time("best_interval", "best checkpoint interval", TimeCell(best)),
          ratio("goodput", "expected goodput", shares.goodput),
          ratio("best_goodput", "goodput at best interval", GoodputAt(now, best)),
          ratio("paid_goodput", "goodput over paid nodes", options.spares > 0 ? paid : Cell{},
                options.spares == 0),
          ratio("saves", "checkpoint saves", shares.saves),
          ratio("lost_work", "wasted progress", shares.lost_work),
          ratio("restarts", "restarts", shares.restarts),
          {"money_lost_per_day", "money lost per day", MoneyPerDay(options, 1 - shares.goodput),
           Unit::kCount, !options.price_per_chip_hour || !ChipsOf(options)},
          ratio("simulated", "simulated", simulated ? Cell(simulated->goodput) : Cell{}, true),
          ratio("simulated_error", "simulated, standard error",
                simulated ? Cell(simulated->standard_error) : Cell{}, true),
          ratio("first_order", "first order", NumberCell(FirstOrderForm(now)), true),
          ratio("uptime", "uptime form", NumberCell(UptimeForm(now)), true),
          ratio("interval_form", "one failure per interval", NumberCell(IntervalForm(now)), true),
          {"first_order_load", "lambda (R + t_ch)", FirstOrderLoad(now), Unit::kNone, true},
          {"spare_share", "failures with a spare", now.spare_share, Unit::kRatio, true}};
}

std::optional<Finding> IntervalIsFar(const Parameters& now) {
  const auto best = BestIntervalS(now);
  if (!best) return std::nullopt;
  const double goodput = Exact(now), possible = Exact(WithInterval(now, *best));
  const double loss = possible - goodput;
  if (loss < kFarFromBest) return std::nullopt;
  Finding finding;
  finding.severity = loss > kMuch   ? Severity::kHigh
                     : loss > kSome ? Severity::kMedium
                                    : Severity::kLow;
  finding.message = Say("The checkpoint interval costs {points} of goodput.", FormatPoints(loss));
  finding.because = Say("{goodput} vs {possible} at the best interval, {time}", HumanRatio(goodput),
                        HumanRatio(possible), FormatSeconds(*best));
  finding.hint = Say("save after every {time} of work", FormatSeconds(*best));
  finding.impact = std::llround(loss * kDayS * kSecond);
  finding.table = "intervals";
  return finding;
}

std::optional<Finding> FirstOrderBreaksDown(const Parameters& now) {
  const double load = FirstOrderLoad(now);
  const double exact = Exact(now);
  const auto first = FirstOrderForm(now);
  const bool is_close = first && std::fabs(*first - exact) <= kSome;
  if (load <= kFirstOrderHolds && is_close) return std::nullopt;
  const Phrase gives =
      !first           ? Say("it is negative, the exact form gives {goodput}", HumanRatio(exact))
      : *first < exact ? Say("it gives {goodput}, {points} below the exact form",
                             HumanRatio(*first), FormatPoints(*first - exact))
                       : Say("it gives {goodput}, {points} above the exact form",
                             HumanRatio(*first), FormatPoints(*first - exact));
  return Finding{
      .severity = Severity::kLow,
      .message = Say("The first-order form is inaccurate here: {gives}.", gives),
      .because = Say("failure rate times cost, lambda (R + t_ch), is {load}; the form neglects its "
                     "square and holds up to {limit}",
                     fmt::format("{:.2f}", load), fmt::format("{}", kFirstOrderHolds)),
      .hint =
          "use the exact form; published first-order estimates are inaccurate at this "
          "failure rate",
      .table = "forms"};
}

Phrase Headline(const Parameters& now, const std::optional<Simulated>& simulated) {
  const Shares shares = ExactForm(now);
  Phrase text = Say(
      "Expected goodput is {goodput} of time with a failure every {mtbf} and a save after every "
      "{interval} of work. "
      "Saves take {saves}, wasted progress {wasted}, restarts {restarts}.",
      HumanRatio(shares.goodput), FormatSeconds(1 / now.failures_per_s),
      FormatSeconds(now.interval_s), HumanRatio(shares.saves), HumanRatio(shares.lost_work),
      HumanRatio(shares.restarts));
  if (simulated) {
    text += Say(" A simulation of {count} failures gives {goodput} ± {error}% (standard error).",
                HumanCount(static_cast<double>(simulated->failures)),
                fmt::format("{:.2f}", simulated->goodput * 100),
                fmt::format("{:.2f}", simulated->standard_error * 100));
  }
  return text;
}

}  // namespace

Report ModelReport(const GoodputModelOptions& options, const Parameters& now) {
  const auto simulated =
      Simulate(now, {.seed = options.seed, .failures = options.simulated_failures});
  Report report{.analysis = "goodput_model", .title = "Expected goodput"};
  report.headline = Headline(now, simulated);
  report.metrics = Metrics(options, now, simulated);
  report.tables = {LeversTable(options, now), FormsTable(now, simulated), IntervalsTable(now),
                   AssumptionsTable(options)};
  report.series = Curves(now);
  for (auto& finding : {IntervalIsFar(now), FirstOrderBreaksDown(now)}) {
    if (finding) report.findings.push_back(*finding);
  }
  if (!options.checkpoint_interval_s) {
    report.notes.push_back({"interval_chosen", 1,
                            "checkpoint interval was chosen: none given (best interval used)", ""});
  }
  if (!simulated) {
    report.notes.push_back(
        {"not_simulated", 1,
         "simulation was skipped: the job makes too little progress for a reliable mean", ""});
  }
  return report;
}

Phrase ModelVerdict(const Report& report) {
  Phrase text;
  for (const Metric& metric : report.metrics) {
    if (metric.key != "goodput") continue;
    text =
        Say("Expected goodput is {goodput} of time.", HumanRatio(std::get<double>(metric.value)));
  }
  const Table& levers = *FindTable(&report, "levers");
  const ColumnOf lever(levers, "lever"), what(levers, "what"), gain_of(levers, "gain");
  for (const auto& row : levers.rows) {
    const double* gain = gain_of.FindReal(row);
    if (lever.Text(row) == kAllLevers) continue;
    if (gain == nullptr || *gain < kMinReported) break;
    return text +
           Say(" Most effective lever: {lever}, {points}.", what.Text(row), FormatPoints(*gain));
  }
  return text;
}

}  // namespace stepscope::goodput
