// Reports input wait per step and the pipeline stage responsible for it.
#include "facts/steps/input_pipeline.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/changes.h"
#include "analyses/input_pipeline_advice.h"
#include "analyses/input_pipeline_steps.h"
#include "analyses/input_pipeline_workers.h"
#include "analyses/kinds.h"
#include "analyses/partial_note.h"
#include "analyses/thread_wait.h"
#include "analyses/uneven_ranks.h"
#include "base/saturate.h"
#include "facts/derived/python/other_threads.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/steps/of_partials.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/derived/steps/step_changes.h"
#include "report/humanize.h"
#include "report/period_of_steps.h"

namespace stepscope {
namespace input_pipeline {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Do steps wait for input, and which stage of the pipeline causes it?

**Definition:** `input_ratio` is input wait as a share of step time, the category "input" of `overview`: waiting
for the next batch (`IteratorGetNext`, `__next__` of a PyTorch DataLoader) or copying to the device without
compute. From 20% a job is input-bound, from 5% moderately input-bound. On the host, pipeline operations are grouped
by purpose. `total` is their time, `self` excludes pipeline operations inside. Times in `host` are self times. Where
data is enqueued while the device computes, they are scaled to the input wait, as in the TensorFlow Profiler. `stages`
divides the time in which a pipeline was waited for. A stage gets the time in which it was producing a
batch and not waiting for an earlier stage. These times sum to the wait.

A thread of the same process may load data in Python that no operation marks. Where the training thread waits for a lock, as
of a queue, for 5% of step time, while another thread works for half of that or more, both functions are named.

Where Python's calls were recorded and less than a quarter of the wait for a loader's workers is in calls that wait
(poll, acquire), the workers keep up: the time goes into receiving their batches.

**Limitations:** Worker processes of a PyTorch DataLoader are other processes and are not in the trace. Stages of
tf.data are recorded from host_tracer_level 2.

**Interpretation:** Start with the stage that has most of the wait. If the job is not input-bound, a slow
stage costs nothing yet.
)md";

constexpr double kBound = 0.20;
constexpr double kModerately = 0.05;
constexpr double kOthersMayHide = 0.03;
constexpr double kStandsOut = 0.5;  // of the time between operators, in one function

struct Totals {
  int64_t steps = 0;
  int64_t total = 0;  // ns, of all steps
  int64_t input = 0;
  int64_t enqueue = 0;  // of input: copies to the device
  int64_t others = 0;
};

Totals AddUp(const std::vector<RankSteps>& ranks) {
  const StepBreakdown sum = SumOf(ranks);
  Totals t{.total = sum.Total(),
           .input = TimeOf(sum, StepCategory::kInput),
           .enqueue = sum.Of(StepPart::kHostToDevice),
           .others = TimeOf(sum, StepCategory::kOther)};
  for (const RankSteps& rank : ranks) t.steps += static_cast<int64_t>(rank.steps.size());
  return t;
}

// A wait for another thread may be for input that no range marks.
std::string Classify(const Totals& t, bool marked, bool waits_for_thread) {
  if (!marked || t.total == 0) return "unknown";
  const double share = static_cast<double>(t.input) / static_cast<double>(t.total);
  if (share >= kBound) return "input-bound";
  if (share < kModerately && waits_for_thread) return "unknown";
  return share >= kModerately ? "moderately input-bound" : "not input-bound";
}

// ns per category over all ranks. Enqueuing during compute costs nothing, so the other categories
// are scaled to the share of the wait that is not enqueuing.
std::array<double, kInputCategories> HostTimes(const std::vector<RankInput>& inputs,
                                               const Totals& t) {
  std::array<double, kInputCategories> raw{};
  double others = 0;
  for (const RankInput& input : inputs) {
    for (const InputOperator& op : input.activity.operators) {
      raw[static_cast<size_t>(op.category)] += static_cast<double>(op.self);
      if (op.category != InputCategory::kEnqueuing) others += static_cast<double>(op.self);
    }
  }
  const double enqueue = raw[static_cast<size_t>(InputCategory::kEnqueuing)];
  const double share =
      t.total == 0 ? 0
                   : std::min(1.0, static_cast<double>(t.enqueue) / static_cast<double>(t.total));
  if (enqueue <= 0 || share <= 0 || others <= 0) return raw;
  const double scale = enqueue * (1 - share) / share / others;
  for (size_t c = 0; c < kInputCategories; ++c) {
    if (c != static_cast<size_t>(InputCategory::kEnqueuing)) raw[c] *= scale;
  }
  return raw;
}

Table HostTable(const std::array<double, kInputCategories>& times) {
  Table table{.key = "host",
              .title = "Input time by category",
              .columns = {Words(KeyColumn("category", "category")), TimeColumn("time", "time"),
                          RatioColumn("ratio", "% of total")}};
  AddKindColumn(table);
  double sum = 0;
  for (const double time : times) sum += time;
  if (sum == 0) table.text_rows = 0;
  for (size_t c = 0; c < kInputCategories; ++c) {
    table.rows.push_back({std::string(InputCategoryName(static_cast<InputCategory>(c))),
                          ToInt64(times[c]), sum > 0 ? Cell(times[c] / sum) : Cell(),
                          KindCell(KindOf(static_cast<InputCategory>(c)))});
  }
  return table;
}

Table OperatorTable(const Facts& facts, const std::vector<RankInput>& inputs) {
  Table table{.key = "operators",
              .title = "Pipeline operations",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("window", "window"),
                          KeyColumn("name", "operation"), Words({"category", "category"}),
                          CountColumn("count", "calls"), TimeColumn("total", "total"),
                          TimeColumn("self", "self")},
              .text_rows = 8};
  for (const RankInput& input : inputs) {
    for (const InputOperator& op : input.activity.operators) {
      table.rows.push_back(
          {input.rank->rank, input.rank->window, std::string((*facts.names)[op.name]),
           std::string(InputCategoryName(op.category)), op.count, op.total, op.self});
    }
  }
  return table;
}

