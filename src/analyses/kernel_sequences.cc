// Finds kernel sequences to fuse or to capture in a graph: by operator, and repeated in a step.
#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/repeats.h"
#include "analyses/sequence_text.h"
#include "base/saturate.h"
#include "facts/activity/launched_by.h"
#include "facts/activity/names_containing.h"
#include "report/humanize.h"

namespace stepscope {
namespace kernel_sequences {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Which kernel sequences do operators launch, and which sequences repeat within a step? These are
candidates to fuse or to capture in a CUDA graph.

**Definition:** `sequences` covers each operator or annotation whose name contains `operator`, without another such one
around it. If `operator` is empty, it covers the outermost operators. A sequence is the names of all activities launched
inside, in order of start. Equal sequences of one name count together, over all ranks. `gpu_time` is the sum of
activities, `cpu_time` that of the operators' durations. `repeats` covers the stream with the most activity, in a
step of median length or the whole trace, for at most 20,000 kernels. It lists sequences of at least two kernels that recur
unchanged, most saved launches first. Repeats do not overlap one another.

**Limitations:** Not included are kernels that another thread launches for the operator, such as autograd's in
backward, and activities without a launch call in the trace.

**Interpretation:** Many repeats of short kernels are where torch.compile or a CUDA graph helps most. `gaps` is the
stream's idle time within them.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"operator", Parameter::Type::kText, "", Unit::kNone,
     "part of the operator or annotation name; empty: the outermost operators"},
    {"min_length", Parameter::Type::kInteger, "1", Unit::kCount, "omit shorter sequences"},
});

constexpr size_t kMostMined = 20'000;
constexpr size_t kRepeats = 10;
constexpr double kMinShare = 0.05;  // of the searched window
constexpr size_t kOftenEnough = 4;  // repeats, for a finding

using Names = std::vector<StringId>;

struct Sequence {
  StringId op = 0;
  Names kernels;
  bool operator==(const Sequence&) const = default;
};
struct HashOfSequence {
  size_t operator()(const Sequence& s) const { return HashOfNames(s.op, s.kernels); }
};
struct Sum {
  int64_t count = 0, gpu_time = 0, cpu_time = 0;
};
using Sequences = std::unordered_map<Sequence, Sum, HashOfSequence>;

// Marks names that contain `part`.
class Wanted {
 public:
  Wanted(const StringTable& names, std::string_view part)
      : any_operator_(part.empty()), named_(names, part) {}
  bool operator()(const HostRange& range) {
    return any_operator_ ? range.kind == Kind::kOperator : named_(range.name);
  }

 private:
  bool any_operator_;
  NamesContaining named_;
};

void AddRank(const RankActivity& rank, Wanted& wanted, Sequences& sequences) {
  const auto is_wanted = [&](const HostRange& range) { return wanted(range); };
  const auto launched = LaunchedBy(rank, FindOutermost(*rank.host, is_wanted));
  for (size_t i = 0; i < launched.size();) {
    LaunchedSequence sequence = NextSequence(rank, launched, i);
    const HostRange& range = rank.host->ranges[static_cast<size_t>(sequence.first.root)];
    Sum& sum = sequences[{range.name, std::move(sequence.kernels)}];
    ++sum.count;
    sum.gpu_time = AddSaturated(sum.gpu_time, sequence.gpu_time);
    sum.cpu_time = AddSaturated(sum.cpu_time, range.duration());
  }
}

Table SequencesTable(const Facts& facts, const Sequences& sequences, int64_t min_length) {
  Table table{
      .key = "sequences",
      .title = "Kernel sequences by operator",
      .columns = {KeyColumn("operator", "operator"), KeyColumn("sequence", "sequence"),
                  CountColumn("length", "kernels"), CountColumn("count", "count"),
                  TimeColumn("gpu_time", "device time"), TimeColumn("cpu_time", "host time")},
      .text_rows = 8};
  for (const auto& [sequence, sum] : sequences) {
    const auto length = static_cast<int64_t>(sequence.kernels.size());
    if (length < min_length) continue;
    table.rows.push_back({std::string((*facts.names)[sequence.op]),
                          SayKernels(facts, sequence.kernels), length, sum.count, sum.gpu_time,
                          sum.cpu_time});
  }
  const ColumnOf op(table, "operator"), sequence(table, "sequence"), count(table, "count"),
      time(table, "gpu_time");
  std::ranges::sort(table.rows, [&](const auto& a, const auto& b) {
    return std::tie(count(b), time(b), op(a), sequence(a)) <
           std::tie(count(a), time(a), op(b), sequence(b));
  });
  return table;
}

