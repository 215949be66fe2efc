// Holds the device activities of one trace: sorted, linked to launches, assigned to steps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "facts/activity/activity_list.h"
#include "facts/activity/host_ops.h"
#include "trace/condensed.h"
#include "trace/trace.h"

namespace stepscope {

// What BuildRankActivity() reads of a trace; the least a reader has to keep.
inline constexpr KindSet kRankActivityNeeds =
    kDeviceActivity | KindSet{Kind::kRuntime, Kind::kAnnotation};

// What a communication kernel says about the collective it is part of. Texts that the trace does
// not give are kNoString, numbers -1.
struct Collective {
  StringId operation = kNoString;    // "allreduce", "_reduce_scatter_base", ...
  StringId group = kNoString;        // the process group's name
  StringId description = kNoString;  // what the group is for, "TENSOR_MODEL_PARALLEL_GROUP"
  StringId members = kNoString;      // its ranks, "[0, 1, 2, 3]"; long lists are cut off by "..."
  StringId type = kNoString;         // of an element, "Float", "BFloat16", ...
  int64_t in_elements = -1;
  int64_t out_elements = -1;
  int64_t group_size = -1;
  int64_t sequence = -1;       // counts up in each group, the same on all its ranks
  int64_t from = -1, to = -1;  // of a message: ranks in the job; own ones may be left out
  int32_t kernel = kNoDetail;  // index into RankActivity::kernels
  bool dispatch = false;  // it only starts a collective that is recorded itself, or waits for it
};

// What a kernel says about itself beside its times. Texts that the trace does not give are
// kNoString, numbers -1.
struct KernelDetail {
  LaunchConfig config;
  StringId framework_op = kNoString;  // the operator it runs for, "model/dense/MatMul:MatMul"
  StringId hlo_op = kNoString;        // the compiler's operation, "fusion.3"
  StringId hlo_module = kNoString;
  StringId hlo_category = kNoString;
  StringId source = kNoString;  // the line of the program it is from, "train.py:12"
  int64_t flops = -1;           // of one execution, as the compiler counts them
  int64_t bytes = -1;           // read and written by one execution, likewise

  bool operator==(const KernelDetail&) const = default;
};

// What a copy or set says about itself.
struct Copy {
  int64_t bytes = -1;     // -1: the trace does not say
  double bandwidth = -1;  // bytes per second as the profiler gives it; -1: it does not
  CopyPath path = CopyPath::kOther;
};

// A synchronization as the device saw it: work waited, or the host did.
struct SyncRecord {
  int64_t start = 0;  // ns
  int64_t end = 0;
  StringId name = 0;  // "Stream Wait Event", "Event Sync", "Stream Sync", "Context Sync"
  int64_t device = -1;
  int64_t stream = -1;
  int64_t correlation = -1;       // of the runtime call that asked for it
  int64_t wait_stream = -1;       // whose work is waited for
  int64_t wait_correlation = -1;  // of the call that recorded the event waited for
};

// An annotation's shadow on a device: from the start of the first to the end of the last work that
// was launched under it.
struct DeviceRange {
  int64_t start = 0;  // ns
  int64_t end = 0;
  StringId name = 0;
  int64_t device = -1;
  int64_t stream = -1;
};

// Hardware counters over a range of work.
struct CounterRange {
  int64_t start = 0;  // ns
  int64_t end = 0;
  StringId name = 0;
  std::vector<std::pair<StringId, double>> counters;
};

inline constexpr uint32_t kNoThread = UINT32_MAX;
struct Stream {
  int64_t device = -1;
  int64_t stream = -1;
  uint32_t device_index = 0;  // index into RankActivity::devices
  bool of_host = false;  // threads of the host: these compute, or a library communicates on them
  // Index into HostOps::threads where it is one thread of the host, else kNoThread.
  uint32_t thread = kNoThread;
};

// A training step, from the host's annotation of it.
struct Step {
  int64_t number = 0;
  int64_t start = 0;  // ns, of the annotation
  int64_t end = 0;
  // The accelerator's records of this step reach to its last launch. The last step of a recording
  // often is not complete: recording stopped before its kernels had run.
  bool complete = true;
  // Of selected steps: which stretch of them it is in. Between two stretches lie steps that do not
  // count.
  int32_t stretch = 0;
  // Of selected steps: when the step before had ended (StepStretch), though it may not be selected.
  int64_t end_before = kNoTime;
};

// Calls of a function that computes no gradients, or forward passes without a backward pass, behind
// a step of training, and what is around them until the next step begins.
struct EvaluationRun {
  int64_t start = 0;  // ns
  int64_t end = 0;
  int64_t calls = 0;
  StringId function = kNoString;  // kNoString: forward passes, of which functions are not known
};

// Calls that launch kernels, and what the recording has of them.
struct LaunchCount {
  int64_t calls = 0;           // captured ones aside
  int64_t without_kernel = 0;  // of calls: no activity of their correlation id was recorded
  int64_t captured = 0;        // became nodes of a graph
};

struct RankActivity {
  int64_t rank = 0;
  int64_t window = 0;      // which recording of this rank
  int64_t world_size = 1;  // of the job, as the recording says; 1 when it does not
  // The members of each process group that the rank is in, ascending, in the order in which the
  // groups were made; empty: unknown.
  std::vector<std::vector<int64_t>> group_members;
  std::vector<std::string> group_descriptions;  // of each of these, "default_pg"; may be empty
  std::string machine;                          // its name; empty: unknown
  ActivityList activities;                      // by start, then end, then stream, then name
  std::vector<Stream> streams;                  // by device, then stream
  std::vector<int64_t> devices;                 // ascending
  std::vector<Step> steps;                      // by start
  std::vector<EvaluationRun> evaluations;       // by start
  Framework framework = Framework::kPyTorch;
  RecordedBy recorded_by = RecordedBy::kFramework;
  std::string device_name;
  // Of the devices, as far as the trace lists them; by device.
  std::vector<DeviceProperties> properties;
  bool has_python = false;    // Python frames were recorded; HostOps::frames if they were asked for
  bool memory_only = false;   // of this rank there is a memory timeline, and no recording
  bool begins_later = false;  // not with the first complete step: that was not selected
  bool on_host = false;       // the job has no accelerator: the host's threads are its streams
  bool host_communicates = false;  // it has one, but a library on the host communicates (gloo)
  bool assumed_on_host = false;    // and only that the recording lists no accelerator says so