Table StageTable(const Facts& facts, const std::vector<RankInput>& inputs) {
  Table table{.key = "stages",
              .title = "Stages by wait time",
              .columns = {KeyColumn("rank", "rank"),
                          KeyColumn("window", "window"),
                          Detail(KeyColumn("stage", "number")),
                          {"name", "stage"},
                          Detail({"type", "type"}),
                          CountColumn("calls", "calls"),
                          TimeColumn("longest", "max"),
                          TimeColumn("waited", "wait time"),
                          RatioColumn("ratio", "% of wait time")},
              .text_rows = 6};
  SetKinds(table, {{"waited", ColumnKind::kInput}});
  for (const RankInput& input : inputs) {
    int64_t number = 0;
    for (const PipelineStage& stage : input.activity.stages) {
      table.rows.push_back({input.rank->rank, input.rank->window, number++,
                            std::string((*facts.names)[stage.name]), stage.type, stage.calls,
                            stage.longest, stage.waited,
                            Ratio(stage.waited, input.activity.waited)});
    }
  }
  return table;
}

// The rank whose first stage has the longest wait; null where none waits.
const RankInput* SlowestRank(const std::vector<RankInput>& inputs) {
  const RankInput* slowest = nullptr;
  int64_t most = 0;
  for (const RankInput& input : inputs) {
    if (input.activity.stages.empty() || input.activity.stages.front().waited <= most) continue;
    slowest = &input;
    most = input.activity.stages.front().waited;
  }
  return slowest;
}

// The stage with the longest wait on any rank, or null.
const PipelineStage* SlowestStage(const std::vector<RankInput>& inputs) {
  const RankInput* slowest = SlowestRank(inputs);
  return slowest == nullptr ? nullptr : &slowest->activity.stages.front();
}

