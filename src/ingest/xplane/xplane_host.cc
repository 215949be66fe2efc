// Converts host planes to events of threads.
#include "ingest/xplane/xplane_host.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/xplane/xplane_details.h"
#include "trace/processor_names.h"
#include "trace/vocabulary.h"

namespace stepscope {
namespace {

// Links that the profiler does not number as such: an executor works for the function or session
// whose step id it carries, and for the iteration of it.
constexpr int64_t kStepLink = -1;
constexpr int64_t kIterationLink = -2;

// Roots by name, of recordings whose roots carry no "_r"; the level as the profiler ranks them.
int32_t LegacyLevel(std::string_view name) {
  if (name == "ProcessBatch") return 2;
  for (const std::string_view root :
       {"TraceContext", "SessionRun", "FunctionRun", "RunGraph", "BatchingSessionRun"}) {
    if (name == root) return 1;
  }
  return 0;
}

// What "EagerLocalExecute: __inference_train_57" calls, without the number that a function gets
// each time it is traced; empty for an operator that runs by itself.
std::string_view FunctionCalled(std::string_view name) {
  constexpr std::string_view kCall = "EagerLocalExecute: ";
  if (!name.starts_with(kCall)) return {};
  name.remove_prefix(kCall.size());
  if (!name.starts_with("__") && !name.ends_with("PartitionedCall")) return {};
  const size_t last = name.find_last_not_of("0123456789");
  return last != name.npos && name[last] == '_' ? name.substr(0, last) : name;
}

// Whether an operator computes gradients: of tf.GradientTape, or of tf.gradients before it.
bool ComputesGradients(std::string_view name) {
  return name.starts_with("gradient_tape/") || name.contains("/gradient_tape/") ||
         name.starts_with("gradients/");
}

// The device whose memory an allocator gives: "GPU_3_bfc" is 3; -1 for the host's.
int64_t DeviceOfAllocator(std::string_view allocator, int64_t ordinal) {
  for (const std::string_view prefix : {"GPU_", "TPU_"}) {
    if (!allocator.starts_with(prefix)) continue;
    int64_t device = -1;
    const char* end = allocator.data() + allocator.size();
    if (std::from_chars(allocator.data() + prefix.size(), end, device).ec == std::errc())
      return device;
  }
  const bool of_host =
      allocator.contains("host") || allocator.contains("cpu") || allocator.contains("CPU");
  return of_host ? -1 : ordinal;
}

// An id that what the event hands to another thread has there, or else what it takes; -1: none.
// Each type counts for itself, and there are less than 64.
int64_t FlowOf(const XStats& stats) {
  const bool gives = stats.Has(StatKey::kProducer);
  if (!gives && !stats.Has(StatKey::kConsumer)) return -1;
  const int64_t type = stats.Int(gives ? StatKey::kProducerType : StatKey::kConsumerType, 0);
  const int64_t id = stats.Int(gives ? StatKey::kProducer : StatKey::kConsumer);
  return static_cast<int64_t>(static_cast<uint64_t>(id) * 64 + static_cast<uint64_t>(type)) &
         INT64_MAX;
}

std::string_view NameOf(const XEvent& event) {
  return event.metadata == nullptr ? std::string_view() : event.metadata->name;
}

// Loops that TensorFlow runs as operators; executors count their iterations too.
bool IsLoopOperator(std::string_view name) {
  return name.starts_with("WhileOp") || name == "ForOp" || name == "ParallelForOp" ||
         name == "ForeverOp";
}

// The devices of "all reduce RendezvousKey{run_id=RunId: 7, global_devices=[0,1], ...}", with their
// brackets; empty where it names none.
std::string_view DevicesOfRendezvous(std::string_view key) {
  constexpr std::string_view kDevices = "global_devices=";
  const size_t at = key.find(kDevices);
  if (at == key.npos) return {};
  const std::string_view list = key.substr(at + kDevices.size());
  const size_t end = list.find(']');
  return list.starts_with('[') && end != list.npos ? list.substr(0, end + 1) : std::string_view();
}

Kind KindOfHostName(std::string_view name) {
  if (name.starts_with('$')) return Kind::kPython;  // as Python's tracer writes names
  return IsFrameworkRange(name) ? Kind::kOperator : Kind::kAnnotation;
}

Kind KindOfHostEvent(const XEvent& event, Kind by_name) {
  if (by_name == Kind::kPython) return by_name;
  if (event.stats.Int(StatKey::kRoot, 0) > 0) return Kind::kAnnotation;
  if (event.stats.Has(StatKey::kCorrelation)) return Kind::kRuntime;
  return event.stats.Has(StatKey::kHloOp) ? Kind::kOperator : by_name;
}

// Whether steps depend on the event. Most only lie within one that does.
bool MattersToSteps(const HostEvent& event, const XStats& stats) {
  constexpr auto kJoining =
      std::to_array<StatKey>({StatKey::kProducer, StatKey::kConsumer, StatKey::kId});
  return event.root_level > 0 || event.legacy_level > 0 || event.part != HostPart::kNone ||
         std::ranges::any_of(kJoining, [&](StatKey key) { return stats.Has(key); });
}

}  // namespace

bool IsHostPlane(std::string_view name) {
  // Collectors of GPUs have planes of their own where nobody joined them with the host's: of calls,
  // and of NVTX's ranges.
  return name.starts_with("/host:CPU") || name == "/host:python-tracer" ||
         name.starts_with("/host:CUPTI") || name.starts_with("/host:NVTX") ||
         name.starts_with("/host:ROCTRACER");
}

void HostPlanes::Read(const XPlane& plane, LineReader& lines) {
  names_.Forget();
  texts_.Forget();
  operations_.clear();
  for (const ByteRange& line : plane.lines) {
    lines.Read(
        plane, line,
        [&](const XLine& header) {
          StartLine(header);
          return true;
        },
        [&](const XEvent& event, const XTime& time) { Take(event, time); });
  }
}

void HostPlanes::StartLine(const XLine& line) {
  ++line_;
  track_of_line_.resize(line_ + size_t{1});
  track_of_line_[line_] = static_cast<TrackId>(trace_.tracks.size());
  track_ = static_cast<TrackId>(trace_.tracks.size());
  has_async_track_ = false;
  open_ = {};
  const std::string& name = line.display_name.empty() ? line.name : line.display_name;
  trace_.tracks.push_back({.process = "host", .thread = std::to_string(line.id), .name = name});
}

// What is asynchronous does not nest with what its thread does.
TrackId HostPlanes::AsyncTrack() {
  if (!has_async_track_) {
    Track track = trace_.tracks[track_];
    track.thread += " async";
    track.name += " (asynchronous)";
    async_track_ = static_cast<TrackId>(trace_.tracks.size());
    trace_.tracks.push_back(std::move(track));
    has_async_track_ = true;
  }
  return async_track_;
}

StringId HostPlanes::Intern(const XStats& stats, StatKey key) {
  return texts_.Get(stats.Entry(key), [&] { return trace_.strings.Intern(stats.Text(key)); });
}

void HostPlanes::SetText(TextField field, const XStats& stats, StatKey key) {
  if (!stats.Text(key).empty()) trace_.Set(field, Intern(stats, key));
}

void HostPlanes::SetInt(IntField field, int64_t value) {
  if (value >= 0) trace_.Set(field, value);
}

EventId HostPlanes::Keep(Kind kind, const XEvent& event, const XTime& time, StringId name) {
  if (!keep_.Has(kind) || trace_.size() >= kNotKept - 1) return kNotKept;
  const TrackId track = event.stats.Has(StatKey::kAsync) ? AsyncTrack() : track_;
  return trace_.Add({time.start, time.duration, name, track, kind});
}

HostPlanes::Role HostPlanes::RoleOf(std::string_view name) {
  if (name == "MemoryAllocation") return Role::kAllocation;
  if (name == "MemoryDeallocation") return Role::kDeallocation;
  if (name.starts_with("Iterator::")) return Role::kIterator;
  if (name.starts_with("EagerExecute")) return Role::kEagerExecute;
  if (name.starts_with("InstantiatedCapturedFunction")) return Role::kCapturedFunction;
  if (name == "FunctionRun") return Role::kFunctionRun;
  if (!FunctionCalled(name).empty()) return Role::kFunctionCall;
  if (ComputesGradients(name)) return Role::kGradient;
  if (name == "Rendezvous") return Role::kRendezvous;
  return Role::kNone;
}

HostPart HostPlanes::PartOf(const XStats& stats, const Name& name) {
  if (name.role == Role::kCapturedFunction) return HostPart::kPipeline;
  if (name.role == Role::kFunctionCall) return HostPart::kCall;
  if (name.role == Role::kFunctionRun) return HostPart::kDispatch;
  if (name.role == Role::kGradient) return HostPart::kGradient;
  const bool numbered = stats.Has(StatKey::kStepNumber) && !stats.Has(StatKey::kRoot) &&
                        name.legacy_level == 0 && name.kind == Kind::kAnnotation;
  return numbered ? HostPart::kNumbered : HostPart::kNone;
}

HostPlanes::Name HostPlanes::Know(std::string_view name) {
  if (IsLoopOperator(name)) groups_.IgnoreIterations();
  return {trace_.strings.Intern(name), KindOfHostName(name), RoleOf(name), LegacyLevel(name)};
}

void HostPlanes::Take(const XEvent& event, const XTime& time) {
  ++trace_.events_in_file;
  const Name name = names_.Get(event.metadata == nullptr ? 0 : event.metadata->number,
                               [&] { return Know(NameOf(event)); });
  if (name.role == Role::kAllocation || name.role == Role::kDeallocation)
    return TakeMemory(event, time, name);
  const Kind kind = KindOfHostEvent(event, name.kind);
  if (kind == Kind::kPython) trace_.meta.has_python = true;
  const EventId kept = Keep(kind, event, time, name.id);
  const XStats& stats = event.stats;
  if (kept != kNotKept) {
    SetInt(IntField::kCorrelation, stats.Int(StatKey::kCorrelation));
    SetText(TextField::kHloOp, stats, StatKey::kHloOp);
    if (stats.Has(StatKey::kRunId))  // may be negative
      trace_.Set(IntField::kExternalId, stats.Int(StatKey::kRunId) & INT64_MAX);
    if (stats.Has(StatKey::kHloOp) || stats.Has(StatKey::kRunId)) TakeOperation(event, time, kept);
    SetInt(IntField::kFlowId, FlowOf(stats));
    if (name.role == Role::kIterator && stats.Has(StatKey::kId)) {
      trace_.Set(IntField::kIterator, stats.Int(StatKey::kId) & INT64_MAX);
      if (stats.Has(StatKey::kParentId))
        trace_.Set(IntField::kIteratorParent, stats.Int(StatKey::kParentId) & INT64_MAX);
    }
  }
  if (name.role == Role::kRendezvous) TakeRendezvous(event, time);
  if (kind == Kind::kPython || stats.Has(StatKey::kAsync)) return;
  if (stats.Has(StatKey::kRunId) && stats.Has(StatKey::kHloModule)) {
    runs_.Add(Intern(stats, StatKey::kHloModule), Intern(stats, StatKey::kHloOp),
              stats.Int(StatKey::kRunId), -1, time.start, time.start + time.duration);
  }
  const int64_t end = time.start + time.duration;
  if (kept != kNotKept && name.role == Role::kEagerExecute && stats.Int(StatKey::kIsFunction) == 0)
    alone_.push_back({track_, time.start, end});
  const HostEvent host{.start = time.start,
                       .end = end,
                       .line = line_,
                       .kept = kept,
                       .root_level = static_cast<int32_t>(
                           std::clamp<int64_t>(stats.Int(StatKey::kRoot, 0), 0, INT32_MAX)),
                       .legacy_level = name.legacy_level,
                       .part = PartOf(stats, name)};
  if (stats.Has(StatKey::kCorrelation))
    groups_.AddLaunch(line_, time.start, stats.Int(StatKey::kCorrelation));
  // Of operators that compute gradients one after the other, one tells.
  const bool told =
      host.part == HostPart::kGradient && groups_.EndsWith(HostPart::kGradient, line_);
  if (!told && MattersToSteps(host, stats) && groups_.size() < kNotKept)
    Join(groups_.Add(host), event, NameOf(event));
}

// Names of operations do not tell what they do: JAX calls an all-reduce "psum.5".
HostPlanes::Operation HostPlanes::Describe(const XStats& stats) {
  const std::string_view op = stats.Text(StatKey::kHloOp);
  const HloOp* hlo =
      programs_.Find(stats.Text(StatKey::kHloModule), stats.Int(StatKey::kProgramId), op);
  if (hlo == nullptr) return {.communicates = CommunicatesCompiled(op)};
  const HloCollective& collective = hlo->collective;
  Operation known{.opcode = trace_.strings.Intern(hlo->category)};
  known.communicates = !collective.operation.empty();
  if (!known.communicates) return known;
  known.collective = trace_.strings.Intern(collective.operation);
  known.type = trace_.strings.Intern(collective.type);
  known.in_elements = collective.in_elements;
  known.out_elements = collective.out_elements;
  known.group_size = collective.groups.GroupSize();
  return known;
}

HostPlanes::Operation HostPlanes::OperationOf(const XStats& stats) {
  const uint32_t module = stats.Entry(StatKey::kHloModule), op = stats.Entry(StatKey::kHloOp);
  if (module == 0 || op == 0) return Describe(stats);
  const auto [at, is_new] =
      operations_.try_emplace({module, op, stats.Int(StatKey::kProgramId)}, Operation());
  if (is_new) at->second = Describe(stats);
  return at->second;
}

// An operation of a compiled program that the host runs, or a wait for such.
void HostPlanes::TakeOperation(const XEvent& event, const XTime& time, EventId kept) {
  const XStats& stats = event.stats;
  SetInt(IntField::kDeviceId, stats.Int(StatKey::kDeviceOrdinal));
  if (!stats.Has(StatKey::kHloOp)) return;
  const Operation known = OperationOf(stats);
  if (known.opcode != kNoString) trace_.Set(TextField::kHloCategory, known.opcode);
  if (!known.communicates) return;
  open_ = {kept, time.start + time.duration, known.group_size};
  SetInt(IntField::kInElements, known.in_elements);
  SetInt(IntField::kOutElements, known.out_elements);
  SetInt(IntField::kGroupSize, known.group_size);
  if (known.collective != kNoString) trace_.Set(TextField::kCollective, known.collective);
  if (known.type != kNoString) trace_.Set(TextField::kDataType, known.type);
}

// Within a collective, XLA's client for processors names the devices that take part. The program
// has numbers of replicas or partitions, of which it does not say on which device each runs.
void HostPlanes::TakeRendezvous(const XEvent& event, const XTime& time) {
  if (open_.kept == kNotKept || time.start + time.duration > open_.end) return;
  const std::string_view devices = DevicesOfRendezvous(event.stats.Text(StatKey::kName));
  const auto count = std::ranges::count(devices, ',') + 1;
  if (devices.empty() || (open_.group_size >= 0 && count != open_.group_size)) return;
  if (open_.group_size < 0) trace_.Set(open_.kept, IntField::kGroupSize, count);
  trace_.Set(open_.kept, TextField::kGroupRanks, trace_.strings.Intern(devices));
  open_ = {};
}

// Tells what the event hands to other threads, or takes from them.
void HostPlanes::Join(HostEventId id, const XEvent& event, std::string_view name) {
  const XStats& stats = event.stats;
  if (stats.Has(StatKey::kProducer))
    groups_.AddProducer(id, stats.Int(StatKey::kProducerType), stats.Int(StatKey::kProducer));
  if (stats.Has(StatKey::kConsumer))
    groups_.AddConsumer(id, stats.Int(StatKey::kConsumerType), stats.Int(StatKey::kConsumer));
  const int64_t number = stats.Int(StatKey::kIteration, stats.Int(StatKey::kStepNumber));
  const HostEvent event_of_step = groups_[id];
  const bool may_be_root = event_of_step.root_level > 0 || event_of_step.legacy_level > 0 ||
                           event_of_step.part == HostPart::kNumbered;
  if (event_of_step.part == HostPart::kCall)
    groups_.SetFunction(id, trace_.strings.Intern(FunctionCalled(name)),
                        trace_.strings.Intern(name));
  if (number >= 0 && may_be_root) groups_.SetNumber(id, number);
  if (!stats.Has(StatKey::kId)) return;
  const int64_t step = stats.Int(StatKey::kId);
  if (name == "TraceContext" || name == "FunctionRun" || name == "SessionRun")
    groups_.AddProducer(id, kStepLink, step);
  const bool executor = name.starts_with("ExecutorState::Process");
  if (executor) groups_.AddConsumer(id, kStepLink, step);
  const int64_t iteration = static_cast<int64_t>(
      static_cast<uint64_t>(step) * 31 + static_cast<uint64_t>(stats.Int(StatKey::kIteration, 0)));
  if (executor) groups_.AddProducer(id, kIterationLink, iteration);
  if (executor && stats.Has(StatKey::kIteration))
    groups_.AddIteration(id, step, stats.Int(StatKey::kIteration));
  if (name.starts_with("IteratorGetNext")) groups_.AddConsumer(id, kIterationLink, iteration);
}

void HostPlanes::TakeMemory(const XEvent& event, const XTime& time, const Name& name) {
  const XStats& stats = event.stats;
  const std::string_view allocator = stats.Text(StatKey::kAllocator);
  const int64_t bytes = stats.Int(StatKey::kAllocationBytes, 0);
  if (bytes < 0) return trace_.notes.Add(NoteKind::kValueOutOfRange);
  if (Keep(Kind::kInstant, event, {time.start, 0}, name.id) == kNotKept) return;
  const int64_t device = DeviceOfAllocator(allocator, stats.Int(StatKey::kDeviceOrdinal, 0));
  trace_.Set(IntField::kBytes, name.role == Role::kAllocation ? bytes : -bytes);
  if (stats.Has(StatKey::kAddress))
    trace_.Set(IntField::kAddress, stats.Int(StatKey::kAddress) & INT64_MAX);
  const int64_t stack = stats.Int(StatKey::kBytesReserved);
  const int64_t heap = stats.Int(StatKey::kBytesAllocated);
  int64_t in_use = 0;
  if (heap >= 0 && !__builtin_add_overflow(heap, std::max<int64_t>(stack, 0), &in_use))
    trace_.Set(IntField::kTotalAllocated, in_use);
  trace_.Set(IntField::kDeviceType, device < 0 ? 0 : 1);
  SetInt(IntField::kDeviceId, device);
  SetInt(IntField::kRequestedBytes, stats.Int(StatKey::kRequestedBytes));
  SetInt(IntField::kStackBytes, stack);
  SetInt(IntField::kAvailableBytes, stats.Int(StatKey::kBytesAvailable));
  SetInt(IntField::kLifetimePeak, stats.Int(StatKey::kPeakBytes));
  trace_.Set(TextField::kAllocator, allocator.empty() ? trace_.strings.Intern("allocator")
                                                      : Intern(stats, StatKey::kAllocator));
  SetText(TextField::kFrameworkOp, stats, StatKey::kTfOp);
  SetText(TextField::kRegion, stats, StatKey::kRegion);
  SetText(TextField::kShape, stats, StatKey::kShape);
  const std::string_view type = DataTypeName(stats.Int(StatKey::kDataType));
  if (!type.empty()) trace_.Set(TextField::kDataType, trace_.strings.Intern(type));
  if (stats.Has(StatKey::kFragmentation))
    trace_.Set(RealField::kFragmentation, stats.Real(StatKey::kFragmentation));
}

void HostPlanes::MarkEvents(bool mark_steps) {
  std::vector<std::pair<EventId, int64_t>> steps;
  for (const StepRoot& root : groups_.roots()) {
    if (mark_steps && !root.derived && root.kept != kNotKept)
      steps.emplace_back(root.kept, root.number);
  }
  std::ranges::sort(steps);
  for (const auto& [event, number] : steps) trace_.Set(event, IntField::kStep, number);
  MarkAlone();
}

void HostPlanes::AddMarkers(bool mark_steps) {
  if (groups_.without_end() > 0)
    trace_.notes.Add(NoteKind::kStepsWithoutEnd, groups_.without_end());
  if (!mark_steps) return;
  std::vector<StepRoot> derived;
  for (const StepRoot& root : groups_.roots()) {
    if (root.derived) derived.push_back(root);
  }
  const std::vector<Evaluation> evaluations = SplitTurns(derived, groups_.other_calls());
  const auto count = std::ssize(derived);
  for (const StepRoot& root : derived) {
    const TrackId track = track_of_line_[root.line];
    const StringId name = trace_.strings.Intern("FunctionRun");
    if (!keep_.Has(Kind::kAnnotation) || trace_.size() >= kNotKept - 1) continue;
    trace_.Add({root.start, root.end - root.start, name, track, Kind::kAnnotation});
    trace_.Set(IntField::kStep, root.number);
  }
  if (count > 0) trace_.notes.Add(NoteKind::kStepsFromFunctions, count);
  AddEvaluations(evaluations);
}

void HostPlanes::AddEvaluations(std::span<const Evaluation> evaluations) {
  constexpr std::string_view kTraced = "__inference_";
  for (const Evaluation& run : evaluations) {
    if (!keep_.Has(Kind::kAnnotation) || trace_.size() >= kNotKept - 1) return;
    std::string name(trace_.strings[run.function]);
    if (name.starts_with(kTraced)) name.erase(0, kTraced.size());
    trace_.Add({run.start, run.end - run.start, trace_.strings.Intern(name),
                track_of_line_[run.line], Kind::kAnnotation});
    trace_.Set(IntField::kEvaluationCalls, run.calls);
  }
}

// What lies within a call that runs an operator by itself runs by itself.
void HostPlanes::MarkAlone() {
  if (alone_.empty()) return;
  std::ranges::sort(alone_, {}, [](const Span& s) { return std::tuple(s.track, s.start); });
  // The latest end so far says whether any of those before holds an event.
  for (size_t i = 1; i < alone_.size(); ++i) {
    if (alone_[i].track == alone_[i - 1].track)
      alone_[i].end = std::max(alone_[i].end, alone_[i - 1].end);
  }
  for (EventId e = 0; e < trace_.size(); ++e) {
    if (trace_.kinds()[e] != Kind::kOperator) continue;
    const TrackId track = trace_.tracks_of()[e];
    const int64_t start = trace_.starts()[e];
    auto at = std::ranges::upper_bound(alone_, std::tuple(track, start), {},
                                       [](const Span& s) { return std::tuple(s.track, s.start); });
    if (at == alone_.begin() || (--at)->track != track) continue;
    if (at->end >= start + trace_.durations()[e]) trace_.Set(e, IntField::kEager, 1);
  }
}

}  // namespace stepscope
