// Reports every step of every rank, so that slow steps and trends are visible.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/changes.h"
#include "analyses/growth.h"
#include "analyses/steps_slow.h"
#include "analyses/steps_uneven.h"
#include "analyses/work_finding.h"
#include "base/distribution.h"
#include "base/saturate.h"
#include "facts/derived/operators/recording_flops.h"
#include "facts/derived/steps/of_partials.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/derived/steps/step_changes.h"
#include "facts/steps/step_use.h"
#include "report/humanize.h"

namespace stepscope {
namespace steps {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** How long was each step of each rank, what was its breakdown, and which steps were slow?

**Definition:** A step begins at its annotation or at the end of the previous step, whichever is later. It
ends when its annotation and its last activity have ended, so steps do not overlap. With the evaluation between
them, which no step has (see `overview`), they sum to the run. `idle` is the time in the step in which a device ran nothing. `exposed_communication` is communication without concurrent compute.
Both are means over the rank's devices and count whatever ran in the step, whichever step launched it. `input_wait`
is the category "input" of `overview`. `breakdown` has the categories of `overview` for each step number, as the mean
over the ranks that recorded it. `exposed_ratio`, `idle_ratio`, `input_ratio` and `mfu` are of the steps that
`breakdown` means: without warm-up and exceptional steps, and since step time changed where it did. The series `mfu` is the MFU of each step as in `flops`, over all ranks. A step's FLOPs
are those it launched, and its time is from its start to the start of the next step, so the last step has no
MFU. Weighted by time, the series averages to `flops.mfu`, unless some traces have fewer than two steps; `flops`
measures those over their span.

`changes` lists the step at which step time, or a part of it, changed level. Parts are compute, input wait, idle and
exposed communication of each rank (and device). The steps are split into two sides that deviate least from their
medians. A change counts if each side has at least two steps and an eighth of all, and if the medians differ by 5% of
the median step time and by at least 6 + 70 / (n - 2)² times the mean deviation of the n steps. Where steps scatter more,
they must take twice as long since then or in one stretch, with few exceptions; or a quarter longer, with four steps on
each side, and each since then 15% longer than any before: then parts that are longer by a third of that count, too. Only steps that all
ranks recorded count; an exceptional first one is left out. A step is slow by the median of its own side.

Where processors compute, whatever else runs there makes steps vary. Three parts hardly do: how often an operator runs,
how large its inputs are, and the time between two operators that follow one another, which is next to nothing. A rank
that has more of one since a step is named, also where step time does not tell: since then it takes 3% of the median
step time more, with a quarter of exceptions before and an eighth since at most, of eight steps or more; time between
operators is three times as long. Where that is so in one stretch of steps and ends again, it is told with these steps:
three or more, at most half of all, that take 9% of the median step time more, most of it there. Ranks with this extra
work in alternating steps (`in_turn`), or in all steps (several: `rank_steps`), are found by comparison with the other
ranks. A change of step time that no part explains, or that only operators explain which take longer without more
work, is of low or medium severity.

Where one rank's compute, input wait or time between operators grows all along, by a tenth of the median step time or
more from the first step to the last, that is told as growth per step and not as a change: a line (median of the slopes
between steps half of the series apart) must leave at most half of the absolute deviations that the best single change
of level leaves, in six steps or more, and no other rank's part may grow by a third as much.

Where nearly all operators of one rank take a quarter longer or more since a step, called as often on inputs of the same
size (shapes must be recorded), that is told as such: what takes its cores or Python's lock is not in its trace. Its slow
steps since then are no finding of their own.

Slow steps that follow one another at the same distance, three or more and none missing, are told as one: every 5th
step. They are those of the job, by the mean of ranks, or of one rank without its collectives, for which the others may
wait in the next step. Slow steps of one rank with one function behind them, each half as much longer as the slowest or
more, are told as one at any distance. Where hosts compute and shapes were recorded, a step is not slow if its inputs explain half or
more of what it takes longer: by a line (median of slopes) through the times of the rank's steps over the mean number of
elements of operators' inputs, if sizes vary in most steps and the line leaves at most 0.4 of the deviations. Where Python was recorded, the function is named that takes half or more of what a slow step takes longer.

**Limitations:** Steps without an annotation and truncated steps are missing. `mfu` needs shapes and a known peak, as
in `flops`. In a job that communicates, all ranks are as slow as the slowest; `stragglers` names it.

**Interpretation:** The first steps are slow while memory is allocated and kernels are tuned. An occasional slow
step is a checkpoint, an evaluation, logging or a late batch. The category that grew shows which.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"slow", Parameter::Type::kNumber, "1.5", Unit::kNone,
     "a step that takes at least this multiple of the median is slow"},
    kPeakTflops,
});

