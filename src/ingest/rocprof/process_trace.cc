// Makes events of calls first, then of devices, which calls explain.
#include "ingest/rocprof/process_trace.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/stop.h"
#include "base/valid_utf8.h"
#include "ingest/common/range_names.h"
#include "ingest/common/reader_limits.h"
#include "ingest/common/report_notes.h"
#include "ingest/rocprof/rocprof_names.h"
#include "trace/communication_names.h"

namespace stepscope::rocprof {
namespace {

constexpr int64_t kNoStream = -1;  // of copies, where the file tells none

// When a process can have recorded something.
struct Life {
  int64_t start = INT64_MIN, end = INT64_MAX;
  bool Has(int64_t time) const { return time >= start && time <= end; }
  bool Has(const Times& times) const { return Has(times.start) && Has(times.end); }
};

// Clocks of devices are related to the host's by measuring, and what runs when the profiler ends is
// waited for.
constexpr int64_t kBeyond = 1'000'000'000;

// Unlimited where the file does not tell, or what it tells is damaged: most records are outside.
Life LifeOf(const ProcessRecords& process) {
  const Times& told = process.life;
  Life life;
  if (IsTime(told.start) && told.start > 0) life.start = told.start - kBeyond;
  if (IsTime(told.end) && told.end > 0) life.end = told.end + kBeyond;
  int64_t inside = 0, all = 0;
  const auto count = [&](const auto& records) {
    for (const auto& record : records) {
      inside += life.Has(record.times) ? 1 : 0;
      all += record.times.start != Times::kNoTime && record.times.end != Times::kNoTime ? 1 : 0;
    }
  };
  count(process.calls);
  count(process.dispatches);
  count(process.copies);
  return inside > all / 2 ? life : Life();
}

class Builder {
 public:
  Builder(ProcessRecords& from, Wanted keep) : from_(from), keep_(keep), life_(LifeOf(from)) {
    trace_.meta.recorded_by = RecordedBy::kRocprof;
    AppendValidUtf8(trace_.meta.machine, from.machine);
    trace_.meta.rank = from.launched.rank();
    if (trace_.meta.rank) trace_.meta.world_size = from.launched.world_size();
    by_stream_ =
        std::ranges::any_of(from.dispatches, [](const Dispatch& d) { return d.stream > 0; });
  }

  Trace Build() {
    trace_.events_in_file = from_.others + from_.unreadable;
    if (from_.unreadable > 0) trace_.notes.Add(NoteKind::kUnreadableEvent, from_.unreadable);
    if (from_.odd_entries > 0) notes_.Add(ReportNote::kOddEntries, from_.odd_entries);
    for (const Call& call : from_.calls) Add(call);
    from_.calls = {};
    for (const Dispatch& dispatch : from_.dispatches) Add(dispatch);
    from_.dispatches = {};
    for (const MemoryCopy& copy : from_.copies) Add(copy);
    AddDevices();
    return std::move(trace_);
  }
  const ReportNotes& notes() const { return notes_; }

 private:
  // Of a name of the records in this trace, in valid UTF-8.
  StringId NameOf(StringId in_records) {
    if (in_records >= named_.size()) named_.resize(from_.names.size(), kNoString);
    StringId& name = named_[in_records];
    if (name != kNoString) return name;
    scratch_.clear();
    AppendValidUtf8(scratch_, from_.names[in_records]);
    return name = trace_.strings.Intern(scratch_);
  }

  std::optional<std::pair<int64_t, int64_t>> StartAndDuration(const Times& times) {
    checks_.Turn();
    ++trace_.events_in_file;
    // They count since the machine started, so that 0 is none.
    const auto is_time = [](int64_t time) { return IsTime(time) && time > 0; };
    if (!is_time(times.start) || !is_time(times.end) || trace_.size() >= kMostEvents) {
      trace_.notes.Add(NoteKind::kUnreadableEvent);
      return std::nullopt;
    }
    if (!life_.Has(times)) {
      trace_.notes.Add(NoteKind::kUnreadableEvent, 1,
                       "they lie before the process began or after it ended");
      return std::nullopt;
    }
    if (times.end < times.start) trace_.notes.Add(NoteKind::kNegativeDuration);
    return std::pair(times.start, std::clamp(times.end - times.start, int64_t{0}, kMaxTime));
  }

  TrackId Thread(int64_t thread) {
    const auto [at, is_new] = threads_.try_emplace(thread, NextTrack());
    if (is_new)
      trace_.tracks.push_back(
          {.process = std::to_string(from_.process), .thread = std::to_string(thread)});
    return at->second;
  }

  TrackId Stream(int64_t device, int64_t stream) {
    const auto [at, is_new] = streams_.try_emplace({device, stream}, NextTrack());
    if (is_new) trace_.tracks.push_back({.is_stream = true, .device = device, .stream = stream});
    return at->second;
  }

