// Computes scheduling, runtime and program goodput and what each factor lost.
#include "goodput/accounting/productivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/time_units.h"
#include "report/columns.h"
#include "report/humanize.h"

namespace stepscope::goodput {
namespace {

// Clocks of schedulers and jobs differ, and so does the granularity of their times.
constexpr double kTolerated = 1.02;
constexpr double kToleratedTime = 2.0 * kSecond;

struct Factor {
  std::string_view key, title;
  Phrase said;
  double goodput = 0;
  double lost = 0;  // ns of the job
};

std::vector<Factor> FactorsOf(const ProductivityInput& input) {
  const auto productive = static_cast<double>(input.productive.value_or(0));
  auto had = static_cast<double>(input.total);
  std::vector<Factor> factors;
  if (input.scheduling && input.scheduling->wanted() > 0) {
    const auto wanted = static_cast<double>(input.scheduling->wanted());
    had = static_cast<double>(input.scheduling->all_up);
    if (input.before_scheduler == 0) {
      factors.push_back({"scheduling", "scheduling goodput",
                         Say("{share} scheduled", HumanRatio(had / wanted)), had / wanted,
                         wanted - had});
    } else {
      had = static_cast<double>(input.total);
    }
  }
  if (had > 0 && input.productive) {
    // The scheduler's clock differs from the job's, so the quotient may exceed 1 slightly.
    const double share = std::min(productive / had, 1.0);
    factors.push_back({"runtime", "runtime goodput", Say("{share} running", HumanRatio(share)),
                       share, std::max(had - productive, 0.0)});
  }
  if (input.program && productive > 0) {
    factors.push_back({"program", "program goodput (MFU)",
                       Say("{share} program", HumanRatio(*input.program)), *input.program,
                       productive * (1 - std::min(*input.program, 1.0))});
  }
  return factors;
}

Phrase Headline(const std::vector<Factor>& factors, double product,
                const ProductivityInput& input) {
  Phrase text = factors.size() > 1 ? HumanRatio(product) + " = " : " ";
  Phrase losses;
  double lost = 0;
  for (const Factor& f : factors) {
    const bool first = &f == &factors.front();
    if (!first) {
      text += " x ";
      losses += " + ";
    }
    text += f.said;
    losses += HumanTime(f.lost);
    lost += f.lost;
  }
  text += Say("; lost {times}", losses);
  if (input.chips > 0 && input.price_per_chip_hour > 0) {
    const double cost = lost / kHour * input.chips * input.price_per_chip_hour;
    text += Say(", cost {cost}", fmt::format("{:.{}f}", cost, cost < 1000 ? 2 : 0));
  }
  return text + ".";
}

Table LossesTable(const std::vector<Factor>& factors, const ProductivityInput& input) {
  Table table{.key = "losses",
              .title = "Losses by factor",
              .columns = {Words(KeyColumn("factor", "factor")), RatioColumn("goodput", "goodput"),
                          TimeColumn("lost", "lost"), CountColumn("chip_hours", "chip-hours"),
                          CountColumn("cost", "cost")}};
  for (const Factor& f : factors) {
    const double chip_hours = f.lost / kHour * input.chips;
    const bool priced = input.chips > 0 && input.price_per_chip_hour > 0;
    table.rows.push_back(
        {std::string(f.key), f.goodput, std::llround(f.lost),
         input.chips > 0 ? Cell(chip_hours) : Cell(),
         priced ? Cell(std::round(chip_hours * input.price_per_chip_hour * 100) / 100) : Cell()});
  }
  return table;
}

void AddScheduling(Report& report, const SchedulingTimes& times) {
  Table table{.key = "scheduling",
              .title = "Requested chips by state",
              .columns = {Words(KeyColumn("state", "state")), TimeColumn("time", "time"),
                          RatioColumn("ratio", "ratio, % of wanted")}};
  const auto wanted = static_cast<double>(times.wanted());
  const auto add = [&](std::string state, int64_t time, bool of_wanted) {
    if (time == 0) return;
    table.rows.push_back(
        {std::move(state), time, of_wanted ? Cell(static_cast<double>(time) / wanted) : Cell()});
  };
  add("all", times.all_up, true);
  add("all, some not healthy", times.unhealthy, true);
  add("some", times.partial, true);
  add("none", times.waiting, true);
  add("paused by its user", times.paused, false);
  report.tables.push_back(std::move(table));
}

// Scheduling goodput lies between these if nothing is known of the time before the scheduler's
// first event.
std::pair<double, double> SchedulingBounds(const SchedulingTimes& scheduling,
                                           int64_t before_scheduler) {
  const auto all_up = static_cast<double>(scheduling.all_up);
  const auto unknown = static_cast<double>(before_scheduler);
  const double wanted = static_cast<double>(scheduling.wanted()) + unknown;
  return {all_up / wanted, (all_up + unknown) / wanted};
}

void AddBounds(Report& report, const SchedulingTimes& scheduling, int64_t before_scheduler) {
  const auto [least, most] = SchedulingBounds(scheduling, before_scheduler);
  report.metrics.push_back(
      {"scheduling_goodput_min", "scheduling goodput, at least", least, Unit::kRatio});
  report.metrics.push_back(
      {"scheduling_goodput_max", "scheduling goodput, at most", most, Unit::kRatio});
  report.headline += Say(" Scheduling goodput is between {least} and {most}.", HumanRatio(least),
                         HumanRatio(most));
  const auto human = [](int64_t time) { return HumanTime(static_cast<double>(time)); };
  report.notes.push_back(
      {"scheduler_covers_part", 1,
       Say("scheduler events cover {time} of {total}: earlier ones are missing (scheduling goodput "
           "is bounded, and runtime goodput is of the whole time)",
           human(scheduling.wanted()), human(scheduling.wanted() + before_scheduler)),
       ""});
}

}  // namespace

Phrase Contradiction(const ProductivityInput& input) {
  if (input.program && *input.program > 1) {
    return Say(
        "program goodput is {share} of peak FLOP/s, and cannot exceed 100%: tokens per second, the "
        "number of chips or their peak is wrong",
        HumanRatio(*input.program));
  }
  if (!input.scheduling || !input.productive || input.before_scheduler > 0) return "";
  const SchedulingTimes& times = *input.scheduling;
  const auto had = static_cast<double>(times.all_up + times.unhealthy + times.partial);
  const auto productive = static_cast<double>(*input.productive);
  if (productive <= std::max(had * kTolerated, had + kToleratedTime)) return "";
  return Say(
      "the job made progress for {progress}, and had chips for {chips} according to the scheduler: "
      "its events are of another job, or incomplete",
      HumanTime(productive), HumanTime(had));
}

Report ProductivityReport(const ProductivityInput& input) {
  Report report{.analysis = "productivity", .title = "ML productivity goodput"};
  if (report.why = Contradiction(input); !report.why.empty()) {
    report.status = Status::kUnavailable;
    return report;
  }
  const auto factors = FactorsOf(input);
  if (factors.empty()) {
    report.status = Status::kUnavailable;
    report.why = "the job has no counted time, or no event of its own";
    return report;
  }
  double product = 1;
  for (const Factor& f : factors) {
    product *= f.goodput;
    report.metrics.push_back(
        {std::string(f.key) + "_goodput", std::string(f.title), f.goodput, Unit::kRatio});
  }
  report.metrics.push_back({"product", "product", product, Unit::kRatio});
  if (input.scheduling && input.scheduling->share > 0) {
    report.metrics.push_back({"elastic_scheduling_goodput", "elastic scheduling goodput",
                              input.scheduling->elastic_goodput().value_or(0), Unit::kRatio, true});
  }
  report.headline = Headline(factors, product, input);
  report.tables.push_back(LossesTable(factors, input));
  if (!input.scheduling) return report;
  if (input.before_scheduler > 0) AddBounds(report, *input.scheduling, input.before_scheduler);
  AddScheduling(report, *input.scheduling);
  return report;
}

}  // namespace stepscope::goodput
