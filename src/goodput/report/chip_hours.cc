// Makes the steps from all chip-hours to those that an ideal program would have needed.
#include "goodput/report/chip_hours.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/time_units.h"
#include "goodput/report/format.h"
#include "report/columns.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope::goodput {
namespace {

// A step of the way. `time` is lost by a factor, or is the amount of an end.
struct ChipStep {
  std::string_view factor;
  std::string_view meaning;
  ColumnKind kind = ColumnKind::kOther;
  std::optional<double> goodput, time;  // absent: not known
  double left = 0;                      // ns of the job
  Phrase missing;
};

// What is known of the factors, in ns of the job: wanted >= had >= productive >= ideal.
struct Stages {
  double wanted = 0;
  std::optional<double> had, productive, ideal;
};

Stages StagesOf(const ProductivityInput& input) {
  Stages stages{.wanted = static_cast<double>(input.total)};
  double last = stages.wanted;
  if (input.scheduling && input.scheduling->wanted() > 0 && input.before_scheduler == 0) {
    stages.wanted = static_cast<double>(input.scheduling->wanted());
    stages.had = last = static_cast<double>(input.scheduling->all_up);
  }
  if (input.productive && last > 0) {
    // The scheduler's clock differs a little from the job's.
    stages.productive = last = std::min(static_cast<double>(*input.productive), last);
  }
  if (input.program && stages.productive && *stages.productive > 0) {
    stages.ideal = last * std::min(*input.program, 1.0);
  }
  return stages;
}

ChipStep FactorStep(std::string_view factor, std::string_view meaning, ColumnKind kind,
                    std::optional<double> now, double before, Phrase missing) {
  ChipStep step{.factor = factor, .meaning = meaning, .kind = kind, .left = before};
  if (!now) {
    step.missing = std::move(missing);
    return step;
  }
  step.left = *now;
  step.time = before - *now;
  if (before > 0) step.goodput = *now / before;
  return step;
}

std::vector<ChipStep> ChipSteps(const Stages& stages, const MissingFactors& missing) {
  std::vector<ChipStep> steps = {{.factor = "all",
                                  .meaning = "wanted by the job",
                                  .kind = ColumnKind::kOther,
                                  .time = stages.wanted,
                                  .left = stages.wanted}};
  const auto add = [&](std::string_view factor, std::string_view meaning, ColumnKind kind,
                       std::optional<double> now, const Phrase& what) {
    steps.push_back(FactorStep(factor, meaning, kind, now, steps.back().left, what));
  };
  add("scheduling", "lost without all chips", ColumnKind::kQueued, stages.had, missing.scheduling);
  add("running", "lost without progress", ColumnKind::kWasted, stages.productive, missing.running);
  add("program", "lost below the chips' peak", ColumnKind::kStartup, stages.ideal, missing.program);
  const double left = steps.back().left;
  const bool all_known = stages.had && stages.productive && stages.ideal;
  steps.push_back(
      {.factor = "ideal",
       .meaning =
           all_known ? "left: what an ideal program needs" : "left at most: a factor is not known",
       .kind = ColumnKind::kProductive,
       .goodput = stages.wanted > 0 ? std::optional(left / stages.wanted) : std::nullopt,
       .time = left,
       .left = left});
  return steps;
}

Table FactorsTable(const std::vector<ChipStep>& steps, const ProductivityInput& input) {
  Table table{.key = "factors",
              .title = "Chip-hours lost by factor",
              .columns = {KeyColumn("factor", "factor"), Words(ValueColumn("meaning", "meaning")),
                          RatioColumn("goodput", "goodput"), TimeColumn("time", "time of the job"),
                          CountColumn("chip_hours", "chip-hours"), CountColumn("cost", "cost"),
                          Detail(TimeColumn("left", "left")),
                          Detail(CountColumn("left_chip_hours", "chip-hours left")),
                          Detail(CountColumn("left_cost", "cost left")),
                          Words(ValueColumn("missing", "input that is missing"))}};
  AddKindColumn(table);
  const auto hours = [&](std::optional<double> time) {
    return time && input.chips > 0 ? Cell(*time / kHour * input.chips) : Cell();
  };
  const auto cost = [&](std::optional<double> time) {
    if (!time || input.chips <= 0 || input.price_per_chip_hour <= 0) return Cell();
    return Cell(CostOfChipHours(*time / kHour * input.chips, input.price_per_chip_hour));
  };
  for (const ChipStep& step : steps) {
    table.rows.push_back({std::string(step.factor), std::string(step.meaning), Maybe(step.goodput),
                          step.time ? Cell(static_cast<int64_t>(std::llround(*step.time))) : Cell(),
                          hours(step.time), cost(step.time),
                          static_cast<int64_t>(std::llround(step.left)), hours(step.left),
                          cost(step.left), TextCell(step.missing.str()), KindCell(step.kind)});
  }
  return table;
}

// "1,234 chip-hours" or, without a number of chips, "3.21 h".
Phrase AmountOf(double time, const ProductivityInput& input) {
  if (input.chips <= 0) return HumanTime(time);
  return Say("{hours} chip-hours", HumanCount(time / kHour * input.chips));
}

Phrase ChipHoursHeadline(const std::vector<ChipStep>& steps, const ProductivityInput& input) {
  const Phrase all = AmountOf(steps.front().left, input);
  const Phrase ideal = AmountOf(steps.back().left, input);
  const std::string ratio = HumanRatio(steps.back().goodput.value_or(0));
  Phrase unknown;
  for (const ChipStep& step : steps) {
    if (step.missing.empty()) continue;
    if (!unknown.empty()) unknown += ", ";
    unknown += Phrase(std::string(step.factor));
  }
  if (unknown.empty()) {
    return Say("Of {all}, an ideal program on an ideal platform needs {ideal}: {ratio}.", all,
               ideal, ratio);
  }
  return Say("Of {all}, at most {ideal} ({ratio}) were needed; not known: {factors}.", all, ideal,
             ratio, unknown);
}

Phrase MissingProgram(const ProductivityInput& input, const GoodputReportOptions& options,
                      const std::optional<Error>& problem) {
  if (!options.program) return "the model and the chip";
  if (!problem) return "steps that count";
  const bool chips = input.chips > 0 || options.program->chips > 0;
  const bool slow = problem->what.contains("tokens_per_second");
  if (slow && !chips) {
    return "the job's speed (events of work, or tokens per second) and the number of chips";
  }
  if (slow) return "the job's speed (events of work, or tokens per second)";
  if (!chips) return "the number of chips";
  return problem->what;
}

}  // namespace

