// Whether steps wait for input, and what in the pipeline they wait for.
#include "facts/steps/input_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "analyses/all.h"
#include "analyses/build.h"
#include "facts/derived/on_demand.h"
#include "facts/derived/step_categories.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr std::string_view kDoc = R"md(
**Answers:** do steps wait for input, and which stage of the pipeline is it that they wait for?

**Counts:** input_ratio is the share of step time in which the step waits for the next batch
(`IteratorGetNext`, a PyTorch DataLoader's `__next__`) or only copies to the device: the categories of
`overview`. 20 % and more is input-bound, 5 % moderately. On the host, operations of the pipeline are
sorted by what they are for; `total` is their time, `self` without operations of the pipeline within. The
times of `host` are self times, scaled where data is enqueued for the device while it computes, so that
they match what the step is held up (the TensorFlow Profiler's rule). `stages` shares the time in which a
pipeline was waited for among its stages: a stage has what it took while it was asked for a batch and did
not wait for a stage before it. Those add up to the waiting.

**Cannot see:** what worker processes of a PyTorch DataLoader do; they are other processes. Stages of
tf.data are recorded from host_tracer_level 2 on.

**Read it so:** start with the stage that has most of the waiting. Where the program is not input-bound, a
slow stage costs nothing yet.
)md";

constexpr double kBound = 0.20;
constexpr double kModerately = 0.05;
constexpr double kOthersMayHide = 0.03;

struct Totals {
  int64_t steps = 0;
  int64_t total = 0;  // ns of all steps
  int64_t input = 0;
  int64_t enqueue = 0;  // of input: copying to the device
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

std::string Classify(const Totals& t, bool marked) {
  if (!marked || t.total == 0) return "unknown";
  const double share = static_cast<double>(t.input) / static_cast<double>(t.total);
  if (share >= kBound) return "input-bound";
  return share >= kModerately ? "moderately input-bound" : "not input-bound";
}

struct Advice {
  std::string_view about;  // a stage's type, or the beginning of it
  std::string_view message;
};

// For stages of tf.data, by their type; then for categories.
constexpr auto kStageAdvice = std::to_array<Advice>({
    {"Map",
     "let it work on several elements at once: map(..., num_parallel_calls=tf.data.AUTOTUNE), "
     "or do its work before training, or batch first and vectorise it; "
     "tf.py_function and tf.numpy_function hold Python's lock and do not run in parallel"},
    {"ParallelMap",
     "raise num_parallel_calls if cores are free, make the function cheaper, or do its "
     "work before training"},
    {"Interleave",
     "read several files at once: interleave(..., num_parallel_calls=tf.data.AUTOTUNE)"},
    {"Filter", "filter before training, or before costly stages"},
    {"Batch", "batch in parallel: batch(..., num_parallel_calls=tf.data.AUTOTUNE)"},
    {"Shuffle", "shuffle file names instead of elements, or use a smaller buffer"},
    {"Prefetch", "its buffer runs empty: the stages before it are too slow together"},
    {"TFRecord",
     "read several files at once, and ahead: interleave, prefetch, a larger buffer_size"},
    {"TextLine",
     "read several files at once, and ahead: interleave, prefetch, a larger buffer_size"},
    {"Generator",
     "Python makes the elements one by one: move the work into tf.data, or write files"},
});

std::string_view AdviceOf(InputCategory category) {
  switch (category) {
    case InputCategory::kEnqueuing:
      return "combine small input chunks into fewer, larger ones";
    case InputCategory::kPreprocessing:
      return "raise num_parallel_calls of the dataset's map, or preprocess before training";
    case InputCategory::kReadInAdvance:
      return "tune the size of the prefetch buffer, cycle_length of interleave, and the reader's "
             "buffer_size";
    case InputCategory::kReadOnDemand:
      return "read in advance: prefetch, interleave, a reader's buffer";
    case InputCategory::kLoaderWorkers:
      return "more workers (num_workers), a higher prefetch_factor, persistent_workers=True, and "
             "less "
             "work per sample in the dataset";
    case InputCategory::kOther:
    case InputCategory::kCount:
      break;
  }
  return "use tf.data or a DataLoader with workers for the part of the pipeline that is not in it";
}

std::string_view AdviceOf(const PipelineStage& stage, InputCategory category) {
  if (stage.type == "DataLoader") {
    return category == InputCategory::kLoaderWorkers
               ? AdviceOf(category)
               : "the training process loads the data itself: set num_workers > 0, so that worker "
                 "processes load ahead, and pin_memory=True";
  }
  const auto by_type = [&](bool exact) {
    return std::ranges::find_if(kStageAdvice, [&](const Advice& a) {
      return exact ? stage.type == a.about : stage.type.starts_with(a.about);
    });
  };
  const auto* advice = by_type(true);
  if (advice == kStageAdvice.end()) advice = by_type(false);
  return advice == kStageAdvice.end() ? AdviceOf(category) : advice->message;
}

struct RankInput {
  const RankActivity* rank = nullptr;
  InputPipeline activity;
};

// ns of each category over all ranks, scaled: while the device computes, enqueuing costs nothing,
// so what the pipeline does beside it is cut to the share it has of the waiting.
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
              .title = "What hosts do to prepare input",
              .columns = {KeyColumn("category", "category"), TimeColumn("time", "time"),
                          RatioColumn("ratio", "of all")}};
  double sum = 0;
  for (const double time : times) sum += time;
  if (sum == 0) table.text_rows = 0;
  for (size_t c = 0; c < kInputCategories; ++c) {
    table.rows.push_back({std::string(InputCategoryName(static_cast<InputCategory>(c))),
                          static_cast<int64_t>(std::min(times[c], 9e18)),
                          sum > 0 ? Cell(times[c] / sum) : Cell()});
  }
  return table;
}

