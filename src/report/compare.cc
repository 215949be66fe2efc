// Compares two answers report by report, and says what changed: steps, ranks, kernels.
#include "stepscope/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "base/saturate.h"
#include "report/compare_calls.h"
#include "report/compare_categories.h"
#include "report/compare_evaluation.h"
#include "report/compare_functions.h"
#include "report/compare_growth.h"
#include "report/compare_lead.h"
#include "report/compare_ranks.h"
#include "report/compare_ranks_of_one.h"
#include "report/compare_read.h"
#include "report/compare_recorded.h"
#include "report/compare_recurring.h"
#include "report/compare_rows.h"
#include "report/compare_sides.h"
#include "report/compare_steps.h"
#include "report/compare_usage.h"
#include "report/compare_work.h"
#include "report/findings.h"
#include "report/humanize.h"
#include "report/lookup.h"

namespace stepscope::comparison {
namespace {

// A metric and what it is before and after. Detail: the headline has both sides' texts.
void AddSides(const Metric& metric, const Cell& before, const Cell& after, Report& out) {
  const auto columns = Sides({metric.key, metric.title, metric.unit});
  const auto cells = SideCells(before, after, metric.unit);
  for (size_t i = 0; i < columns.size(); ++i) {
    out.metrics.push_back(
        {columns[i].key, columns[i].title, cells[i], columns[i].unit, /*detail=*/true});
  }
}

void CompareMetrics(const Report& a, const Report& b, Report& out) {
  for (const Metric& metric : a.metrics) {
    const Metric* other = FindMetric(&b, metric.key);
    AddSides(metric, metric.value, other != nullptr ? other->value : Cell(), out);
  }
  for (const Metric& metric : b.metrics) {
    if (FindMetric(&a, metric.key) == nullptr) AddSides(metric, Cell(), metric.value, out);
  }
}

Report CompareReports(const Report& a, const Report& b) {
  Report out{.analysis = a.analysis, .title = a.title, .label = a.label, .group = a.group};
  for (const auto& [report, side] : {std::pair(&a, "before"), std::pair(&b, "after")}) {
    if (report->status != Status::kUnavailable) continue;
    out.status = Status::kUnavailable;
    out.why = Phrase(side) + ": " + report->why;
    return out;
  }
  out.headline = a.headline == b.headline
                     ? Say("In both: {headline}", a.headline)
                     : Say("Before: {before} After: {after}", a.headline, b.headline);
  CompareMetrics(a, b, out);
  for (const Table& table : a.tables) {
    const Table* other = FindTable(&b, table.key);
    if (other != nullptr) out.tables.push_back(MatchRows(table, *other));
  }
  return out;
}

Phrase SayKernelTime(const Usages& kernels, const Amounts& amounts) {
  const Phrase sides = SaySides(static_cast<double>(Total(kernels, &BothSides::a)) / amounts.a,
                                static_cast<double>(Total(kernels, &BothSides::b)) / amounts.b);
  return amounts.per_step ? Say("Kernel time per step: {sides}.", sides)
                          : Say("Kernel time: {sides}.", sides);
}

void AddAmountsNote(Report& report, const Amounts& amounts) {
  if (!amounts.per_step || amounts.a == amounts.b) return;
  report.notes.push_back(
      {"different_amounts", 1,
       Say("{before} steps of ranks before, {after} after (sums in the tables differ by that; "
           "select as many steps and ranks of both)",
           fmt::format("{:.0f}", amounts.a), fmt::format("{:.0f}", amounts.b)),
       ""});
}

void AddRanksNote(const ReportSet& a, const ReportSet& b, Report& report) {
  if (a.run.ranks == b.run.ranks) return;
  const auto ranks = [](const ReportSet& run) {
    return Plural(static_cast<size_t>(std::max<int64_t>(run.run.ranks, 0)), "rank");
  };
  report.notes.push_back({"different_ranks", 1,
                          Say("{before} before, {after} after (ranks that only one run has are "
                              "left out)",
                              ranks(a), ranks(b)),
                          ""});
}

// "Two frameworks: JAX before, PyTorch after, whose calls do not compare. "; empty: it is one.
Phrase SayFrameworks(const ReportSet& a, const ReportSet& b) {
  if (!FrameworksDiffer(a, b)) return {};
  return Say("Two frameworks: {before} before, {after} after, whose calls do not compare. ",
             FrameworkOf(a), FrameworkOf(b));
}

// Slowdowns are weighed by the later step, and together cost no more than steps grew by.
RankTime LaterStep(const StepComparison& steps, const Recorded& recorded, const Usages& kernels,
                   const Amounts& amounts) {
  double after = steps.b, growth = steps.Growth();
  if (recorded.known()) {
    after = recorded.b;
    growth = recorded.b - recorded.a;
  } else if (!steps.known()) {
    const double before = static_cast<double>(Total(kernels, &BothSides::a)) / amounts.a;
    after = static_cast<double>(Total(kernels, &BothSides::b)) / amounts.b;
    growth = after - before;
  }
  return {.time = ToInt64(after),
          .steps = amounts.per_step ? 1.0 : 0.0,
          .most = ToInt64(std::max(growth, 0.0))};
}

// What is said of steps, once findings are in order: the first of them are said first.
struct OfSteps {
  Leads leads;
  RankChange ranks;
  SlowStepChange slow;
  bool collectives_wait = false;  // for what other findings tell
  CallChange calls;  // its time: ns that a rank, or added calls or functions, take more
};

// Adds tables and findings of steps.
OfSteps AddSteps(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                 Report& report) {
  OfSteps of;
  report.tables.push_back(CategoryTable(steps));
  const bool comparable = !FrameworksDiffer(a, b);
  const std::vector<NewFunction> functions =
      comparable ? FunctionsThatCount(a, b, steps) : std::vector<NewFunction>();
  of.ranks = AddRankChange(a, b, steps, report, of.leads);
  const double evaluation = AddEvaluationFinding(a, b, steps, report);
  if (comparable)
    of.calls = AddCallFinding(a, b, steps, of.ranks.beyond > 0,
                              evaluation + TimeInOperators(functions, steps), report, of.leads);
  of.slow = AddSlowSteps(a, b, steps, functions, report, of.leads);
  if (steps.in_a.Values("time").size() == 1 && steps.in_b.Values("time").size() == 1)
    report.notes.push_back(
        {"one_step", 1, "each run has one step: how much steps differ by noise is unknown", ""});
  of.collectives_wait =
      AddCategoryFindings(a, b, steps, of.ranks.beyond > 0 || of.slow.on_a_rank,
                          of.ranks.of_several, of.calls.more_collectives, report, of.leads);
  const double in_functions = AddFunctionFindings(b, functions, steps, of.slow, report, of.leads);
  if (comparable) AddGoneFunctions(a, FunctionsThatCount(b, a, steps), steps, of.leads);
  of.calls.time =
      std::max({of.calls.time, of.ranks.beyond, of.slow.time, in_functions}) + evaluation;
  return of;
}

Phrase SayOfRanks(const RankChange& ranks, const First& first) {
  Phrase said = first.sentence.empty() ? ranks.within : Phrase();
  for (const Phrase& sentence : {ranks.less, ranks.more}) {
    if (!sentence.empty() && !first.Tells(sentence)) said += " " + sentence;
  }
  return said;
}

Phrase SaySteps(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                const OfSteps& of, const First& first) {
  const bool unclear = steps.IsNoise() || IsNoise(steps, CauseKind::kCompute) || steps.a > steps.b;
  const Phrase evaluation = SayEvaluation(a, b);
  Phrase said = SayFrameworks(a, b);
  // Steps are without evaluation: that they did not change says nothing of it.
  if (first.sentence.empty()) said += evaluation.empty() ? evaluation : evaluation + " ";
  said += SayStepChange(a, b, steps,
                        {.has_cause = of.ranks.beyond > 0 || of.calls.is_cause,
                         .by_slow_steps = of.slow.is_told,
                         .without_evaluation = !evaluation.empty(),
                         .first = first.sentence});
  if (!first.sentence.empty() && !evaluation.empty()) said += " " + evaluation;
  if (!first.Tells(of.slow.headline)) said += of.slow.headline;
  said += SayChangeWithin(a, b);
  if (steps.categories.empty()) said += " ";
  said += SayOfRanks(of.ranks, first) + SayWork(a, b);
  if (unclear && !FrameworksDiffer(a, b) && !of.calls.is_cause && !of.calls.is_elsewhere) {
    if (!EvaluationDiffers(a, b, steps)) said += SayOtherCalls(a, b, steps);
    said += SayOtherSizes(a, b);
  }
  return said + SayLeftOut(steps);
}

// What changed, before findings are in order: `headline` is what follows on steps.
struct Changes {
  Report report{
      .analysis = "compare", .title = "What changed", .label = "Changes", .group = "overview"};
  StepComparison steps;
  OfSteps of;
  RankTime step;  // what findings are weighed by
};

Changes WhatChanged(const RunsToCompare& runs, const CompareOptions& options) {
  const ReportSet &a = *runs.before, &b = *runs.after;
  Changes changes;
  Report& report = changes.report;
  const Usages kernels = CompareKernels(a, b, options);
  const Usages operators = CompareOperators(a, b);
  const Usages shapes = CompareShapes(a, b);
  changes.steps = CompareSteps(a, b);
  const StepComparison& steps = changes.steps;
  if (kernels.empty() && operators.empty() && !steps.known()) {
    report.status = Status::kUnavailable;
    report.why = "neither side has steps, kernels or operators";
    return changes;
  }
  const Amounts amounts = AmountsOf(a, b);
  const Recorded recorded = CompareRecorded(a, b);
  changes.step = LaterStep(steps, recorded, kernels, amounts);
  // A fault that moved to another rank costs there what it cost before.
  if (steps.known()) {
    changes.of = AddSteps(a, b, steps, report);
  } else {
    changes.of.calls = AddCallFinding(a, b, steps, false, 0, report, changes.of.leads);
  }
  const CallChange& calls = changes.of.calls;
  const double of_others = AddRanksOfOneRun(runs, report, changes.of.leads);
  changes.step.most =
      std::max(changes.step.most.value_or(0), ToInt64(std::max(calls.time, of_others)));
  if (recorded.known()) report.headline += AddRecorded(a, b, recorded, report) + " ";
  if (steps.categories.empty()) report.headline += SayKernelTime(kernels, amounts);
  AddAmountsNote(report, amounts);
  if (a.run.ranks != b.run.ranks)
    report.headline +=
        Say(" Of {before} before and {after} after, the ranks that both runs have are compared.",
            Plural(static_cast<size_t>(a.run.ranks), "rank"), b.run.ranks);
  if (RanksOfJob(a.run) != RanksOfJob(b.run))
    report.headline +=
        Say(" Times in collectives do not compare: the job has {before} before and {after} after.",
            Plural(static_cast<size_t>(RanksOfJob(a.run)), "rank"), RanksOfJob(b.run));
  AddRanksNote(a, b, report);
  if (!operators.empty())
    report.tables.push_back(UsageTable("operators", "Operators by change", operators));
  if (!shapes.empty()) report.tables.push_back(UsageTable("shapes", "Shapes by change", shapes));
  if (!kernels.empty())
    report.tables.push_back(UsageTable("kernels", "Kernels by change", kernels));
  Table host = HostTable(a, b);
  if (!host.rows.empty()) report.tables.push_back(std::move(host));
  // Evaluation and new functions are in the sums of kernels.
  if (calls.is_elsewhere || FrameworksDiffer(a, b)) return changes;
  const bool one_factor = SlowerByOneFactor(a, b, std::nullopt);
  AddKernelFinding(report, kernels, amounts, steps,
                   {.one_factor = one_factor,
                    .collectives_wait = calls.is_cause || changes.of.collectives_wait,
                    .ranks_differ = RanksDiffer(a, b)});
  if (!IsNoise(steps, CauseKind::kCompute))
    AddShapeFinding(report, shapes, kernels, amounts, one_factor);
  return changes;
}

RunInfo BothRuns(const ReportSet& a, const ReportSet& b) {
  RunInfo run = a.run;
  run.name = fmt::format("{} vs {}", a.run.name, b.run.name);
  run.files.insert(run.files.end(), b.run.files.begin(), b.run.files.end());
  run.notes.insert(run.notes.end(), b.run.notes.begin(), b.run.notes.end());
  run.ranks = std::max(a.run.ranks, b.run.ranks);
  if (b.run.steps != a.run.steps) run.steps += " and " + b.run.steps;
  return run;
}

}  // namespace
}  // namespace stepscope::comparison

