// Writes the rows of a recording.
#include "condense/condense.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "condense/about.h"
#include "condense/blocks.h"
#include "condense/idle.h"
#include "condense/steps.h"
#include "condense/waits.h"
#include "facts/devices/kernels.h"

namespace stepscope {
namespace {

// A collective, or a block.
struct Work {
  int64_t start = 0, end = 0;
  int64_t device = -1, stream = -1;
  int32_t step = kNoStep;
  Kind kind = Kind::kCompute;
  uint32_t activity = UINT32_MAX;  // of a collective; else it's a block
  int64_t waited_for = kNoTime;    // when what it waited for on another stream had ended
};

class Rows {
 public:
  Rows(const RecordingToCondense& recording, PartialTable& into)
      : recording_(recording), rank_(*recording.rank), out_(into) {}

  void Write() {
    const Facts facts = recording_.OwnFacts();
    const std::vector<Work> all_work = AllWork();
    Begin("recording");
    out_.Set(PartialColumn::kAbout, AboutOf(recording_, facts, coarse_));
    for (const Step& step : rank_.steps) WriteStep(step);
    CondenseSteps(facts, out_);
    CondenseIdle(recording_, out_);
    for (const Work& work : all_work) WriteWork(work);
    for (const RankKernels& kernels :
         MeasureKernels(std::span(&rank_, 1), recording_.names->size()))
      WriteKernels(kernels);
    if (rank_.devices.size() < 2) return;
    for (const RankKernels& kernels : MeasureKernelsOfDevices(std::span(&rank_, 1)))
      WriteKernels(kernels);
  }

 private:
  void Begin(std::string_view kind) { out_.BeginRow(kind, rank_.rank); }

  void WriteTimes(int64_t start, int64_t end) {
    out_.Set(PartialColumn::kStart, start);
    out_.Set(PartialColumn::kDuration, end - start);
  }

  void WriteStep(const Step& step) {
    Begin("step");
    out_.Set(PartialColumn::kStep, step.number);
    WriteTimes(step.start, step.end);
    if (!step.complete) out_.Set(PartialColumn::kIncomplete, int64_t{1});
  }

  // By start, so that reading sorts nothing.
  std::vector<Work> AllWork() {
    std::vector<Work> all;
    const KeptWaits waits = WaitsToKeep(rank_, *recording_.names);
    after_ = waits.all ? PartialColumn::kAfter : PartialColumn::kAfterSome;
    for (uint32_t a = 0; a < rank_.activities.size(); ++a) {
      const Activity activity = rank_.activities[a];
      if (activity.kind != Kind::kCommunication) continue;
      const Stream& on = rank_.streams[activity.stream];
      const KeptWait* wait = waits.Of(a);
      all.push_back({activity.start, activity.end, on.device, on.stream, activity.step,
                     activity.kind, a, wait == nullptr ? kNoTime : wait->since});
    }
    const std::vector<std::vector<uint32_t>> by_device = rank_.ActivitiesByDevice();
    for (uint32_t d = 0; d < by_device.size(); ++d) {
      const std::map<Kind, int64_t> streams = StreamsOf(by_device[d]);
      const DeviceBlocks blocks = BlocksOf(rank_, by_device[d], waits);
      coarse_ = coarse_ || blocks.coarse;
      for (const WorkBlock& block : blocks.blocks)
        all.push_back({block.start, block.end, rank_.devices[d], streams.at(block.kind), block.step,
                       block.kind, UINT32_MAX, block.waited_for});
    }
    std::ranges::stable_sort(all, {}, [](const Work& w) { return std::tuple(w.start, w.end); });
    return all;
  }

  // Where blocks of each kind are shown: the first stream that has such work.
  std::map<Kind, int64_t> StreamsOf(std::span<const uint32_t> activities) const {
    std::map<Kind, int64_t> streams;
    for (const uint32_t a : activities) {
      const Activity activity = rank_.activities[a];
      const Kind kind = IsMemory(activity.kind) ? Kind::kMemcpy : activity.kind;
      streams.try_emplace(kind, rank_.streams[activity.stream].stream);
    }
    return streams;
  }

  void WriteWork(const Work& work) {
    Begin("work");
    out_.Set(PartialColumn::kCategory, KernelKindName(work.kind));
    out_.Set(PartialColumn::kDevice, work.device);
    out_.Set(PartialColumn::kStream, work.stream);
    if (work.step != kNoStep)
      out_.Set(PartialColumn::kStep, rank_.steps[static_cast<size_t>(work.step)].number);
    WriteTimes(work.start, work.end);
    if (work.waited_for != kNoTime) out_.Set(after_, work.start - work.waited_for);
    if (work.activity == UINT32_MAX) return;
    const Activity activity = rank_.activities[work.activity];
    WriteName(PartialColumn::kName, activity.name);
    if (activity.detail != kNoDetail)
      WriteCollective(rank_.collectives[static_cast<size_t>(activity.detail)]);
  }

  void WriteCollective(const Collective& c) {
    WriteName(PartialColumn::kOperation, c.operation);
    WriteName(PartialColumn::kGroupName, c.group);
    WriteName(PartialColumn::kGroupDescription, c.description);
    WriteName(PartialColumn::kGroupRanks, c.members);
    WriteName(PartialColumn::kDataType, c.type);
    WriteNumber(PartialColumn::kInElements, c.in_elements);
    WriteNumber(PartialColumn::kOutElements, c.out_elements);
    WriteNumber(PartialColumn::kGroupSize, c.group_size);
    WriteNumber(PartialColumn::kSequence, c.sequence);
    WriteNumber(PartialColumn::kMessageFrom, c.from);
    WriteNumber(PartialColumn::kMessageTo, c.to);
    if (c.dispatch) out_.Set(PartialColumn::kDispatch, int64_t{1});
  }

  void WriteName(PartialColumn column, StringId name) {
    if (name != kNoString) out_.Set(column, (*recording_.names)[name]);
  }
  void WriteNumber(PartialColumn column, int64_t number) {
    if (number != -1) out_.Set(column, number);
  }

  void WriteKernels(const RankKernels& of) {
    for (const KernelStatistics& kernel : of.kernels) {
      Begin("kernel");
      out_.Set(PartialColumn::kCategory, KernelKindName(kernel.kind));
      if (of.device >= 0) out_.Set(PartialColumn::kDevice, of.device);
      WriteName(PartialColumn::kName, kernel.name);
      out_.Set(PartialColumn::kDuration, kernel.sum);
      out_.Set(PartialColumn::kCount, kernel.count);
      out_.Set(PartialColumn::kShortest, kernel.min);
      out_.Set(PartialColumn::kLongest, kernel.max);
      out_.Set(PartialColumn::kMean, kernel.running_mean);
      out_.Set(PartialColumn::kSquares, kernel.squares);
    }
  }

  const RecordingToCondense& recording_;
  const RankActivity& rank_;
  PartialTable& out_;
  bool coarse_ = false;                          // DeviceBlocks::coarse, of any
  PartialColumn after_ = PartialColumn::kAfter;  // where waits are told
};

}  // namespace

void Condense(const RecordingToCondense& recording, PartialTable& into) {
  Rows(recording, into).Write();
}

}  // namespace stepscope