MissingFactors MissingOf(const ProductivityInput& input, const GoodputReportOptions& options,
                         const std::optional<Error>& program_problem) {
  MissingFactors missing{.scheduling = "the scheduler's record of the job",
                         .running = "events of the job itself",
                         .program = MissingProgram(input, options, program_problem)};
  if (!options.scheduler_files.empty()) {
    missing.scheduling = "rows of this job in the scheduler's record";
  }
  if (input.before_scheduler > 0) missing.scheduling = "the scheduler's record of the job's start";
  return missing;
}

Report ChipHoursReport(const ProductivityInput& input, const MissingFactors& missing) {
  Report report{.analysis = "chip_hours", .title = "Chip-hours by factor"};
  report.why = Contradiction(input);
  if (report.why.empty() && input.total <= 0) report.why = "the job has no counted time";
  if (!report.why.empty()) {
    report.status = Status::kUnavailable;
    return report;
  }
  const std::vector<ChipStep> steps = ChipSteps(StagesOf(input), missing);
  report.headline = ChipHoursHeadline(steps, input);
  if (input.chips > 0) report.metrics.push_back({"chips", "chips", input.chips, Unit::kCount});
  report.tables.push_back(FactorsTable(steps, input));
  if (input.chips <= 0) {
    report.notes.push_back(
        {"chips_unknown", 1, "the number of chips is not known (times are of the job)", ""});
  }
  return report;
}

}  // namespace stepscope::goodput