// The activities searched for repeats: one stream's, in one step.
struct Mined {
  const DeviceFacts* device = nullptr;
  uint32_t stream = 0;
  Cell step;
  std::vector<Activity> activities;
};

// Of the complete ones where there are any: an exception is nothing to judge the others by.
std::optional<size_t> MedianStep(const std::vector<Step>& steps) {
  std::vector<std::tuple<bool, int64_t, size_t>> order;  // the complete ones last
  for (size_t s = 0; s < steps.size(); ++s)
    order.emplace_back(steps[s].complete, SubtractSaturated(steps[s].end, steps[s].start), s);
  if (order.empty()) return std::nullopt;
  std::ranges::sort(order);
  const auto complete = std::ranges::count_if(steps, &Step::complete);
  const auto counted = complete > 0 ? complete : std::ssize(order);
  return std::get<2>(order[order.size() - 1 - static_cast<size_t>(counted - 1) / 2]);
}

Mined ChooseStretch(const Facts& facts) {
  Mined mined;
  size_t most = 0;
  const auto count = [](const RankActivity& rank) {
    std::vector<size_t> counts(rank.streams.size());
    for (const Activity& activity : rank.activities) ++counts[activity.stream];
    return counts;
  };
  ForEachDevice(facts, count, [&](const DeviceFacts& device, const std::vector<size_t>& counts) {
    for (const uint32_t s : device.rank->StreamsOf(device.device_index)) {
      if (counts[s] <= most) continue;
      most = counts[s];
      mined.device = &device;
      mined.stream = s;
    }
  });
  const RankActivity& rank = *mined.device->rank;
  const auto step = MedianStep(rank.steps);
  if (step) mined.step = rank.steps[*step].number;
  for (const Activity& activity : rank.activities) {
    const bool counts = !step || activity.step == static_cast<int32_t>(*step);
    if (!counts || activity.stream != mined.stream) continue;
    if (mined.activities.size() < kMostMined) mined.activities.push_back(activity);
  }
  return mined;
}

// Time of the repeats of a sequence: activity, and gaps of the stream within them.
struct StretchTime {
  int64_t activity = 0, gaps = 0;
};
StretchTime TimeOf(const Mined& mined, const Repeat& repeat) {
  StretchTime time;
  for (const size_t start : repeat.starts) {
    for (size_t i = start; i < start + repeat.length; ++i) {
      const Activity& activity = mined.activities[i];
      time.activity = AddSaturated(time.activity, activity.duration());
      if (i == start || activity.free_since == kNoTime) continue;
      time.gaps =
          AddSaturated(time.gaps, std::max<int64_t>(activity.start - activity.free_since, 0));
    }
  }
  return time;
}

// The kernels of a repeat and their time in all of its occurrences.
std::vector<std::pair<StringId, int64_t>> KernelsOf(const Mined& mined, const Repeat& repeat) {
  std::map<StringId, int64_t> times;
  for (const size_t start : repeat.starts) {
    for (size_t i = start; i < start + repeat.length; ++i) {
      int64_t& time = times[mined.activities[i].name];
      time = AddSaturated(time, mined.activities[i].duration());
    }
  }
  return {times.begin(), times.end()};
}

constexpr Advice kRunAsOne{
    "run the repeated kernels as one: torch.compile(mode=\"reduce-overhead\"), or capture them "
    "with "
    "torch.cuda.CUDAGraph; table repeats names them",
    "run the repeated kernels as one: tf.function with jit_compile=True, which fuses them; table "
    "repeats names them",
    "run the repeated kernels as one: jit all of them, or XLA command buffers "
    "(--xla_gpu_enable_command_buffer in XLA_FLAGS); table repeats names them"};