namespace stepscope {
namespace {

// The ranks that both have, where they have different ones. Empty where all can be compared.
Result<std::vector<int64_t>> RanksOfBoth(const ReportSet& a, const ReportSet& b) {
  const auto in_a = RanksRead(a), in_b = RanksRead(b);
  // One rank of each is a pair, whatever their numbers.
  if (in_a == in_b || (in_a.size() == 1 && in_b.size() == 1)) return std::vector<int64_t>();
  std::vector<int64_t> both;
  std::ranges::set_intersection(in_a, in_b, std::back_inserter(both));
  if (!both.empty()) return both;
  return std::unexpected(
      Error{fmt::format("cannot compare {} with {}: no rank is in both",
                        Plural(in_a.size(), "rank"), Plural(in_b.size(), "rank")),
            "`ranks`", "select as many ranks of both"});
}

// A caller keeps it for longer than what is made of it.
std::shared_ptr<const ReportSet> Borrowed(const ReportSet& answer) {
  return {std::shared_ptr<const ReportSet>(), &answer};
}

}  // namespace

Result<RunsToCompare> AskBoth(const AskForRanks& before, const AskForRanks& after,
                              bool ranks_are_chosen) {
  RunsToCompare runs;
  const auto ask = [&](const std::vector<int64_t>& ranks) -> Result<void> {
    for (const auto& [side, question] :
         {std::pair(&runs.before, &before), std::pair(&runs.after, &after)}) {
      auto answer = (*question)(ranks);
      if (!answer) return std::unexpected(std::move(answer).error());
      *side = *std::move(answer);
    }
    return {};
  };
  if (auto asked = ask({}); !asked) return std::unexpected(std::move(asked).error());
  if (ranks_are_chosen) return runs;
  auto ranks = RanksOfBoth(*runs.before, *runs.after);
  if (!ranks) return std::unexpected(std::move(ranks).error());
  if (ranks->empty()) return runs;
  runs.all_before = runs.before;
  runs.all_after = runs.after;
  if (auto asked = ask(*ranks); !asked) return std::unexpected(std::move(asked).error());
  return runs;
}

ReportSet Compare(const ReportSet& a, const ReportSet& b, const CompareOptions& options) {
  return Compare({.before = Borrowed(a), .after = Borrowed(b)}, options);
}

ReportSet Compare(const RunsToCompare& runs, const CompareOptions& options) {
  using namespace comparison;
  const ReportSet &a = *runs.before, &b = *runs.after;
  ReportSet out{.run = BothRuns(a, b)};
  out.run.before = options.before;
  out.run.after = options.after;
  Changes changes = WhatChanged(runs, options);
  out.reports.push_back(std::move(changes.report));
  for (const Report& report : a.reports) {
    const Report* other = FindReport(b, report.analysis);
    if (other != nullptr) out.reports.push_back(CompareReports(report, *other));
  }
  JoinFindings(out, changes.step);
  const First said = SayFirst(out, changes.steps, changes.of.leads);
  if (changes.steps.known()) {
    Phrase& headline = out.reports.front().headline;
    headline = SaySteps(a, b, changes.steps, changes.of, said) + headline;
  }
  const Report& first = out.reports.front();
  out.verdict = first.status == Status::kUnavailable ? Say("Nothing to compare: {why}.", first.why)
                                                     : first.headline;
  const auto findings = FindingsInOrder(out);
  if (!findings.empty() && WorthALook(*findings.front()) &&
      !said.Tells(findings.front()->message) && !out.verdict.contains(findings.front()->message))
    out.verdict += " " + findings.front()->message;
  return out;
}

}  // namespace stepscope