constexpr int64_t kEnoughSteps = 5;  // for a meaningful median
constexpr size_t kMostPoints = 2000;

// One step of one rank.
struct RankStep {
  const RankActivity* rank = nullptr;
  const StepBreakdown* step = nullptr;
  StepUse use;
  bool has_devices = false;

  int64_t Time() const { return step->Total(); }
};

std::vector<RankStep> StepsOf(const std::vector<RankSteps>& ranks) {
  std::vector<RankStep> all;
  for (const RankSteps& rank : ranks) {
    std::vector<StepWindow> windows;
    for (const StepBreakdown& step : rank.steps) windows.push_back(step.window);
    const auto uses = UseOfSteps(*rank.rank, windows);
    for (size_t s = 0; s < rank.steps.size(); ++s) {
      all.push_back({rank.rank, &rank.steps[s], uses.empty() ? StepUse{} : uses[s], !uses.empty()});
    }
  }
  return all;
}

int64_t InputOf(const RankStep& step) { return TimeOf(*step.step, StepCategory::kInput); }

Table StepTable(const std::vector<RankStep>& steps) {
  Table table{.key = "steps",
              .title = "Steps of each rank",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("window", "window"),
                          KeyColumn("step", "step"), TimeColumn("step_time", "step time"),
                          TimeColumn("idle", "idle"),
                          TimeColumn("exposed_communication", "exposed communication"),
                          TimeColumn("input_wait", "input wait"),
                          RatioColumn("idle_ratio", "idle, % of step time"),
                          RatioColumn("exposed_ratio", "exposed, % of step time"),
                          RatioColumn("input_ratio", "input wait, % of step time")},
              .text_rows = 0};
  for (const RankStep& s : steps) {
    table.rows.push_back({s.rank->rank, s.rank->window, s.step->window.number, s.Time(),
                          When(s.has_devices, s.use.idle), When(s.has_devices, s.use.exposed),
                          InputOf(s), When(s.has_devices, Ratio(s.use.idle, s.Time())),
                          When(s.has_devices, Ratio(s.use.exposed, s.Time())),
                          Ratio(InputOf(s), s.Time())});
  }
  return table;
}

// Steps with one number, on all ranks.
struct SameStep {
  int64_t ranks = 0;
  int64_t time = 0, device_time = 0, idle = 0, exposed = 0, input = 0;
  std::array<int64_t, kStepCategories> categories{};

  void Add(const RankStep& s) {
    ++ranks;
    time = AddSaturated(time, s.Time());
    input = AddSaturated(input, InputOf(s));
    for (size_t c = 0; c < kStepCategories; ++c)
      categories[c] = AddSaturated(categories[c], TimeOf(*s.step, static_cast<StepCategory>(c)));
    if (!s.has_devices) return;
    device_time = AddSaturated(device_time, s.Time());
    idle = AddSaturated(idle, s.use.idle);
    exposed = AddSaturated(exposed, s.use.exposed);
  }
};
using StepsByNumber = std::map<int64_t, SameStep>;

// Which steps count for a mean: the typical ones, of these the ones since step time changed.
class Counted {
 public:
  explicit Counted(const Facts& facts) {
    const auto& change = StepChangesOf(facts).step_time;
    for (const RankSteps& rank : TypicalStepsOf(facts).ranks) {
      for (const StepBreakdown& step : rank.steps) {
        if (change && step.window.number < change->since) continue;
        starts_.emplace(rank.rank, step.window.start);
        numbers_.insert(step.window.number);
      }
    }
  }

  bool Has(const RankStep& s) const { return starts_.contains({s.rank, s.step->window.start}); }
  bool Has(int64_t number) const { return numbers_.contains(number); }