// "; cause: stage TFRecord (671 ms in 12 calls on rank 1, max 81.7 ms)"; the stage is the cause
// where no function of Python's is known.
Phrase SayStage(const Facts& facts, const RankInput& slowest, bool is_cause) {
  const bool several = !HasOneRank(facts);
  const PipelineStage& stage = slowest.activity.stages.front();
  const Phrase name = Phrase::Name(std::string((*facts.names)[stage.name]));
  Phrase calls = Plural(static_cast<size_t>(stage.calls), "call");
  if (several) calls = Say("{calls} on rank {rank}", calls, slowest.rank->rank);
  const std::string time = HumanTime(static_cast<double>(stage.waited));
  const std::string longest = HumanTime(static_cast<double>(stage.longest));
  return is_cause ? Say("; cause: stage {stage} ({time} in {calls}, max {longest})", name, time,
                        calls, longest)
                  : Say("; stage {stage} ({time} in {calls}, max {longest})", name, time, calls,
                        longest);
}

InputCategory CategoryOf(const std::vector<RankInput>& inputs, StringId name) {
  for (const RankInput& input : inputs) {
    const auto op = std::ranges::find(input.activity.operators, name, &InputOperator::name);
    if (op != input.activity.operators.end()) return op->category;
  }
  return InputCategory::kOther;
}

// ", mostly in collate (data.py:14)": where one function has half of the wait.
Phrase SayMostly(const FrameTimes& python) {
  constexpr double kHalf = 0.5;
  const auto most = python.Leaders(1, kHalf);
  return most.empty() ? Phrase() : Say(", mostly in {function}", SayLeader(most.front()));
}

// Since when one rank waits longer: ", 5.70 ms per step before step 10 and 24.3 ms since".
Phrase SayRise(const std::vector<RankSteps>& ranks) {
  if (ranks.size() != 1) return {};
  std::vector<int64_t> numbers, times;
  for (const StepBreakdown& step : ranks.front().steps) {
    numbers.push_back(step.window.number);
    times.push_back(TimeOf(step, StepCategory::kInput));
  }
  return stepscope::SayRise(numbers, times);
}

// `waits`: of it, ns in which the training threads wait for a batch.
Phrase SayPerStep(const Totals& t, std::optional<int64_t> waits) {
  const double steps = static_cast<double>(std::max<int64_t>(t.steps, 1));
  const std::string time = HumanTime(static_cast<double>(t.input) / steps);
  if (!waits) return Say("{time} per step waiting for the next batch or copying it", time);
  return Say("{time} per step receiving the next batch, {wait} of it waiting for a worker", time,
             HumanTime(static_cast<double>(*waits) / steps));
}

