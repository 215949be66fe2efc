// Builds the columns, statuses and sentences that several reports share.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "analyses/analysis.h"
#include "facts/derived/path_tree.h"
#include "facts/derived/python_time.h"
#include "facts/derived/step_categories.h"
#include "report/columns.h"

namespace stepscope {

// The key columns of a device: rank, window, device.
std::vector<Column> DeviceKeys();
std::vector<Cell> DeviceCells(const DeviceFacts& device);

// Appends a time column for each step category: "device_compute", ...
void AddCategoryColumns(Table& table);

// A table "tree" of paths, which the page draws as a flame graph. `what` is the title of names.
Table PathTable(std::string title, std::string what, std::vector<PathRow> paths);

// A report with name and title; unavailable or partial where ranks have no device activity.
Report StartReport(const Analysis& analysis, const Facts& facts);

// A hint in the terms of each framework; Say() picks the one that ran the job.
struct Advice {
  std::string_view pytorch, tensorflow, jax;
};
std::string Say(const Advice& advice, const Facts& facts);

// Advice that is the same in each framework.
constexpr Advice ForAll(std::string_view text) { return {text, text, text}; }

// A hint that depends on what the job is for. Where that is not known, it names nothing that only
// training or only inference has. An analysis that reads no operators knows it from annotations and
// kernels alone, and so less often.
struct AdviceByPurpose {
  Advice training, inference, unknown;
};
std::string Say(const AdviceByPurpose& advice, const Facts& facts);

// The hint where devices wait for the next batch.
inline constexpr Advice kLoadAheadInTraining{
    "load ahead: more DataLoader workers (num_workers), a larger prefetch_factor, "
    "persistent_workers=True, pin_memory=True; reduce work per sample",
    "load ahead: prefetch(tf.data.AUTOTUNE) last, num_parallel_calls, cache(); reduce work per "
    "sample; see input_pipeline for the slow stage",
    "load ahead: prefetch batches to the device in a separate thread, more loader workers; reduce "
    "work per sample"};
inline constexpr AdviceByPurpose kLoadAhead{
    kLoadAheadInTraining,
    ForAll("prepare requests ahead: read, tokenize and batch them in other threads or processes "
           "than the one that launches"),
    kLoadAheadInTraining};

// What a step category is due to; kNone for what devices are there to do.
CauseKind CauseOf(StepCategory category);

// What devices wait for in most of their time without activity, by the categories of steps; kNone
// where no analysis before has derived these: the recordings may lack what they need.
CauseKind CauseOfIdle(const Facts& facts);

// The command that shows clocks and temperature of the devices.
std::string_view CommandForClocks(const Facts& facts);

// Makes a report unavailable. `why` is a sentence without a final stop.
void MakeUnavailable(Report& report, std::string why);

// "93% of launches have no recorded kernel (428 of 460)". REQUIRES: facts.MostKernelsMissing().
std::string SayMissingKernels(const Facts& facts);

// Why nothing is said about communication where no activity is known as such: the job's ranks and
// the kernels that may be it, or that none was recorded. Without a final stop.
std::string NoCommunication(const Facts& facts);

// "; Python meanwhile: preprocess (video.py:42) 178 ms, lock.acquire in get (queue.py:180) 36 ms":
// the functions that took most of the windows, to follow the reason of a finding. Empty where none
// took a tenth of them, as where no frames were recorded.
// Times are those of all windows divided by `parts`: steps, or devices.
std::string SayPython(const FrameTimes& times, int64_t parts);
// The same, per step, of the moments in which no device of this rank ran anything.
std::string SayPythonWhileIdle(const Facts& facts, int64_t rank);

// " in Linear_0", " in Linear": the module, or class of modules, that has most of a kernel's time;
// empty where none has, or no modules are known.
std::string InModule(const Facts& facts, StringId kernel);

// How Python's functions are recorded.
inline constexpr Advice kRecordPython{
    "record with with_stack=True", "record with python_tracer_level=1",
    "record with python_tracer_level=1 (jax.profiler.ProfileOptions)"};

// Why nothing can be computed from traces that were read.
inline constexpr std::string_view kNothingRecorded =
    "the traces have neither device activity nor host operators";

// How a user marks steps.
inline constexpr std::string_view kMarkSteps =
    "mark steps with profiler.step() (PyTorch), tf.profiler.experimental.Trace (TensorFlow) or "
    "jax.profiler.StepTraceAnnotation (JAX)";

// Why launches cannot be analyzed.
inline constexpr std::string_view kNothingLinked =
    "no device activity has its launch call in the trace: record with ProfilerActivity.CPU too, so "
    "that runtime calls are included";

// "rank 3"; where a rank has several devices "rank 3 device 1", or "device 1" if it is the only
// rank.
std::string SayDevice(const DeviceFacts& device);

// Whether collectives are matched between ranks or between devices: "rank" or "device".
std::string_view ParticipantNoun(const Facts& facts);

// "rank 3", "device 3" where there is one rank with several devices, or "rank 1 device 3". `device`
// -1: the rank as a whole.
std::string SayPlace(const Facts& facts, int64_t rank, int64_t device);
std::string SayParticipant(const Facts& facts, const RankCollectives& participant);

// With a capital first letter, to begin a sentence.
std::string Capitalized(std::string text);

// Key columns of a participant, and their cells. The device is empty where the rank has no other.
std::vector<Column> ParticipantKeys();
std::vector<Cell> ParticipantCells(const RankCollectives& participant);

// Calls visit(device, measured) for every device; `measured` is measure(recording), made once for
// all devices of the recording.
template <class Measure, class Visit>
void ForEachDevice(const Facts& facts, const Measure& measure, const Visit& visit) {
  std::invoke_result_t<const Measure&, const RankActivity&> measured;
  const RankActivity* of = nullptr;
  for (const DeviceFacts& device : facts.devices) {
    if (device.rank != of) measured = measure(*device.rank);
    of = device.rank;
    visit(device, measured);
  }
}

}  // namespace stepscope