  TrackId NextTrack() const { return static_cast<TrackId>(trace_.tracks.size()); }

  const Agent* AgentOf(int64_t number) const {
    const auto at = from_.agents.find(number);
    return at == from_.agents.end() ? nullptr : &at->second;
  }
  // An agent that the file does not list is a device of its own.
  int64_t DeviceOf(int64_t agent) {
    if (const Agent* known = AgentOf(agent)) return known->properties.device;
    Count(ReportNote::kUnknownAgent, agent);
    return agent;
  }

  // With the number that is missing of the first one.
  void Count(ReportNote note, int64_t number) {
    if (notes_.Count(note) > 0) return notes_.Add(note);
    notes_.Add(note, 1, number < 0 ? Phrase("no number is given") : Say("number {number}", number));
  }

  void Add(const Call& call) {
    const auto times = StartAndDuration(call.times);
    if (!times) return;
    if (call.kind == CallKind::kRange) return AddRange(call, times->first, times->second);
    const Kind kind = call.kind == CallKind::kCollective ? Kind::kAnnotation : Kind::kRuntime;
    if (!keep_.Has(kind)) return;
    const StringId name = NameOfCall(call);
    trace_.Add({times->first, times->second, name, Thread(call.thread), kind});
    if (kind == Kind::kRuntime && call.correlation > 0)
      trace_.Set(IntField::kCorrelation, call.correlation);
  }

  StringId NameOfCall(const Call& call) {
    if (call.name != kNoString) return NameOf(call.name);
    const auto at = from_.operations.find(call.operation);
    if (at != from_.operations.end()) return NameOf(at->second);
    notes_.Add(ReportNote::kUnknownCall);
    return trace_.strings.Intern("call");
  }

  // A call that marks nothing, as roctxGetThreadId(), has no text.
  void AddRange(const Call& call, int64_t start, int64_t duration) {
    StringId text = call.name;
    if (text == kNoString) {
      const auto at = from_.messages.find(call.correlation);
      if (at == from_.messages.end()) return;
      text = at->second;
    }
    const std::string_view whole = trace_.strings[NameOf(text)];
    const auto torch = duration == 0 ? std::nullopt : TorchRangeOf(whole);
    const bool operates = torch && torch->is_operator;
    const Kind kind = duration == 0 ? Kind::kInstant
                      : operates    ? Kind::kOperator
                                    : Kind::kAnnotation;
    if (!keep_.Has(kind)) return;
    const StringId name = torch ? trace_.strings.Intern(torch->name) : NameOf(text);
    trace_.Add({start, duration, name, Thread(call.thread), kind});
    if (torch && torch->sequence) trace_.Set(IntField::kSequence, *torch->sequence);
    if (operates && keep_.inputs && !torch->sizes.empty())
      trace_.Set(TextField::kInputShapes, trace_.strings.Intern(torch->sizes));
    if (kind != Kind::kAnnotation) return;
    if (const auto step = StepOfRange(trace_.strings[name])) trace_.Set(IntField::kStep, *step);
  }

  void Add(const Dispatch& dispatch) {
    const auto times = StartAndDuration(dispatch.times);
    if (!times) return;
    ++trace_.gpu_events_in_file;
    const auto kernel = from_.kernels.find(dispatch.kernel);
    const bool named = kernel != from_.kernels.end() && kernel->second.name != kNoString;
    if (!named) Count(ReportNote::kUnknownKernel, dispatch.kernel);
    const StringId name =
        named ? NameOf(kernel->second.name) : trace_.strings.Intern("unknown kernel");
    const Kind kind =
        communication_.Has(name, trace_.strings) ? Kind::kCommunication : Kind::kCompute;
    if (!keep_.Has(kind)) return;
    const int64_t stream = by_stream_ ? dispatch.stream : dispatch.queue;
    trace_.Add({times->first, times->second, name, Stream(DeviceOf(dispatch.agent), stream), kind});
    if (dispatch.correlation > 0) trace_.Set(IntField::kCorrelation, dispatch.correlation);
    if (keep_.kernels)
      trace_.Set(IntField::kLaunchConfig,
                 trace_.launch_configs.Intern(
                     ConfigOf(dispatch, named ? kernel->second.registers : int32_t{-1})));
  }

  // The grid is in work-items; a block that does not fill it up is one too.
  static LaunchConfig ConfigOf(const Dispatch& dispatch, int32_t registers) {
    LaunchConfig config{.registers = registers, .shared_memory = dispatch.local_memory};
    for (size_t i = 0; i < 3; ++i) {
      const int32_t items = dispatch.grid[i], block = dispatch.workgroup[i];
      if (items <= 0 || block <= 0) continue;
      config.grid[i] = items / block + (items % block != 0 ? 1 : 0);
      config.block[i] = block;
    }
    return config;
  }

