// Reports step time, its breakdown into categories, precision and device utilization.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/many_calls.h"
#include "analyses/overview_allocation.h"
#include "analyses/overview_anomaly.h"
#include "analyses/overview_double.h"
#include "analyses/overview_evaluation.h"
#include "analyses/overview_findings.h"
#include "analyses/overview_lead.h"
#include "analyses/overview_loops.h"
#include "analyses/overview_operator.h"
#include "analyses/overview_startup.h"
#include "analyses/overview_tables.h"
#include "analyses/partial_note.h"
#include "facts/derived/job/job_purpose.h"
#include "facts/derived/operators/operator_use.h"
#include "facts/derived/operators/recording_flops.h"
#include "facts/derived/python/leading_function.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/derived/steps/step_changes.h"
#include "facts/derived/steps/step_coverage.h"
#include "report/humanize.h"

namespace stepscope {
namespace overview {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** How long is a step, how much does step time vary, and what is its breakdown?

**Definition:** Every moment of a step belongs to one of ten categories, so their times sum to the step.
When several things run at once, the first in this list gets the moment:

1. device compute: compute kernels
2. output: copies to the host
3. device to device: memcpy and memset on the device
4. input: input wait
5. device collectives
6. one-time work: graph capture, context creation, module loading, tuning of convolutions
7. kernel launch: runtime calls, executors
8. input: copies to the device, calls that copy there
9. compilation
10. host compute: calls that allocate or free memory of the device, operators
11. all others: nothing recorded, such as Python between operators. Sentences call it unrecorded, or Python between
    operators where Python was recorded

Where threads of the host are the device, 1 and 5 are called compute and collectives. That is so in jobs over gloo, MPI
or UCC, with kernels of oneDNN, and where operators ran and the profiler listed no accelerator. Without collectives, the
first sentence then names the function of your program, or the operator, with the most time of the thread that trains or
serves; what libraries and built-in functions do belongs to the function that called them. A second thread that runs
Python for half of step time is reported as a possible cause.

A step begins at its annotation or at the end of the previous step, whichever is later. It ends when its
annotation and all activities launched in it have ended. Means are over the complete steps of all ranks.
Calls of a tf.function, or of a program of JAX that multiplies matrices, that computes no gradients, behind fewer than
half of the steps of one that does, are evaluation between steps, and so are forward passes of PyTorch, twice as many
products of matrices as usual between an optimizer's step and the next backward pass, behind fewer than half of them:
the headline has the time from such a step to the next one, also per step, the steps before it and the Python function
that runs in it and in no step, and no step has it.
Precision is a share of compute time: 8 bit, 16 bit (fp16, bf16), 32 bit and more (with tf32). It comes from the
kernel's name, or from the input types of its operator; otherwise it is unknown. An operator is placed on a
device if it launches activities itself. `roles` uses the categories of PyTorch's TensorBoard plugin. GPU
utilization (share of time in which kernels run), SM efficiency and occupancy are per device, from the
start of the first step to the end of the last, where the profiler recorded them.

The headline and the findings leave out slow steps (1.5 times the median or more on any rank, where at most a fifth of at
least five steps are; else four times, where that many are; but no three or more at one interval), and warm-up: the
first step of a trace if it takes 1.5 times the median of the others, at least two. Warm-up is not in the median.
If most of that is compilation, one-time work or activities launched before the trace began, the headline says so, and
what compilation and one-time work cost before the first complete step. The tables have all.

Steps that cover less than half of the time from the first to the last (evaluation between them aside), as where one
step of ten is marked, or only the call that trains, are not called step time: how long a turn of the loop takes is then
not known.

Of processors the findings name, too, a function that runs 50 calls of an operator or more each time it is called, of
20 µs or less each, with what autograd takes for them; a function that computes in Python within an operator, on all
ranks; operators on double beside others; and an operator that sorts, searches, decomposes or measures distances, from
15% of the steps of each rank on. The former need 10% of them.

**Limitations:** If no steps are marked, the categories cover the whole trace and step times are absent.
Host activity that the profiler did not record is in "all others".

**Interpretation:** Device compute should be most of a step. If input is above 5%, see `input_pipeline`. If kernel
launch or all others is above 15%, see `idle_time` and `critical_path`. For collectives, see `comm_overlap`.
)md";

void AddPlacement(const OperatorUse& use, bool has_work, Report& report) {
  // Where activities name no operators, as in most of JAX, all would seem to run on hosts.
  const bool known = use.device > 0 || (!has_work && use.host > 0);
  const int64_t sum = use.host + use.device;
  report.metrics.push_back({"host_op_ratio", "host operators, % of operators",
                            known ? Ratio(use.host, sum) : Cell(), Unit::kRatio, true});
  report.metrics.push_back({"device_op_ratio", "device operators, % of operators",
                            known ? Ratio(use.device, sum) : Cell(), Unit::kRatio, true});
  report.metrics.push_back({"eager_ratio", "eager operators, % of host time",
                            use.eager_time > 0 ? Ratio(use.eager_time, use.host_time) : Cell(),
                            Unit::kRatio, true});
}

// Adds FLOP and bandwidth utilization over the steps. Bandwidth counts only the time of operators
// whose bytes are known.
void AddUtilization(const Facts& facts, Report& report) {
  double at_peak = 0, device_time = 0, at_memory = 0, counted = 0;
  for (const RankActivity& rank : facts.ranks) {
    const RecordingFlops& flops = FlopsOf(facts, rank);
    if (flops.has_peak && flops.time > 0) {
      at_peak += flops.peak_time;
      device_time += static_cast<double>(flops.time) * static_cast<double>(flops.devices);
    }
    for (const auto& [key, sum] : flops.operators) {
      if (sum.at_memory <= 0) continue;
      at_memory += std::min(sum.at_memory, static_cast<double>(sum.time));
      counted += static_cast<double>(sum.time);
    }
  }
  report.metrics.push_back({"flop_utilization", "FLOP/s, % of peak",
                            device_time > 0 ? Cell(std::min(at_peak / device_time, 1.0)) : Cell(),
                            Unit::kRatio, true});
  report.metrics.push_back({"bandwidth_utilization", "bandwidth of counted operators, % of peak",
                            counted > 0 ? Cell(at_memory / counted) : Cell(), Unit::kRatio, true});
}

void AddEnvironment(const Facts& facts, Report& report) {
  std::set<int64_t> ranks;
  for (const RankActivity& rank : facts.ranks) {
    if (!rank.memory_only) ranks.insert(rank.rank);
  }
  report.metrics.push_back(
      {"ranks", "ranks", static_cast<int64_t>(ranks.size()), Unit::kCount, true});
  const Purpose purpose = PurposeOfJob(facts);
  report.metrics.push_back({"purpose", "purpose of job",
                            When(purpose != Purpose::kUnknown, std::string(PurposeName(purpose))),
                            Unit::kNone, true});
  report.metrics.push_back({"devices", "active devices", static_cast<int64_t>(facts.devices.size()),
                            Unit::kCount, true});
}

void AddPrecision(const StepBreakdown& sum, Report& report) {
  const int64_t compute = sum.Compute();
  const auto add = [&](const char* key, const char* title, StepPart part) {
    report.metrics.push_back({key, title, Ratio(sum.Of(part), compute), Unit::kRatio, true});
  };
  add("precision_8_ratio", "8 bit, % of compute", StepPart::kCompute8);
  add("precision_16_ratio", "16 bit, % of compute", StepPart::kCompute16);
  add("precision_32_ratio", "32 bit, % of compute", StepPart::kCompute32);
  add("precision_unknown_ratio", "unknown precision, % of compute", StepPart::kComputeUnknown);
}

// " and cover 4.4% of the time from the first to the last", where that is less than half.
Phrase SayCoverage(const Facts& facts) {
  const auto coverage = CoverageOfSteps(facts.ranks);
  if (!coverage || *coverage >= kMostIsSteps) return {};
  return Say(" and cover {share} of the time from the first to the last", HumanRatio(*coverage));
}

// Where step time changes; not where steps cover little, as a turn of the loop may be more.
std::optional<StepChange> ChangeToTell(const Facts& facts) {
  return SayCoverage(facts).empty() ? StepChangesOf(facts).step_time : std::nullopt;
}

// "Step time is 960 µs (mean of 7 steps of 8 ranks, 948 µs to 972 µs; 1 slow step of 4.10 ms left
// out)", "Step time is 73.0 ms before step 6 and 114 ms since (means of ...)". Where steps cover
// little, a turn of the loop may be more than its step: "The steps found take 960 µs (...) and
// cover 4.4% of the time from the first to the last".
Phrase SayStepTime(const Facts& facts, const std::vector<RankSteps>& ranks,
                   const TypicalSteps& typical, const std::optional<StepChange>& change) {
  const Distribution& times = typical.times;
  const auto time = [](int64_t ns) { return HumanTime(static_cast<double>(ns)); };
  const auto mean = [&](const auto& counts) { return HumanTime(MeanStepOf(typical, counts)); };
  const std::string mean_of_all = HumanTime(MeanStepOf(typical));
  if (times.count == 1 && typical.slow + typical.warm_up == 0)
    return Say("Step time is {time}", mean_of_all);
  std::set<int64_t> of;
  std::set<std::pair<int64_t, int64_t>> steps;  // window and number
  for (const RankSteps& rank : typical.ranks) {
    of.insert(rank.rank->rank);
    for (const StepBreakdown& step : rank.steps)
      steps.insert({rank.rank->window, step.window.number});
  }
  Phrase how = Plural(steps.size(), "step");
  if (of.size() > 1)
    how = Say("{steps} of {count} ranks", how, HumanCount(static_cast<int64_t>(of.size())));
  how = change ? Say("means of {steps}", how) : Say("mean of {steps}", how);
  if (times.min < times.max) how += Say(", {least} to {most}", time(times.min), time(times.max));
  if (typical.slow > 0) {
    const Phrase slow = Plural(static_cast<size_t>(typical.slow), "slow step");
    how += typical.slow == 1
               ? Say("; {steps} of {time} left out", slow, time(typical.slowest))
               : Say("; {steps} of up to {time} left out", slow, time(typical.slowest));
  }
  how += SayWarmUp(ranks, typical);
  if (change) {
    return Say("Step time is {before} before step {step} and {after} since ({how})",
               mean([&](int64_t step) { return step < change->since; }), change->since,
               mean([&](int64_t step) { return step >= change->since; }), how);
  }
  if (const Phrase coverage = SayCoverage(facts); !coverage.empty())
    return Say("The steps found take {time} ({how}){coverage}", mean_of_all, how, coverage);
  return Say("Step time is {time} ({how})", mean_of_all, how);
}

// "15.6% unrecorded".
Phrase SayShare(int64_t time, int64_t total, StepCategory category, const Facts& facts) {
  const bool unrecorded = category == StepCategory::kOther && !RecordedPython(facts);
  return Say("{share} {category}", HumanRatio(Share(time, total)),
             unrecorded ? Phrase("unrecorded") : Phrase(SayCategory(category, facts)));
}

// ", and 26.6 ms of evaluation per step between them", where only some ranks evaluate, so that
// steps of others wait for it.
Phrase SayEvaluationBetween(const Facts& facts) {
  const bool counts = OnlySomeEvaluate(facts) && facts.selected.empty();
  const int64_t each = counts ? EvaluationPerStep(facts) : 0;
  return each > 0 ? Say(", and {time} of evaluation per step between them",
                        HumanTime(static_cast<double>(each)))
                  : Phrase();
}

// "Step time is 960 µs (mean of 7 steps): 31.2% device compute, 31.2% input, 15.6% all others.";
// where it changes, parts are those since then.
Phrase Headline(const Facts& facts, const std::vector<RankSteps>& ranks,
                const TypicalSteps& typical) {
  const std::optional<StepChange> change = ChangeToTell(facts);
  const StepBreakdown sum =
      SumOf(change ? StepsSince(typical.ranks, change->since) : typical.ranks);
  constexpr size_t kNamed = 3;
  std::array<std::pair<int64_t, StepCategory>, kStepCategories> shares;
  for (size_t c = 0; c < kStepCategories; ++c) {
    const auto category = static_cast<StepCategory>(c);
    shares[c] = {TimeOf(sum, category), category};
  }
  std::ranges::stable_sort(shares, std::ranges::greater{},
                           &std::pair<int64_t, StepCategory>::first);
  Phrase parts;
  for (size_t i = 0; i < kNamed && Share(shares[i].first, sum.Total()) >= kModerately; ++i) {
    if (i > 0) parts += ", ";
    parts += SayShare(shares[i].first, sum.Total(), shares[i].second, facts);
  }
  const RankSteps& first = typical.ranks.front();
  if (first.whole_recording) {
    const bool marked = !first.rank->steps.empty();
    const std::string time =
        HumanTime(static_cast<double>(sum.Total()) / static_cast<double>(typical.ranks.size()));
    return marked
               ? Say("No step is complete. Breakdown of the {time} recorded: {parts}.", time, parts)
               : Say("No steps are marked. Breakdown of the {time} recorded: {parts}.", time,
                     parts);
  }
  const Phrase step_time = SayStepTime(facts, ranks, typical, change) + SayEvaluationBetween(facts);
  return change ? Say("{step_time}; since then {parts}.", step_time, parts)
                : Say("{step_time}: {parts}.", step_time, parts);
}

void AddStepMetrics(const Facts& facts, const StepStatistics& total, int64_t median,
                    const StepBreakdown& sum, bool marked, Report& report) {
  const auto time = [&](double ns) { return marked ? Cell(static_cast<int64_t>(ns)) : Cell(); };
  report.metrics = {
      {"step_time_median", "median step time", time(static_cast<double>(median)),
       Unit::kNanoseconds},
      {"step_time_mean", "mean step time, all steps", time(total.mean), Unit::kNanoseconds},
      {"step_time_stddev", "step time, std dev", time(total.deviation), Unit::kNanoseconds},
      {"steps", "steps of all ranks", marked ? total.steps : 0, Unit::kCount},
      {"device_compute_ratio",
       Say("{category}, % of step time", TitleOf(StepCategory::kDeviceCompute, facts)),
       Ratio(sum.Compute(), sum.Total()), Unit::kRatio},
  };
}

Phrase WhyNoSteps(const Facts& facts) {
  if (facts.selected.empty()) return kNothingRecorded;
  return facts.no_work.empty() ? Phrase("no selected step is complete") : Phrase(facts.no_work);
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kOverview, facts);
  const std::vector<RankSteps>& ranks = RankStepsOf(facts);
  if (ranks.empty()) {
    MakeUnavailable(report, WhyNoSteps(facts));
    return report;
  }
  // Without device activity the host side remains.
  if (report.status == Status::kUnavailable) report.status = Status::kPartial;
  const bool marked = !ranks.front().whole_recording;
  const bool has_work = !facts.devices.empty();
  const StepStatistics total = StatisticsOfTotals(ranks);
  const StepBreakdown sum = SumOf(ranks);
  const TypicalSteps& typical = TypicalStepsOf(facts);
  const std::optional<Lead> lead = FindLead(facts);
  report.headline = (lead ? lead->message + " " : Phrase()) + Headline(facts, ranks, typical) +
                    SayBeforeSteps(facts, ranks) + SayUnrecorded(facts, typical.ranks);
  AddMissingKernels(facts, report);
  AddMissingCommunication(facts, report);
  if (PurposeOfJob(facts) == Purpose::kInference) report.headline += " The job is inference.";
  AddStepMetrics(facts, total, typical.median, sum, marked, report);
  report.headline += AddEvaluation(facts, report);
  const OperatorUse use = UseOfOperators(facts);
  AddPlacement(use, has_work, report);
  AddPrecision(sum, report);
  AddUtilization(facts, report);
  AddEnvironment(facts, report);
  report.tables.push_back(CategoryTable(facts, ranks, total, marked));
  report.tables.push_back(DeviceTable(facts, ranks));
  report.tables.push_back(OperatorTable(facts, use));
  report.tables.push_back(StepTable(facts, ranks, typical.ranks));
  report.tables.push_back(RoleTable(facts, ranks));
  report.tables.push_back(LaunchTable(facts));
  AddConcurrentThread(facts, typical.ranks, lead, report);
  AddFindings(facts, StepsToMend(facts), has_work, lead, report);
  AddStartupFinding(facts, ranks, report);
  AddAllocationFinding(facts, typical.ranks, report);
  AddManyCalls(facts, ranks, report);
  AddWithinOperators(facts, ranks, report);
  AddAnomalyDetection(facts, ranks, report);
  AddDouble(facts, ranks, report);
  AddLongOperator(facts, ranks, report);
  AddPrecisionFinding(facts, ranks, sum, report);
  if (std::ranges::any_of(facts.ranks, &RankActivity::assumed_on_host)) {
    report.notes.push_back(
        {"processors_compute", 1,
         "the traces list no accelerator: operators are taken to compute on processors (an "
         "accelerator that the profiler does not list, such as MPS, is missed)",
         ""});
  }
  if (!marked) {
    report.notes.push_back({"no_steps", 1,
                            Say("no steps are marked: {how}, and record for longer than a step",
                                Say(kMarkSteps, facts)),
                            ""});
  }
  NotePartials(facts, report);
  return report;
}

}  // namespace
}  // namespace overview

const Analysis kOverview = {
    .name = "overview",
    .title = "Step overview",
    .label = "Step time",
    .group = AnalysisGroup::kOverview,
    .summary = "Step time, breakdown, precision, utilization",
    .doc = overview::kDoc,
    .needs = Wanted(kRankActivityNeeds | KindSet{Kind::kOperator}, true, true),
    .of_partials = OfPartials::kYes,
    .params = {},
    .run = &overview::Run,
};

}  // namespace stepscope