Table OperatorTable(const Facts& facts, const std::vector<RankInput>& inputs) {
  Table table{.key = "operators",
              .title = "Operations of the pipeline",
              .columns = {KeyColumn("rank", "rank"),
                          KeyColumn("window", "window"),
                          KeyColumn("name", "operation"),
                          {"category", "category"},
                          CountColumn("count", "calls"),
                          TimeColumn("total", "total"),
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
              .title = "What the pipeline was waited for",
              .columns = {KeyColumn("rank", "rank"),
                          KeyColumn("window", "window"),
                          KeyColumn("stage", "number"),
                          {"name", "stage"},
                          {"type", "type"},
                          CountColumn("calls", "calls"),
                          TimeColumn("longest", "longest"),
                          TimeColumn("waited", "waited"),
                          RatioColumn("ratio", "of the waiting")},
              .text_rows = 6};
  table.columns[2].detail = table.columns[4].detail = true;
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

// The stage that is waited for longest on any rank, or null.
const PipelineStage* SlowestStage(const std::vector<RankInput>& inputs) {
  const PipelineStage* slowest = nullptr;
  for (const RankInput& input : inputs) {
    if (input.activity.stages.empty()) continue;
    const PipelineStage& first = input.activity.stages.front();
    if (slowest == nullptr || first.waited > slowest->waited) slowest = &first;
  }
  return slowest == nullptr || slowest->waited == 0 ? nullptr : slowest;
}

InputCategory CategoryOf(const std::vector<RankInput>& inputs, StringId name) {
  for (const RankInput& input : inputs) {
    const auto op = std::ranges::find(input.activity.operators, name, &InputOperator::name);
    if (op != input.activity.operators.end()) return op->category;
  }
  return InputCategory::kOther;
}

void AddFinding(const Facts& facts, const std::vector<RankInput>& inputs, const Totals& t,
                size_t ranks, Report& report) {
  const double share =
      t.total == 0 ? 0 : static_cast<double>(t.input) / static_cast<double>(t.total);
  if (share < kModerately) return;
  Finding finding{
      .severity = share >= kBound ? Severity::kHigh : Severity::kMedium,
      .message = fmt::format("Steps wait for input {} of their time.", HumanRatio(share)),
      .because = fmt::format("{} a step are spent waiting for the next batch or copying it",
                             HumanTime(static_cast<double>(t.input) /
                                       static_cast<double>(std::max<int64_t>(t.steps, 1)))),
      .hint =
          "load data in other threads or processes: a DataLoader with num_workers, tf.data with "
          "prefetch; pin memory and copy asynchronously",
      .impact = t.input / static_cast<int64_t>(std::max<size_t>(ranks, 1)),
      .table = "host"};
  if (const PipelineStage* stage = SlowestStage(inputs)) {
    const std::string name((*facts.names)[stage->name]);
    finding.because += fmt::format("; most of it is waiting for {} ({} in {}, the longest {})",
                                   name, HumanTime(static_cast<double>(stage->waited)),
                                   Plural(static_cast<size_t>(stage->calls), "call"),
                                   HumanTime(static_cast<double>(stage->longest)));
    finding.hint = AdviceOf(*stage, CategoryOf(inputs, stage->name));
    finding.table = "stages";
  }
  report.findings.push_back(std::move(finding));
}

std::string Headline(const std::string& classification, const Totals& t, bool marked,
                     const Facts& facts, const std::vector<RankInput>& inputs) {
  const double share =
      t.total == 0 ? 0 : static_cast<double>(t.input) / static_cast<double>(t.total);
  const double others =
      t.total == 0 ? 0 : static_cast<double>(t.others) / static_cast<double>(t.total);
  std::string text =
      marked ? fmt::format("The job is {}: {} of step time is input", classification,
                           HumanRatio(share))
             : fmt::format(
                   "Nothing marks steps, so whether input bounds them is unknown; {} of "
                   "what was recorded is input",
                   HumanRatio(share));
  const PipelineStage* stage = SlowestStage(inputs);
  if (stage != nullptr && share >= kModerately)
    text += fmt::format(", most of it {}", (*facts.names)[stage->name]);
  if (marked && share < kModerately && others >= kOthersMayHide) {
    text += fmt::format("; {} is nothing the profiler recorded, which may hide reading or Python",
                        HumanRatio(others));
  }
  return text + ".";
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kInputPipeline, facts);
  const std::vector<RankSteps>& ranks = OnDemand(facts).Steps(facts);
  if (ranks.empty()) {
    MakeUnavailable(report, "the traces hold neither work of devices nor operators of hosts");
    return report;
  }
  // Without work on devices the host's side remains.
  if (report.status == Status::kUnavailable) report.status = Status::kPartial;
  std::vector<RankInput> inputs;
  for (const RankSteps& rank : ranks)
    inputs.push_back({rank.rank, InputPipelineOf(*rank.rank, *facts.names)});
  const bool marked = !ranks.front().whole_recording;
  const Totals totals = AddUp(ranks);
  const std::string classification = Classify(totals, marked);
  const PipelineStage* slowest = SlowestStage(inputs);
  report.headline = Headline(classification, totals, marked, facts, inputs);
  report.metrics = {
      {"input_ratio", "of step time is input", Ratio(totals.input, totals.total), Unit::kRatio},
      {"classification", "the job is", classification, Unit::kNone},
      {"bottleneck", "slowest stage",
       slowest == nullptr ? Cell() : Cell(std::string((*facts.names)[slowest->name])),
       Unit::kNone}};
  report.tables.push_back(StageTable(facts, inputs));
  report.tables.push_back(HostTable(HostTimes(inputs, totals)));
  report.tables.push_back(OperatorTable(facts, inputs));
  if (marked) AddFinding(facts, inputs, totals, ranks.size(), report);
  return report;
}

}  // namespace

const Analysis kInputPipeline = {
    .name = "input_pipeline",
    .title = "Waiting for input",
    .doc = kDoc,
    .needs = Wanted(kRankActivityNeeds | KindSet{Kind::kOperator}, true, true),
    .params = {},
    .run = &Run,
};

}  // namespace stepscope