  // Bytes per ns are GB per second.
  void Add(const MemoryCopy& copy) {
    const auto times = StartAndDuration(copy.times);
    if (!times) return;
    const Agent* to = AgentOf(copy.to);
    const Agent* from = AgentOf(copy.from);
    const bool to_gpu = to != nullptr && to->is_gpu, from_gpu = from != nullptr && from->is_gpu;
    if (to != nullptr && from != nullptr && !to_gpu && !from_gpu) return;  // of the host alone
    ++trace_.gpu_events_in_file;
    if (!keep_.Has(Kind::kMemcpy)) return;
    const bool peers = to_gpu && from_gpu && copy.to != copy.from;
    const StringId name = trace_.strings.Intern(CopyName(copy.direction, peers));
    const TrackId track = Stream(DeviceOf(to_gpu || !from_gpu ? copy.to : copy.from), copy.stream);
    trace_.Add({times->first, times->second, name, track, Kind::kMemcpy});
    if (copy.correlation > 0) trace_.Set(IntField::kCorrelation, copy.correlation);
    if (copy.bytes < 0) return;
    trace_.Set(IntField::kBytes, copy.bytes);
    if (times->second > 0)
      trace_.Set(RealField::kBandwidth,
                 static_cast<double>(copy.bytes) / static_cast<double>(times->second));
  }

  // Those that were used: a file lists all of the machine.
  void AddDevices() {
    std::set<int64_t> used;
    for (Track& track : trace_.tracks) {
      if (!track.is_stream) continue;
      used.insert(track.device);
      if (track.stream == kNoStream) track.name = "copies";
    }
    for (const auto& [number, agent] : from_.agents) {
      if (agent.is_gpu && used.contains(agent.properties.device))
        trace_.meta.devices.push_back(agent.properties);
    }
    if (!trace_.meta.devices.empty()) trace_.meta.device_name = trace_.meta.devices.front().name;
  }

  ProcessRecords& from_;
  Wanted keep_;
  Life life_;
  Trace trace_;
  bool by_stream_ = false;       // streams of HIP are known, else queues of HSA
  std::vector<StringId> named_;  // by name of the records
  std::map<int64_t, TrackId> threads_;
  std::map<std::pair<int64_t, int64_t>, TrackId> streams_;
  CommunicationNames communication_;
  std::string scratch_;
  StopChecks checks_;
  ReportNotes notes_;
};

bool UsesDevices(const ProcessRecords& process) {
  return !process.dispatches.empty() || !process.copies.empty();
}

int64_t FirstDevice(const ProcessRecords& process) {
  int64_t first = INT64_MAX;
  for (const Dispatch& dispatch : process.dispatches) {
    const auto at = process.agents.find(dispatch.agent);
    first =
        std::min(first, at == process.agents.end() ? dispatch.agent : at->second.properties.device);
  }
  return first;
}

// Whether launchers numbered all, each with a number of its own.
bool AreNumbered(const std::vector<ProcessRecords>& processes) {
  std::set<int64_t> ranks;
  return std::ranges::all_of(processes, [&](const ProcessRecords& process) {
    const auto rank = process.launched.rank();
    return rank && ranks.insert(*rank).second;
  });
}

}  // namespace

std::vector<Recording> TracesOf(std::vector<ProcessRecords> processes, Wanted keep) {
  int64_t left_out = 0;
  if (std::ranges::any_of(processes, &UsesDevices)) {
    left_out = std::ssize(processes);
    std::erase_if(processes, [](const ProcessRecords& p) { return !UsesDevices(p); });
    left_out -= std::ssize(processes);
  }
  const bool numbered = AreNumbered(processes);
  std::vector<std::pair<std::tuple<int64_t, int64_t>, ProcessRecords*>> order;
  for (ProcessRecords& process : processes) {
    const int64_t first = numbered ? *process.launched.rank() : FirstDevice(process);
    order.emplace_back(std::tuple(first, process.process), &process);
  }
  std::ranges::stable_sort(order, {}, [](const auto& entry) { return entry.first; });
  std::vector<Recording> recordings;
  for (const auto& [place, process] : order) {
    ReportNotes notes;
    if (recordings.empty() && left_out > 0) notes.Add(ReportNote::kOtherProcesses, left_out);
    if (order.size() > 1 && !numbered) {
      process->launched = {};
      notes.Add(ReportNote::kRankFromDevice);
    }
    Builder builder(*process, keep);
    Trace trace = builder.Build();
    notes.Add(builder.notes());
    *process = {};
    recordings.push_back({std::move(trace), notes.List()});
  }
  return recordings;
}

}  // namespace stepscope::rocprof