// Of typical steps: those of the first sentence.
void AddFinding(const Facts& facts, const std::vector<RankInput>& inputs,
                const std::vector<RankSteps>& all_ranks, Report& report) {
  const Totals all = AddUp(all_ranks);
  if (Share(all.input, all.total) < kModerately) return;
  const UnevenRanks uneven = FindUnevenRanks(all_ranks, StepCategory::kInput);
  const std::vector<RankSteps> ranks = RanksThatCount(facts, all_ranks, uneven);
  const bool some = ranks.size() < all_ranks.size();
  std::optional<int64_t> rank;
  if (some && uneven.ranks.size() == 1) rank = uneven.ranks.front();
  if (const auto own = RankBehindChange(facts, all_ranks, CauseKind::kInput)) rank = own;
  const Totals t = AddUp(ranks);
  const auto steps = std::max<double>(static_cast<double>(t.steps), 1);
  const auto count = static_cast<double>(ranks.size());
  const std::string share = HumanRatio(Share(t.input, t.total));
  const RankInput* slowest = SlowestRank(inputs);
  const PipelineStage* stage = slowest == nullptr ? nullptr : &slowest->activity.stages.front();
  const bool copies = stage == nullptr && t.enqueue > t.input / 2;
  const Phrase what = copies ? "Copying to the device" : "Input wait";
  const FrameTimes python = PythonDuring(facts, ranks, StepCategory::kInput);
  const Phrase functions = SayPython(python, t.steps);
  const InputCategory category =
      stage == nullptr ? InputCategory::kOther : CategoryOf(inputs, stage->name);
  // Where workers load, the functions of this process only wait for them.
  const bool stage_first = functions.empty() || category == InputCategory::kLoaderWorkers;
  const auto waits = category == InputCategory::kLoaderWorkers
                         ? WaitsWhileWorkersKeepUp(facts, ranks)
                         : std::nullopt;
  const Phrase mostly = waits         ? Phrase(", though the loader workers keep up")
                        : stage_first ? Phrase()
                                      : SayMostly(python);
  const Phrase rise = waits || StepChangesOf(facts).Told() != nullptr ? Phrase() : SayRise(ranks);
  Finding finding{.message = some ? Say("{what} is {share} of step time on {ranks}{mostly}{rise}.",
                                        what, share, SayRanks(uneven.ranks), mostly, rise)
                                  : Say("{what} is {share} of step time{mostly}{rise}.", what,
                                        share, mostly, rise),
                  .because = SayPerStep(t, waits),
                  .hint = copies ? Say(kCopyAhead, facts) : Say(kLoadAhead, facts),
                  .impact = t.input / std::ssize(ranks),
                  .table = "host",
                  .cause = {copies ? CauseKind::kCopies : CauseKind::kInput, rank},
                  // What others wait for the rank is nearer.
                  .nearness = rank || waits ? Nearness::kPart : Nearness::kCause,
                  .extent = {t.total / std::ssize(ranks), steps / count}};
  if (waits) finding.at_most = Severity::kMedium;
  if (!stage_first) finding.because += functions;
  if (stage != nullptr) {
    finding.because += SayStage(facts, *slowest, stage_first);
    finding.hint = waits ? kReceiveLess : AdviceOf(*stage, category);
    finding.table = "stages";
    finding.where.event = Phrase::Name(std::string((*facts.names)[stage->name]));
  }
  if (stage_first) finding.because += functions;
  if (const auto most = python.Leaders(1); finding.where.event.empty() && !most.empty())
    finding.where.event = Phrase::Name(LabelOf(most.front().name));
  report.findings.push_back(std::move(finding));
}

void AddThreadFinding(const Facts& facts, const ThreadWait& wait, Report& report) {
  const auto own = std::ranges::find(StepsToMend(facts), wait.rank, &RankSteps::rank);
  const bool several = !HasOneRank(facts);
  report.findings.push_back(
      {.message = SayThreadWait(facts, wait),
       .because = Say(
           "it runs for {time} per step of that time in {thread}",
           HumanTime(static_cast<double>(wait.works.time) / static_cast<double>(own->steps.size())),
           Phrase::Name(wait.thread)),
       .hint = "make that function faster, or run it in more threads or processes (DataLoader with "
               "num_workers)",
       .impact = wait.waits.time,
       .table = "host",
       // What makes the steps of one process longer is this.
       .cause = {CauseKind::kHost,
                 several ? std::optional(wait.rank->rank) : CauseOfChange(facts).rank},
       .nearness = Nearness::kCause,
       .extent = {wait.whole},
       .since = SinceRise(facts),
       .where = {.event = Phrase::Name(LabelOf(wait.waits.name))}});
}

// In the words of the overview.
Phrase SayOthers(const Facts& facts, const std::vector<RankSteps>& ranks, double share) {
  if (!RecordedPython(facts))
    return Say("{share} is unrecorded and may contain reading or Python", HumanRatio(share));
  const Phrase largest = LargestFrame(PythonDuring(facts, ranks, StepCategory::kOther), kStandsOut);
  if (largest.empty())
    return Say("{share} is Python between operators and may contain reading", HumanRatio(share));
  return Say(
      "{share} is Python between operators and may contain reading: most of it is in {function}",
      HumanRatio(share), largest);
}