 private:
  std::set<std::pair<const RankActivity*, int64_t>> starts_;
  std::set<int64_t> numbers_;
};

Table BreakdownTable(const Facts& facts, const StepsByNumber& steps) {
  Table table{.key = "breakdown",
              .title = "Steps, mean over ranks",
              .columns = {KeyColumn("step", "step"), CountColumn("ranks", "ranks"),
                          TimeColumn("step_time", "step time")},
              .text_rows = 0};
  AddCategoryColumns(table, facts);
  for (const auto& [number, same] : steps) {
    std::vector<Cell> row = {number, same.ranks, same.time / same.ranks};
    for (const int64_t time : same.categories) row.emplace_back(time / same.ranks);
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Trends over steps. Of many steps an evenly spaced sample.
std::vector<Series> Trends(const StepsByNumber& steps) {
  Series time{"step_time", "step time", Unit::kNone, Unit::kNanoseconds, {}};
  Series idle{"idle", "idle", Unit::kNone, Unit::kRatio, {}};
  Series exposed{"exposed_communication", "exposed communication", Unit::kNone, Unit::kRatio, {}};
  Series input{"input_wait", "input wait", Unit::kNone, Unit::kRatio, {}};
  const size_t every = steps.size() / kMostPoints + 1;
  const auto add = [](Series& series, int64_t number, int64_t part, int64_t whole) {
    if (whole > 0)
      series.points.emplace_back(static_cast<double>(number),
                                 static_cast<double>(part) / static_cast<double>(whole));
  };
  size_t i = 0;
  for (const auto& [number, same] : steps) {
    if (i++ % every != 0) continue;
    add(time, number, same.time, same.ranks);
    add(idle, number, same.idle, same.device_time);
    add(exposed, number, same.exposed, same.device_time);
    add(input, number, same.input, same.time);
  }
  std::vector<Series> all;
  for (Series* series : {&time, &idle, &exposed, &input}) {
    if (!series->points.empty()) all.push_back(std::move(*series));
  }
  return all;
}

// Shares of step time, of the steps that a mean is of. What several devices of a rank expose is no
// category of its steps, which may hide it.
void AddShares(Report& report, const Facts& facts, const std::vector<RankStep>& steps,
               const Counted& counted) {
  const bool by_categories = facts.devices.size() == facts.ranks.size();
  SameStep all;
  for (const RankStep& s : steps)
    if (counted.Has(s)) all.Add(s);
  const int64_t collectives = all.categories[static_cast<size_t>(StepCategory::kDeviceCollectives)];
  const Cell exposed = by_categories
                           ? Ratio(collectives, all.time)
                           : When(all.device_time > 0, Ratio(all.exposed, all.device_time));
  report.metrics.push_back(
      {"exposed_ratio", "exposed communication, % of step time", exposed, Unit::kRatio, true});
  report.metrics.push_back({"idle_ratio", "idle, % of step time",
                            When(all.device_time > 0, Ratio(all.idle, all.device_time)),
                            Unit::kRatio, true});
  report.metrics.push_back({"input_ratio", "input wait, % of step time", Ratio(all.input, all.time),
                            Unit::kRatio, true});
}

// Time the FLOPs of one step number need at peak, and time taken. ns, summed over devices.
struct PeakUse {
  double needed = 0, had = 0;
};

// By step number; empty if the peak of any rank that computed is unknown.
std::map<int64_t, PeakUse> UseOfPeak(const Facts& facts, double given_peak, Report& report) {
  std::map<int64_t, PeakUse> uses;
  int64_t unknown = 0;
  bool counted = false;
  for (const RankActivity& rank : facts.ranks) {
    if (rank.activities.empty()) continue;
    std::optional<RecordingFlops> own;
    if (given_peak > 0) own = MeasureFlops(facts, rank, given_peak);
    const RecordingFlops& flops = own ? *own : FlopsOf(facts, rank);
    if (flops.flops > 0 && !flops.has_peak) ++unknown;
    counted |= flops.model_peak_time > 0;
    for (const StepFlops& step : flops.steps) {
      PeakUse& use = uses[step.number];
      use.needed += step.model_peak_time;
      use.had += static_cast<double>(step.time) * static_cast<double>(flops.devices);
    }
  }
  if (unknown > 0) {
    report.notes.push_back({"unknown_peak", unknown,
                            "devices have an unknown peak: steps have no MFU; set "
                            "flops.peak_tflops",
                            ""});
  }
  if (unknown > 0 || !counted) uses.clear();
  return uses;
}

void AddMfu(const Facts& facts, double given_peak, const Counted& counted, Report& report) {
  if (IsOfPartials(facts)) return;  // which have no shapes: of some ranks it would be too low
  Series mfu{"mfu", "MFU", Unit::kNone, Unit::kRatio, {}};
  PeakUse all;
  const auto uses = UseOfPeak(facts, given_peak, report);
  const size_t every = uses.size() / kMostPoints + 1;
  size_t i = 0;
  for (const auto& [number, use] : uses) {
    if (i++ % every == 0 && use.had > 0)
      mfu.points.emplace_back(static_cast<double>(number), use.needed / use.had);
    if (!counted.Has(number)) continue;
    all.needed += use.needed;
    all.had += use.had;
  }
  if (all.had > 0)
    report.metrics.push_back({"mfu", "MFU", all.needed / all.had, Unit::kRatio, true});
  if (!mfu.points.empty()) report.series.push_back(std::move(mfu));
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kSteps, facts);
  const std::vector<RankSteps>& ranks = RankStepsOf(facts);
  if (ranks.empty() || ranks.front().whole_recording) {
    MakeUnavailable(report, Say("no complete steps are marked: {how}", Say(kMarkSteps, facts)));
    return report;
  }
  // Without device activity the host side remains.
  if (report.status == Status::kUnavailable) report.status = Status::kPartial;
  const std::vector<RankStep> steps = StepsOf(ranks);
  StepsByNumber by_number;
  std::vector<int64_t> times;
  for (const RankStep& s : steps) {
    by_number[s.step->window.number].Add(s);
    times.push_back(s.Time());
  }
  const Distribution d = Describe(times);
  const TypicalSteps& typical = TypicalStepsOf(facts);
  report.metrics = {{"steps", "steps", static_cast<int64_t>(by_number.size()), Unit::kCount},
                    {"median", "median step time", typical.median, Unit::kNanoseconds},
                    {"p99", "99th percentile", d.p99, Unit::kNanoseconds, true},
                    {"shortest", "min step time", d.min, Unit::kNanoseconds},
                    {"longest", "max step time", d.max, Unit::kNanoseconds}};
  report.headline =
      Say("{steps} of {ranks}: median step time {median}, max {max}.",
          Plural(by_number.size(), "step"), Plural(RankNumbersOf(ranks).size(), "rank"),
          HumanTime(static_cast<double>(typical.median)), HumanTime(static_cast<double>(d.max)));
  report.tables.push_back(StepTable(steps));
  report.tables.push_back(BreakdownTable(facts, by_number));
  report.series = Trends(by_number);
  const Counted counted(facts);
  AddShares(report, facts, steps, counted);
  AddMfu(facts, params.Number("peak_tflops") * 1e12, counted, report);
  const StepChanges& changes = StepChangesOf(facts);
  AddWorkRises(report, facts, AddStepChanges(report, facts, changes));
  AddGrowingRank(report, facts);
  AddGrowingFunction(report, facts);
  AddUnevenSteps(report, facts, ranks, typical.median);
  if (static_cast<int64_t>(by_number.size()) >= kEnoughSteps)
    AddSlowSteps(report, facts, ranks, typical.median, params.Number("slow"));
  return report;
}

}  // namespace
}  // namespace steps

const Analysis kSteps = {
    .name = "steps",
    .title = "Per-step times",
    .label = "Steps",
    .group = AnalysisGroup::kOverview,
    .summary = "Each step's duration and breakdown",
    .doc = steps::kDoc,
    .needs = Wanted(kRankActivityNeeds | KindSet{Kind::kOperator}, true, true),
    .of_partials = OfPartials::kYes,
    .params = steps::kParams,
    .run = &steps::Run,
};

}  // namespace stepscope
