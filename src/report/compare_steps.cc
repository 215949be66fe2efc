// Implements the comparison of steps and their categories.
#include "report/compare_steps.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

#include "base/saturate.h"
#include "report/columns.h"
#include "report/compare_growth.h"
#include "report/compare_read.h"
#include "report/compare_sides.h"
#include "report/findings.h"
#include "report/humanize.h"
#include "report/lookup.h"

namespace stepscope::comparison {
namespace {

constexpr double kMinShare = 0.03;         // of the longer step time
constexpr double kWorthOfSlowSteps = 0.1;  // of all steps' time, that slow ones take beyond others
constexpr size_t kNamed = 3;               // categories in the first sentence

CauseKind CauseOf(std::string_view kind) {
  struct Of {
    ColumnKind kind;
    CauseKind cause;
  };
  constexpr Of kCauses[] = {{ColumnKind::kCompute, CauseKind::kCompute},
                            {ColumnKind::kCommunication, CauseKind::kCommunication},
                            {ColumnKind::kMemory, CauseKind::kCopies},
                            {ColumnKind::kLaunch, CauseKind::kLaunch},
                            {ColumnKind::kInput, CauseKind::kInput},
                            {ColumnKind::kOutput, CauseKind::kSync},
                            {ColumnKind::kCompilation, CauseKind::kCompilation},
                            {ColumnKind::kStartup, CauseKind::kOneTime},
                            {ColumnKind::kHost, CauseKind::kHost},
                            {ColumnKind::kOther, CauseKind::kHost}};
  for (const Of& of : kCauses) {
    if (ColumnKindName(of.kind) == kind) return of.cause;
  }
  return CauseKind::kNone;
}

std::string_view HintFor(CauseKind cause) {
  switch (cause) {
    case CauseKind::kInput:
      return "check what changed for loading: workers, storage, work per sample; see "
             "input_pipeline of the run after";
    case CauseKind::kLaunch:
      return "look for more or smaller kernels, and for compilation or graphs that no longer "
             "apply; table kernels";
    case CauseKind::kSync:
      return "look for new waits for the device: reading losses or metrics in each step";
    case CauseKind::kCompilation:
      return "look for shapes that change from step to step";
    case CauseKind::kCommunication:
      return "compare sizes and numbers of collectives, and the links; see collectives";
    case CauseKind::kCompute:
      return "check what changed for the kernels: shapes, data types, library versions; table "
             "kernels";
    default:
      return "compare the timelines of one step of both runs, recorded with Python functions "
             "(with_stack=True)";
  }
}

// The key of a category's column in the table of steps; empty where it has none.
std::string KeyOf(const ReportSet& answer, const std::string& category) {
  const Table* table = FindTable(FindReport(answer, "overview"), "step_time");
  const auto column = table == nullptr ? std::nullopt : FindColumn(*table, "column");
  if (!column) return {};
  const ColumnOf name(*table, "category");
  const auto row =
      std::ranges::find(table->rows, category, [&](const auto& r) { return name.Text(r); });
  return row == table->rows.end() ? std::string() : std::get<std::string>((*row)[*column]);
}

// The table of categories is of all steps: where steps are listed, the mean is of the typical ones.
void AddSide(const ReportSet& answer, const StepSamples& samples, double step,
             double CategoryChange::* time, double CategoryChange::* share,
             std::map<std::string, CategoryChange>& categories) {
  const Table* table = FindTable(FindReport(answer, "overview"), "step_time");
  if (table == nullptr) return;
  const auto name = FindColumn(*table, "category"), mean = FindColumn(*table, "mean"),
             kind = FindColumn(*table, "kind");
  if (!name) return;
  for (const auto& row : table->rows) {
    const auto* text = std::get_if<std::string>(&row[*name]);
    if (text == nullptr) continue;
    CategoryChange& category = categories[*text];
    category.name = *text;
    category.key = KeyOf(answer, *text);
    const bool listed = !category.key.empty() && !samples.empty();
    category.*time = listed ? samples.Mean(category.key) : Number(row, mean);
    category.*share = step > 0 ? category.*time / step : 0;
    const auto* of = kind ? std::get_if<std::string>(&row[*kind]) : nullptr;
    if (of == nullptr) continue;
    category.cause = CauseOf(*of);
    category.is_rest = *of == ColumnKindName(ColumnKind::kOther);
  }
}

double MeanStep(const ReportSet& answer, const StepSamples& samples) {
  const double all = MetricOf(answer, "overview", "step_time_mean");
  return all > 0 && !samples.empty() ? samples.Mean("time") : all;
}

// Means are of typical steps.
Phrase SayTypical(const StepComparison& steps) {
  const int64_t left_out = steps.in_a.left_out() + steps.in_b.left_out();
  return left_out > 0 ? ", slow steps and warm-up left out" : "";
}

// As `categories`, the largest change first; collectives, which do not compare where numbers of
// ranks differ, last then.
std::vector<CategoryChange> InOrderOfSentence(const ReportSet& a, const ReportSet& b,
                                              std::vector<CategoryChange> categories) {
  if (RanksDiffer(a, b)) {
    std::ranges::stable_partition(
        categories, [](const CategoryChange& c) { return c.cause != CauseKind::kCommunication; });
  }
  return categories;
}

// The larger of both runs.
double LargerDeviation(const StepComparison& steps) {
  return std::max(DeviationOf(steps.in_a.Values("time")), DeviationOf(steps.in_b.Values("time")));
}

}  // namespace

double StepComparison::Growth() const {
  double rises = 0, falls = 0;
  for (const CategoryChange& c : categories) {
    if (c.IsNoise()) continue;
    rises += std::max(c.Change(), 0.0);
    // Steps wait less where they compute longer.
    if (c.cause != CauseKind::kCommunication) falls += std::max(-c.Change(), 0.0);
  }
  if (categories.empty()) return std::max(b - a, 0.0);
  return IsNoise() ? rises : std::clamp(b - a + falls, 0.0, rises);
}

StepComparison CompareSteps(const ReportSet& a, const ReportSet& b) {
  StepComparison steps{.categories = {}, .in_a = StepSamples(a), .in_b = StepSamples(b)};
  steps.a = MeanStep(a, steps.in_a);
  steps.b = MeanStep(b, steps.in_b);
  if (!steps.known()) {
    steps.a = steps.b = 0;
    return steps;
  }
  const auto noise = [&](const std::string& key) {
    return NoiseOf(steps.in_a.Values(key), steps.in_b.Values(key));
  };
  steps.noise = noise("time");
  std::map<std::string, CategoryChange> categories;
  AddSide(a, steps.in_a, steps.a, &CategoryChange::a, &CategoryChange::share_a, categories);
  AddSide(b, steps.in_b, steps.b, &CategoryChange::b, &CategoryChange::share_b, categories);
  // "all others" says nothing without the rest of the list.
  const Phrase rest =
      RecordedPython(a) && RecordedPython(b) ? "Python between operators" : "unrecorded time";
  for (auto& [name, category] : categories) {
    category.part = category.is_rest ? rest : Phrase(category.name);
    // Steps compile by no chance: where only one run does, that is a change.
    const bool one_compiles =
        category.cause == CauseKind::kCompilation && (category.a == 0 || category.b == 0);
    if (!category.key.empty() && !one_compiles) category.noise = noise(category.key);
    steps.categories.push_back(std::move(category));
  }
  std::ranges::stable_sort(steps.categories, std::ranges::greater{},
                           [](const CategoryChange& c) { return std::abs(c.Change()); });
  return steps;
}

StepComparison Swapped(StepComparison steps) {
  std::swap(steps.a, steps.b);
  std::swap(steps.in_a, steps.in_b);
  for (CategoryChange& category : steps.categories) {
    std::swap(category.a, category.b);
    std::swap(category.share_a, category.share_b);
  }
  return steps;
}

// What a part of steps takes more time for, on a rank or on all.
Reason ReasonOf(const ReportSet& a, const ReportSet& b, CauseKind cause,
                std::optional<int64_t> rank, double more) {
  if (FrameworksDiffer(a, b)) return {};  // theirs are other functions and kernels
  switch (cause) {
    case CauseKind::kCompute:
      if (more < 0) return LessInCompute(a, b, rank, -more);
      return ReasonInCompute(a, b, rank, more);
    case CauseKind::kInput:
    case CauseKind::kLaunch:
    case CauseKind::kHost:
    case CauseKind::kSync:
      if (more < 0) return LessOnHost(a, b, rank, -more);
      if (cause == CauseKind::kHost && !RecordedPython(a)) return ReasonAfterOnly(a, b);
      return ReasonOnHost(a, b, rank, more);
    case CauseKind::kCompilation:
      return ReasonInCompilation(a, b, more);
    default:
      return {};
  }
}

// Of loading data the place is known, whatever it runs.
Phrase HintOn(const CategoryChange& c, const Reason& reason) {
  const bool generic = reason.hint.empty() || c.cause == CauseKind::kInput;
  return generic ? Phrase(HintFor(c.cause)) : reason.hint;
}

bool IsNoise(const StepComparison& steps, CauseKind cause) {
  const auto at = std::ranges::find(steps.categories, cause, &CategoryChange::cause);
  return at != steps.categories.end() && at->IsNoise();
}

Phrase SayPoints(const CategoryChange& c) {
  return Say("{before} to {after} of step time", HumanRatio(c.share_a), HumanRatio(c.share_b));
}

Phrase SaySides(double a, double b) {
  const std::string before = HumanTime(a), after = HumanTime(b);
  return a > 0 ? Say("{before} before, {after} after ({change})", before, after,
                     HumanChange((b - a) / a))
               : Say("{before} before, {after} after", before, after);
}

namespace {

// What the first sentence leaves open.
Phrase SayAfterFirst(const StepComparison& steps, const ToldOfSteps& told) {
  Phrase said = told.first;
  if (!SayTypical(steps).empty() && SayLeftOut(steps).empty())
    said += " Slow steps and warm-up are left out.";
  if (steps.IsNoise() && !told.by_slow_steps)
    said += Say(" Steps of one run differ by {deviation} (std dev).",
                HumanTime(LargerDeviation(steps)));
  return said;
}

}  // namespace

Phrase SayStepChange(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                     const ToldOfSteps& told) {
  if (!told.first.empty()) return SayAfterFirst(steps, told);
  Phrase categories;
  size_t named = 0, noise = 0;
  for (const CategoryChange& c : InOrderOfSentence(a, b, steps.categories)) {
    if (named == kNamed) break;
    if (std::abs(c.Change()) < kWorthALook * steps.a) continue;
    if (c.IsNoise()) {
      ++noise;
      continue;
    }
    const Phrase part = named == 0 ? Capitalized(c.part) : Phrase(c.part);
    const Phrase less =
        c.Change() < 0 && named == 0 ? ReasonOf(a, b, c.cause, std::nullopt, c.Change()).is : "";
    const std::string before = HumanTime(c.a), after = HumanTime(c.b);
    categories +=
        (named == 0 ? " " : "; ") +
        (less.empty() ? Say("{category}: {before} before, {after} after", part, before, after)
                      : Say("{category}: {before} before, {after} after ({reason})", part, before,
                            after, less));
    ++named;
  }
  if (named > 0) categories += ".";
  const Phrase sides = SaySides(steps.a, steps.b) + SayTypical(steps);
  const Phrase mean = Say("Mean step time: {sides}.", sides);
  if (steps.IsNoise() && told.by_slow_steps) return mean + categories;
  if (steps.IsNoise()) {
    const std::string deviation = HumanTime(LargerDeviation(steps));
    const bool is_told = told.has_cause && steps.b - steps.a >= kMinShare * steps.b;
    if (named > 0 || is_told)
      return Say("Mean step time: {sides}; steps of one run differ by {deviation} (std dev).",
                 sides, deviation) +
             categories;
    return told.without_evaluation
               ? Say("Without it, no change beyond noise: mean step time is {sides}, and steps of "
                     "one run differ by {deviation} (std dev).",
                     sides, deviation)
               : Say("No change beyond noise: mean step time is {sides}, and steps of one run "
                     "differ by {deviation} (std dev).",
                     sides, deviation);
  }
  if (steps.categories.empty()) return mean;
  if (named > 0) return mean + categories;
  return mean + (noise > 0 ? " No category changed beyond noise."
                           : " No category changed by 1% of step time.");
}

Phrase SayLeftOut(const StepComparison& steps) {
  const auto share = [](const StepSamples& samples, double step) {
    const double all = samples.all_time();
    const auto left_out = static_cast<double>(samples.left_out());
    return all > 0 ? std::max(samples.left_out_time() - left_out * step, 0.0) / all : 0;
  };
  if (std::abs(share(steps.in_b, steps.b) - share(steps.in_a, steps.a)) < kWorthOfSlowSteps)
    return {};
  const auto say = [](const StepSamples& samples) -> Phrase {
    if (samples.left_out() == 0) return "none";
    return Say("{steps} of {time}", Plural(samples.left_out_numbers(), "step"),
               HumanTime(samples.left_out_time() / static_cast<double>(samples.left_out())));
  };
  return Say(" Slow steps and warm-up, left out: {before} before, {after} after.", say(steps.in_a),
             say(steps.in_b));
}

Phrase SayChangeWithin(const ReportSet& a, const ReportSet& b) {
  Phrase said;
  for (const auto& [answer, run] : {std::pair(&a, "before"), std::pair(&b, "after")}) {
    const Report* breakdown = FindReport(*answer, "breakdown");
    const auto since = WholeIn(FindMetric(breakdown, "since_step"));
    const auto time = WholeIn(FindMetric(breakdown, "step_time"));
    if (!since || !time) continue;
    said += Say(" Within the run {run}, step time changed: {time} since step {step}.", run,
                HumanTime(static_cast<double>(*time)), *since);
  }
  return said;
}

Table CategoryTable(const StepComparison& steps) {
  Table table{.key = "categories",
              .title = "Step time by change",
              .columns = {Words(KeyColumn("category", "category"))}};
  std::ranges::move(Sides({"mean", "mean", Unit::kNanoseconds}), std::back_inserter(table.columns));
  // Relative changes of small parts mislead.
  table.columns[ColumnAt(table, "mean_change")].detail = false;
  table.columns[ColumnAt(table, "mean_change_ratio")].detail = true;
  std::ranges::move(Sides({"ratio", "% of step time", Unit::kRatio}),
                    std::back_inserter(table.columns));
  for (const CategoryChange& c : steps.categories) {
    if (c.a == 0 && c.b == 0) continue;
    std::vector<Cell> row = {c.name};
    std::ranges::move(SideCells(ToInt64(c.a), ToInt64(c.b), Unit::kNanoseconds),
                      std::back_inserter(row));
    std::ranges::move(SideCells(c.share_a, c.share_b, Unit::kRatio), std::back_inserter(row));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace stepscope::comparison