  std::vector<KernelDetail> kernels;    // what Activity::detail of compute points to; each once
  std::vector<Collective> collectives;  // what Activity::detail of communication points to
  std::vector<Copy> copies;             // what Activity::detail of copies and sets points to
  std::vector<SyncRecord> syncs;        // by start
  std::vector<DeviceRange> ranges;      // by start
  std::vector<CounterRange> counters;   // by start
  LaunchCount launches;
  // Of a partial: its work is blocks that take the time that all work took together, and only
  // collectives are the recording's own. Null: the recording is whole.
  std::shared_ptr<CondensedRecording> condensed;
  std::vector<CompiledProgram> programs;  // by name, of XLA; empty: none were recorded
  // Never null, and the same for every selection of steps of one recording: steps select work.
  std::shared_ptr<HostOps> host = std::make_shared<HostOps>();

  // What the kernel says about itself; null for other work, and where the trace says nothing.
  const KernelDetail* KernelOf(const Activity& w) const {
    int32_t kernel = w.detail;
    if (w.kind == Kind::kCommunication && kernel != kNoDetail)
      kernel = collectives[static_cast<size_t>(kernel)].kernel;
    const bool known = !IsMemory(w.kind) && kernel != kNoDetail;
    return known ? &kernels[static_cast<size_t>(kernel)] : nullptr;
  }
  // Whether it takes part in a collective, or sends or receives a message: what only starts these
  // is communication too, but none of them.
  bool IsCollective(const Activity& w) const {
    return w.kind == Kind::kCommunication &&
           (w.detail == kNoDetail || !collectives[static_cast<size_t>(w.detail)].dispatch);
  }
  // Whether the activity is on the host: a record of a library, or where the host is the device.
  bool IsOfHost(const Activity& w) const { return streams[w.stream].of_host; }
  // Whether collectives are records that a library made on the host.
  bool HasRecords() const { return on_host || host_communicates; }
  // The call that launched `work`, if that is known.
  [[gnu::always_inline]] std::optional<Call> CallOf(const Activity& w) const {
    return w.call == kNoCall ? std::nullopt : std::optional(host->calls[w.call]);
  }
  // The streams of devices[device_index], as indexes into `streams`.
  std::ranges::iota_view<uint32_t, uint32_t> StreamsOf(uint32_t device_index) const;
  // The activities of each of `devices`, as ascending indexes into `activities`.
  std::vector<std::vector<uint32_t>> ActivitiesByDevice() const;
  // What the trace says of a device; null: nothing.
  const DeviceProperties* PropertiesOf(int64_t device) const;
  // The index of the step whose annotation holds `time`, or kNoStep. Of steps that overlap, the one
  // that began last.
  int32_t StepAt(int64_t time) const;
};

// Calls f(id) for every name of the recording, so that it can be given another.
template <class F>
void ForEachName(RankActivity& rank, const F& f) {
  const auto maybe = [&](StringId& id) {
    if (id != kNoString) f(id);
  };
  rank.activities.ForEachName(f);
  for (KernelDetail& k : rank.kernels) {
    for (StringId* id : {&k.framework_op, &k.hlo_op, &k.hlo_module, &k.hlo_category, &k.source})
      maybe(*id);
  }
  for (Collective& c : rank.collectives) {
    for (StringId* id : {&c.operation, &c.group, &c.description, &c.members, &c.type}) maybe(*id);
  }
  for (EvaluationRun& run : rank.evaluations) maybe(run.function);
  if (rank.condensed) {
    for (CondensedKernel& kernel : rank.condensed->kernels) f(kernel.name);
    for (CondensedWait& wait : rank.condensed->waits) {
      for (StringId* id : {&wait.call, &wait.op, &wait.annotation}) maybe(*id);
    }
  }
  for (SyncRecord& sync : rank.syncs) f(sync.name);
  for (DeviceRange& range : rank.ranges) f(range.name);
  for (CounterRange& range : rank.counters) {
    f(range.name);
    for (auto& [name, value] : range.counters) f(name);
  }
  for (CompiledProgram& program : rank.programs) ForEachName(program, f);
  rank.host->ranges.ForEachName(f);
  rank.host->calls.ForEachName(f);
  for (HostFrames& frames : rank.host->frames) frames.ForEachName(f);
  for (RangeDetail& d : rank.host->range_details) {
    for (StringId* id : {&d.shapes, &d.types, &d.strides, &d.values, &d.opcode, &d.collective,
                         &d.element_type, &d.members})
      maybe(*id);
  }
  for (MemoryDetail& d : rank.host->memory_details) {
    for (StringId* id : {&d.allocator, &d.framework_op, &d.region, &d.type, &d.shape}) maybe(*id);
  }
}

}  // namespace stepscope
