// Derives the facts that analyses share.
#include "facts/facts.h"

#include <algorithm>
#include <set>

#include "base/stop.h"

namespace stepscope {
namespace {

void AddDevices(const RankActivity& rank, std::vector<DeviceFacts>& devices) {
  const size_t steps = rank.steps.size();
  struct Sweeps {
    OccupancySweep total;
    std::vector<OccupancySweep> by_step;
  };
  std::vector<Sweeps> sweeps(rank.devices.size());
  for (Sweeps& s : sweeps) s.by_step.resize(steps);
  StopChecks checks;
  for (const Activity& activity : rank.activities) {
    checks.Turn();
    Sweeps& s = sweeps[rank.streams[activity.stream].device_index];
    const unsigned bit = CombinationBit(activity.kind);
    s.total.Add(bit, activity.start, activity.end);
    if (activity.step != kNoStep)
      s.by_step[static_cast<size_t>(activity.step)].Add(bit, activity.start, activity.end);
  }
  for (size_t d = 0; d < sweeps.size(); ++d) {
    DeviceFacts device{
        &rank, rank.devices[d], static_cast<uint32_t>(d), sweeps[d].total.Finish(), {}};
    for (OccupancySweep& sweep : sweeps[d].by_step) device.by_step.push_back(sweep.Finish());
    if (device.total.any) devices.push_back(std::move(device));
  }
}

RecordedBy RecorderOf(std::span<const RankActivity> recorded) {
  return recorded.empty() ? RecordedBy::kFramework : recorded.front().recorded_by;
}

// How the framework's own profiler records devices.
std::string HowToRecordDevices(std::span<const RankActivity> recorded) {
  if (RecorderOf(recorded) == RecordedBy::kRocprof)
    return "record with `rocprofv3 --sys-trace`, or --kernel-trace at least";
  if (RecorderOf(recorded) == RecordedBy::kNsight)
    return "record with `nsys profile --trace=cuda,nvtx`";
  if (RecorderOf(recorded) == RecordedBy::kAscend)
    return "record with torch_npu.profiler.ProfilerActivity.NPU in activities";
  switch (recorded.empty() ? Framework::kPyTorch : recorded.front().framework) {
    case Framework::kTensorFlow:
      return "record where TensorFlow has a device, with tf.profiler.experimental.ProfilerOptions("
             "device_tracer_level=1)";
    case Framework::kJax:
      return "record where JAX has a device (jax.devices()), with device_tracer_level = 1 in "
             "jax.profiler.ProfileOptions";
    case Framework::kPyTorch:
      break;
  }
  return "record with ProfilerActivity.CUDA (NVIDIA, AMD) or ProfilerActivity.XPU (Intel) in "
         "activities";
}

// What marks steps in the framework's own profiles.
std::string HowToMarkSteps(std::span<const RankActivity> recorded) {
  const RecordedBy recorder = RecorderOf(recorded);
  if (recorder == RecordedBy::kRocprof || recorder == RecordedBy::kNsight)
    return "no range is named as a step (use torch.cuda.nvtx.range(\"step N\"))";
  switch (recorded.empty() ? Framework::kPyTorch : recorded.front().framework) {
    case Framework::kTensorFlow:
      return "no step is marked (use tf.profiler.experimental.Trace with step_num)";
    case Framework::kJax:
      return "no step is marked (use jax.profiler.StepTraceAnnotation)";
    case Framework::kPyTorch:
      break;
  }
  return "no ProfilerStep#N annotations (call profiler.step() in the training loop)";
}

std::string WhyNoActivity(std::span<const RankActivity> recorded, const StepSelection& selection,
                          std::string_view selection_text) {
  const bool recorded_some =
      std::ranges::any_of(recorded, [](const RankActivity& r) { return !r.activities.empty(); });
  if (!recorded_some) {
    return "no trace has device activity: " + HowToRecordDevices(recorded);
  }
  const std::string there_are = DescribeSteps(recorded);
  if (there_are == "none") {
    return "the traces hold no steps to select from: " + HowToMarkSteps(recorded) +
           ", so `steps` must be all";
  }
  if (selection.mode == StepSelection::Mode::kComplete) {
    return "no step is complete: recording stopped before the kernels of the last launches ran "
           "(steps "
           "in the traces: " +
           there_are + ")";
  }
  return "no device activity was launched in '" + std::string(selection_text) +
         "' (steps in the traces: " + there_are + ")";
}

std::string RanksWithoutWork(std::span<const RankActivity> ranks) {
  std::vector<int64_t> without;
  for (const RankActivity& rank : ranks) {
    if (rank.activities.empty() && !rank.memory_only) without.push_back(rank.rank);
  }
  if (without.empty()) return "";
  std::string text = without.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < std::min<size_t>(without.size(), 8); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(without[i]);
  }
  if (without.size() > 8) text += " and " + std::to_string(without.size() - 8) + " more";
  return text + (without.size() == 1 ? " has" : " have") + " no device activity in the selection";
}

// Where no activity has its launch, none can miss it.
LaunchCount AddUpLaunches(std::span<const RankActivity> ranks) {
  LaunchCount sum;
  for (const RankActivity& rank : ranks) {
    const LaunchCount& own = rank.launches;
    if (!rank.activities.empty() && own.without_kernel == own.calls) continue;
    sum.calls += own.calls;
    sum.without_kernel += own.without_kernel;
    sum.captured += own.captured;
  }
  return sum;
}

}  // namespace

bool Facts::HasSteps() const {
  return std::ranges::any_of(ranks, [](const RankActivity& r) { return !r.steps.empty(); });
}

double Facts::RecordingsOfARank() const {
  std::set<int64_t> numbers;
  for (const RankActivity& rank : ranks) numbers.insert(rank.rank);
  return static_cast<double>(ranks.size()) /
         static_cast<double>(std::max<size_t>(numbers.size(), 1));
}

bool Facts::OnHost() const { return std::ranges::any_of(ranks, &RankActivity::on_host); }

bool Facts::HostCommunicates() const {
  return std::ranges::any_of(ranks, &RankActivity::HasRecords);
}

Facts DeriveFacts(const StringTable& names, std::span<const RankActivity> ranks,
                  const StepSelection& selection, std::string_view selection_text) {
  Facts facts;
  facts.names = &names;
  facts.ranks = ranks;
  if (selection.mode != StepSelection::Mode::kAll) {
    for (const RankActivity& rank : ranks) {
      StopIfAsked();
      facts.selected.push_back(SelectSteps(rank, selection));
    }
    facts.ranks = facts.selected;
  }
  for (const RankActivity& rank : facts.ranks) AddDevices(rank, facts.devices);
  const bool one_rank = !ranks.empty() && ranks.front().rank == ranks.back().rank;
  for (DeviceFacts& device : facts.devices) device.one_rank = one_rank;
  facts.launches = AddUpLaunches(ranks);
  facts.kernels = MeasureKernels(facts.ranks, names.size());
  facts.collectives = DeriveCollectives(names, facts.ranks, ranks);
  if (facts.devices.empty()) {
    facts.no_work = WhyNoActivity(ranks, selection, selection_text);
  } else {
    facts.some_without_work = RanksWithoutWork(facts.ranks);
  }
  return facts;
}

}  // namespace stepscope