void AddFinding(Report& report, const Facts& facts, const Mined& mined, const Repeat& repeat,
                const StretchTime& time) {
  const int64_t whole = mined.activities.back().end - mined.activities.front().start;
  const double share =
      static_cast<double>(time.gaps) / static_cast<double>(std::max<int64_t>(whole, 1));
  // Between operators of a host are Python and waits, which other findings name.
  if (share < kMinShare || facts.OnHost()) return;
  report.findings.push_back(
      {.message =
           Say("Gaps in {repeats} repeats of {length} kernels are {share} of the searched window.",
               repeat.starts.size(), repeat.length, HumanRatio(share)),
       .because = Say("{gaps} of gaps vs {activity} of activity on {device}; kernels with the most "
                      "time: {kernels}",
                      HumanTime(static_cast<double>(time.gaps)),
                      HumanTime(static_cast<double>(time.activity)), SayDevice(*mined.device),
                      SayMost(facts, KernelsOf(mined, repeat))),
       .hint = Say(kRunAsOne, facts),
       .impact = std::min(time.gaps, mined.device->total.Idle()),  // other streams may fill gaps
       .table = "repeats",
       .cause = {CauseOfIdle(facts)},
       .extent = {whole}});
}

Table RepeatsTable(Report& report, const Facts& facts) {
  const Mined mined = ChooseStretch(facts);
  Names names;
  for (const Activity& activity : mined.activities) names.push_back(activity.name);
  Table table{
      .key = "repeats",
      .title = Say("Repeated kernel sequences on {device}, stream {stream}",
                   SayDevice(*mined.device), mined.device->rank->streams[mined.stream].stream),
      .columns = {KeyColumn("place", "position"),
                  {"step", "step"},
                  CountColumn("length", "kernels"),
                  CountColumn("count", "count"),
                  CountColumn("saved_launches", "saved launches"),
                  TimeColumn("gpu_time", "device time"),
                  TimeColumn("gaps", "gaps"),
                  {"sequence", "sequence"}},
      .text_rows = 5};
  const Repeat* best = nullptr;
  StretchTime best_time;
  const auto repeats = FindRepeats(names, kRepeats);
  for (size_t r = 0; r < repeats.size(); ++r) {
    const Repeat& repeat = repeats[r];
    const StretchTime time = TimeOf(mined, repeat);
    const auto first = names.begin() + static_cast<std::ptrdiff_t>(repeat.starts[0]);
    const Names kernels(first, first + static_cast<std::ptrdiff_t>(repeat.length));
    const auto times = static_cast<int64_t>(repeat.starts.size());
    const auto length = static_cast<int64_t>(repeat.length);
    table.rows.push_back({static_cast<int64_t>(r + 1), mined.step, length, times,
                          times * (length - 1), time.activity, time.gaps,
                          SayKernels(facts, kernels)});
    const bool often = repeat.starts.size() >= kOftenEnough;
    if (!often || (best != nullptr && time.gaps <= best_time.gaps)) continue;
    best = &repeat;
    best_time = time;
  }
  if (best != nullptr) AddFinding(report, facts, mined, *best, best_time);
  return table;
}

Phrase Headline(const Table& sequences, const Table& repeats) {
  if (!repeats.rows.empty()) {
    const auto& row = repeats.rows[0];
    return Say("A sequence of {length} kernels repeats {count} times in a step.",
               ColumnOf(repeats, "length").Int(row), ColumnOf(repeats, "count").Int(row));
  }
  return Say("Operators launch {sequences} of kernels; none repeats within a step.",
             Plural(sequences.rows.size(), "different sequence"));
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kKernelSequences, facts);
  if (report.status == Status::kUnavailable) return report;
  Wanted wanted(*facts.names, params.Text("operator"));
  Sequences sequences;
  for (const RankActivity& rank : facts.ranks) AddRank(rank, wanted, sequences);
  Table table = SequencesTable(facts, sequences, params.Integer("min_length"));
  Table repeats = RepeatsTable(report, facts);
  report.headline = Headline(table, repeats);
  report.tables.push_back(std::move(table));
  report.tables.push_back(std::move(repeats));
  return report;
}

}  // namespace
}  // namespace kernel_sequences

const Analysis kKernelSequences = {
    .name = "kernel_sequences",
    .title = "Kernel sequences",
    .label = "Sequences",
    .group = AnalysisGroup::kDevice,
    .summary = "Repeats to fuse or capture",
    .doc = kernel_sequences::kDoc,
    .needs = kRankActivityNeeds | KindSet{Kind::kOperator},
    .params = kernel_sequences::kParams,
    .run = &kernel_sequences::Run,
};

}  // namespace stepscope
