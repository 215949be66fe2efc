// Scales findings about steps to the job: a share of step time is that share of productive time.
#include "session/walk_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/robust.h"
#include "base/time_units.h"
#include "report/columns.h"
#include "report/humanize.h"
#include "report/kernel_name.h"
#include "report/lookup.h"

namespace stepscope {
namespace {

constexpr size_t kMostKernels = 3;
constexpr double kSlower = 1.05;  // kernels vary by less

// Means of compute kernels by name, then rank.
struct KernelTime {
  double mean = 0, count = 0;
};
using KernelTimes = std::map<std::string, std::map<int64_t, KernelTime>>;

KernelTimes KernelsOf(const ReportSet& answer) {
  KernelTimes times;
  const Table* table = FindTable(FindReport(answer, "kernel_breakdown"), "kernels");
  if (table == nullptr) return times;
  const auto at = [&](std::string_view key) { return FindColumn(*table, key); };
  const auto rank = at("rank"), kind = at("kind"), name = at("name"), mean = at("mean"),
             count = at("count");
  if (!rank || !kind || !name || !mean || !count) return times;
  for (const auto& row : table->rows) {
    const auto* of = std::get_if<int64_t>(&row[*rank]);
    const auto* time = std::get_if<int64_t>(&row[*mean]);
    const auto* calls = std::get_if<int64_t>(&row[*count]);
    const auto* text = std::get_if<std::string>(&row[*name]);
    if (of == nullptr || time == nullptr || calls == nullptr || text == nullptr) continue;
    if (row[*kind] != Cell(std::string("compute"))) continue;
    times[*text][*of] = {static_cast<double>(*time), static_cast<double>(*calls)};
  }
  return times;
}

struct Slow {
  std::string name;
  double excess = 0, mean = 0, others = 0;
};

std::vector<Slow> SlowKernels(const KernelTimes& times, int64_t rank) {
  std::vector<Slow> slow;
  for (const auto& [name, by_rank] : times) {
    const auto own = by_rank.find(rank);
    std::vector<double> others;
    for (const auto& [other, time] : by_rank) {
      if (other != rank) others.push_back(time.mean);
    }
    if (own == by_rank.end() || others.empty()) continue;
    const double usual = Median(others);
    const double mean = own->second.mean;
    if (mean <= usual * kSlower) continue;
    slow.push_back({name, (mean - usual) * own->second.count, mean, usual});
  }
  std::ranges::stable_sort(slow, std::greater<>(), &Slow::excess);
  if (slow.size() > kMostKernels) slow.resize(kMostKernels);
  return slow;
}

// A finding and its impact on the job.
struct Impact {
  Phrase message;
  std::string analysis;
  double time = 0;   // ns of the job
  double share = 0;  // of the job's time
};

Phrase Sentence(const Impact& impact, double chips, double price) {
  Phrase text = Say("; impact up to {time} of the job: {points} pp of goodput",
                    HumanTime(impact.time), fmt::format("{:.1f}", 100 * impact.share));
  const double chip_hours = impact.time / kHour * chips;
  if (chips > 0) text += Say(", {count} chip-hours", HumanCount(chip_hours));
  if (chips > 0 && price > 0) text += Say(", cost {price}", HumanCount(chip_hours * price));
  return text;
}

Table AdviceTable(const std::vector<Impact>& advice, double chips, double price) {
  Table table{.key = "advice",
              .title = "What to mend first",
              .columns = {KeyColumn("finding", "finding"), KeyColumn("analysis", "analysis"),
                          TimeColumn("impact", "impact, up to"),
                          ValueColumn("points", "goodput", Unit::kRatioDifference),
                          CountColumn("chip_hours", "chip-hours"), CountColumn("cost", "cost")},
              .text_rows = 6};
  for (const Impact& w : advice) {
    const double chip_hours = w.time / kHour * chips;
    table.rows.push_back({w.message.str(), w.analysis, std::llround(w.time), w.share,
                          chips > 0 ? Cell(chip_hours) : Cell(),
                          chips > 0 && price > 0 ? Cell(chip_hours * price) : Cell()});
  }
  return table;
}

double MetricOf(const Report& report, std::string_view key) {
  const Metric* found = FindMetric(&report, key);
  if (found == nullptr) return 0;
  if (const auto* whole = std::get_if<int64_t>(&found->value)) return static_cast<double>(*whole);
  const auto* real = std::get_if<double>(&found->value);
  return real == nullptr ? 0 : *real;
}

}  // namespace

void NameSlowKernels(ReportSet& of_traces) {
  const KernelTimes times = KernelsOf(of_traces);
  for (Report& report : of_traces.reports) {
    for (Finding& finding : report.findings) {
      if (report.analysis != "stragglers" || !finding.cause.rank) continue;
      const auto slow = SlowKernels(times, *finding.cause.rank);
      for (const Slow& kernel : slow) {
        finding.because += &kernel == slow.data() ? "; slow kernels there: " : ", ";
        finding.because += Say("{kernel} {time} for {usual}", ShortName(kernel.name),
                               HumanTime(kernel.mean), HumanTime(kernel.others));
      }
    }
  }
}

UseOfMatrices MatricesIn(const ReportSet& of_traces) {
  UseOfMatrices use;
  const Report* report = FindReport(of_traces, "flops");
  const Table* ranks = FindTable(report, "ranks");
  const Table* operators = FindTable(report, "top");
  if (ranks == nullptr || operators == nullptr) return use;
  const auto time = FindColumn(*ranks, "time"), device_time = FindColumn(*operators, "device_time"),
             name = FindColumn(*operators, "operator");
  if (!time || !device_time || !name) return use;
  double whole = 0, matrices = 0;
  const auto number = [](const Cell& cell) {
    const auto* value = std::get_if<int64_t>(&cell);
    return value == nullptr ? 0 : static_cast<double>(*value);
  };
  for (const auto& row : ranks->rows) whole += number(row[*time]);
  bool fused = false, plain = false;
  for (const auto& row : operators->rows) {
    const auto* text = std::get_if<std::string>(&row[*name]);
    if (text == nullptr) continue;
    const bool attention = text->contains("attention");
    fused = fused || attention;
    plain = plain || *text == "aten::bmm" || *text == "aten::baddbmm";
    const bool multiplies =
        text->ends_with("mm") || *text == "aten::matmul" || *text == "aten::linear";
    if (multiplies) matrices += number(row[*device_time]);
  }
  if (whole > 0) use.share = std::min(matrices / whole, 1.0);
  if (fused || plain) use.fused_attention = fused;
  return use;
}

void AddAdvice(ReportSet& of_job, ReportSet& of_traces, double price) {
  const Report* goodput = FindReport(of_job, "goodput");
  const auto walk = std::ranges::find(of_job.reports, "walk", &Report::analysis);
  if (goodput == nullptr || walk == of_job.reports.end()) return;
  const double total = MetricOf(*goodput, "total"), productive = MetricOf(*goodput, "productive");
  const double chips = MetricOf(*walk, "chips");
  if (total <= 0) return;
  std::vector<Impact> advice;
  for (const Finding& finding : goodput->findings) {
    const auto time = static_cast<double>(finding.impact);
    if (time > 0) advice.push_back({finding.message, "goodput", time, time / total});
  }
  for (Report& report : of_traces.reports) {
    for (Finding& finding : report.findings) {
      const double time = std::clamp(finding.share, 0.0, 1.0) * productive;
      if (time <= 0 || finding.place == 0) continue;
      const Impact impact{finding.message, report.analysis, time, time / total};
      finding.because += Sentence(impact, chips, price);
      advice.push_back(impact);
    }
  }
  std::ranges::stable_sort(advice, std::greater<>(), &Impact::time);
  walk->tables.insert(walk->tables.begin(), AdviceTable(advice, chips, price));
}

}  // namespace stepscope