Phrase Headline(const std::string& classification, const Totals& t,
                const std::vector<RankSteps>& ranks, const Facts& facts,
                const std::vector<RankInput>& inputs) {
  const bool marked = !ranks.front().whole_recording;
  const double share =
      t.total == 0 ? 0 : static_cast<double>(t.input) / static_cast<double>(t.total);
  const double others =
      t.total == 0 ? 0 : static_cast<double>(t.others) / static_cast<double>(t.total);
  Phrase text = marked ? Say("The job is {classification}: input wait is {share} of step time",
                             classification, HumanRatio(share))
                       : Say("No steps are marked, so it is unknown whether the job is "
                             "input-bound; input is {share} of the trace",
                             HumanRatio(share));
  const PipelineStage* stage = SlowestStage(inputs);
  if (stage != nullptr && share >= kModerately)
    text += Say(", mostly stage {stage}", Phrase::Name(std::string((*facts.names)[stage->name])));
  if (marked && share < kModerately && others >= kOthersMayHide)
    text += Phrase("; ") + SayOthers(facts, ranks, others);
  return text + ".";
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kInputPipeline, facts);
  const std::vector<RankSteps>& ranks = RankStepsOf(facts);
  if (ranks.empty()) {
    MakeUnavailable(report, std::string(kNothingRecorded));
    return report;
  }
  // Without device activity the host side remains.
  if (report.status == Status::kUnavailable) report.status = Status::kPartial;
  std::vector<RankInput> inputs;
  for (const RankSteps& rank : ranks)
    inputs.push_back(
        {rank.rank, InputPipelineOf(*rank.rank, *facts.names, !facts.selected.empty())});
  const bool marked = !ranks.front().whole_recording;
  const Totals totals = AddUp(ranks);
  const std::optional<ThreadWait>& wait = ThreadWaitOf(facts);
  const std::string classification = Classify(totals, marked, wait.has_value());
  const PipelineStage* slowest = SlowestStage(inputs);
  report.headline =
      marked && wait && classification == "unknown"
          ? Phrase("It is unknown whether the job is input-bound. ") + SayThreadWait(facts, *wait)
          : Headline(classification, totals, ranks, facts, inputs);
  report.metrics = {{"input_ratio", "input wait, % of step time", Ratio(totals.input, totals.total),
                     Unit::kRatio},
                    {"classification", "classification", classification, Unit::kNone},
                    {"bottleneck", "slowest stage",
                     slowest == nullptr ? Cell() : Cell(std::string((*facts.names)[slowest->name])),
                     Unit::kNone}};
  if (!IsOfPartials(facts)) {
    report.tables.push_back(StageTable(facts, inputs));
    report.tables.push_back(HostTable(HostTimes(inputs, totals)));
    report.tables.push_back(OperatorTable(facts, inputs));
  }
  if (marked) AddInputSteps(report, ranks, inputs);
  if (marked) AddFinding(facts, inputs, StepsToMend(facts), report);
  if (marked && wait) AddThreadFinding(facts, *wait, report);
  NotePartials(facts, report);
  return report;
}

}  // namespace
}  // namespace input_pipeline

const Analysis kInputPipeline = {
    .name = "input_pipeline",
    .title = "Input pipeline",
    .label = "Input",
    .group = AnalysisGroup::kHost,
    .summary = "Input wait and the stage responsible",
    .doc = input_pipeline::kDoc,
    .needs = Wanted(kRankActivityNeeds | KindSet{Kind::kOperator}, true, true),
    .of_partials = OfPartials::kYes,
    .params = {},
    .run = &input_pipeline::Run,
};

}  // namespace stepscope
