// Builds the columns, statuses and sentences that several reports share.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "analyses/advice.h"
#include "analyses/analysis.h"
#include "facts/derived/operators/path_tree.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/steps/step_categories.h"
#include "report/columns.h"
#include "stepscope/phrase.h"

namespace stepscope {

// The parameter that all analyses with an MFU have; that of flops stands for those not given.
inline constexpr Parameter kPeakTflops{
    "peak_tflops",
    Parameter::Type::kNumber,
    "0",
    Unit::kNone,
    "peak of a device in TFLOP/s, for every type; 0: peak of the chip named in the trace",
    "flops.peak_tflops"};

// part / whole; 0 where there is no whole.
double Share(int64_t part, int64_t whole);

// The device of memory: "host" for a negative number.
Cell MemoryDeviceCell(int64_t device);

// The key columns of a device: rank, window, device.
std::vector<Column> DeviceKeys();
std::vector<Cell> DeviceCells(const DeviceFacts& device);

// "device compute"; where threads of the host are the device, "compute".
std::string_view TitleOf(StepCategory category, const Facts& facts);

// In a sentence, where the rest of the list is not seen: all others are "Python between operators",
// or "unrecorded time" where Python was not recorded.
std::string_view SayCategory(StepCategory category, const Facts& facts);

// "device_compute": the key of the category's column.
std::string CategoryKey(StepCategory category);

// Appends a time column for each step category: "device_compute", ...
void AddCategoryColumns(Table& table, const Facts& facts);

// A table "tree" of paths, which the page draws as a flame graph. `what` is the title of names.
Table PathTable(Phrase title, Phrase what, std::vector<PathRow> paths);

// A report with name and title; unavailable or partial where ranks have no device activity.
Report StartReport(const Analysis& analysis, const Facts& facts);

// What was measured in the steps of ranks. Where these cover less than half of the time, others
// were not marked, and the marked ones alone tell what each costs; else all of a rank's mean time.
Extent ExtentOfSteps(const Facts& facts);

// What a step category is due to; kNone for what devices are there to do.
CauseKind CauseOf(StepCategory category);

// What devices wait for in most of their time without activity, by the categories of steps but
// one-time work.
CauseKind CauseOfIdle(const Facts& facts);

// Makes a report unavailable. `why` is a sentence without a final stop.
void MakeUnavailable(Report& report, Phrase why);

// "93% of launches have no recorded kernel (428 of 460)". REQUIRES: facts.MostKernelsMissing().
Phrase SayMissingKernels(const Facts& facts);

// Why nothing is said about communication where no activity is known as such: the job's ranks and
// the kernels that may be it, or that none was recorded. Without a final stop.
Phrase NoCommunication(const Facts& facts);

// "preprocess (video.py:42)", "log_metrics (train.py:30, in sleep)", "next_batch (data.py:5, in get
// of queue.py)".
Phrase SayLeader(const FrameTimes::Leader& leader);
// "sleep", "get of queue.py": what a function runs in.
Phrase SayWithin(const FrameName& name);

// "; Python meanwhile: preprocess (video.py:42) 178 ms, log_metrics (train.py:30, in sleep) 36 ms":
// the functions that took most of the windows, to follow the reason of a finding. Empty where none
// took a tenth of them, as where no frames were recorded.
// Times are those of all windows divided by `parts`: steps, or devices.
Phrase SayPython(const FrameTimes& times, int64_t parts);
// The first of them: "log_metrics (train.py:30, in sleep)"; empty where it took less than `share`.
Phrase LargestFrame(const FrameTimes& times, double share);
// The same, per step, of the moments in which no device of this rank ran anything.
// With `since`, in steps from that number on.
Phrase SayPythonWhileIdle(const Facts& facts, int64_t rank, std::optional<int64_t> since = {});

// " in Linear_0", " in Linear": the module, or class of modules, that has half or more of the time
// of activities of this name; empty where none has, or no modules are known.
Phrase InModule(const Facts& facts, StringId activity);
// The same by the FLOPs of operators of this name, counted from their inputs.
Phrase OperatorInModule(const Facts& facts, StringId op);

// "a in Linear, b, c": those of the activities with the most of anything, at most three, and their
// modules. Different instances of a template have one short name, and are named once.
Phrase SayMost(const Facts& facts, std::vector<std::pair<StringId, int64_t>> amounts);

// Why nothing can be computed from traces that were read.
inline constexpr std::string_view kNothingRecorded =
    "the traces have neither device activity nor host operators";

// "rank 3"; where a rank has several devices "rank 3 device 1", or "device 1" if it is the only
// rank.
Phrase SayDevice(const DeviceFacts& device);

// Whether collectives are matched between ranks or between devices: "rank" or "device".
std::string_view ParticipantNoun(const Facts& facts);
// What sums over facts.devices are said of: "rank" where each computes on its host, else "device".
std::string_view DeviceNoun(const Facts& facts);

// Whether all recordings are of one rank.
bool HasOneRank(const Facts& facts);
// Whether there are traces of all ranks of the job, and none is left out.
bool AllAreRecorded(const Facts& facts);

// The numbers of the ranks that these are steps of.
std::set<int64_t> RankNumbersOf(const std::vector<RankSteps>& ranks);

// "rank 3", "device 3" where there is one rank with several devices, or "rank 1 device 3". `device`
// -1: the rank as a whole.
Phrase SayPlace(const Facts& facts, int64_t rank, int64_t device);
Phrase SayParticipant(const Facts& facts, const RankCollectives& participant);

// "rank 3", "ranks 0 to 2", "ranks 0, 2 and 5", "12 ranks (0 to 63)". REQUIRES: ascending, not
// empty.
Phrase SayRanks(std::span<const int64_t> ranks);

// A name from the traces as a part of phrases: that of an activity, shortened; that of an operator.
Phrase ShortNameOf(const Facts& facts, StringId name);
Phrase OperatorNameOf(const Facts& facts, StringId name);

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
