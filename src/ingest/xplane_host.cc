// From the host's planes to events of threads.
#include "ingest/xplane_host.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "ingest/xplane_details.h"
#include "trace/vocabulary.h"

namespace stepscope {
namespace {

constexpr std::string_view kAllocation = "MemoryAllocation";
constexpr std::string_view kDeallocation = "MemoryDeallocation";

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

std::string_view NameOf(const XEvent& event) {
  return event.metadata == nullptr ? std::string_view() : event.metadata->name;
}

Kind KindOfHostEvent(const XEvent& event, std::string_view name) {
  if (name.starts_with('$')) return Kind::kPython;  // as Python's tracer writes names
  if (event.stats.Int(StatKey::kRoot, 0) > 0) return Kind::kAnnotation;
  if (event.stats.Has(StatKey::kCorrelation)) return Kind::kRuntime;
  const bool framework = event.stats.Has(StatKey::kHloOp) || IsFrameworkRange(name);
  return framework ? Kind::kOperator : Kind::kAnnotation;
}

}  // namespace

bool IsHostPlane(std::string_view name) {
  return name.starts_with("/host:CPU") || name == "/host:python-tracer";
}

void HostPlanes::Read(const XPlane& plane, LineReader& lines) {
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
  track_ = static_cast<TrackId>(trace_.tracks.size());
  has_async_track_ = false;
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

void HostPlanes::SetText(TextField field, std::string_view text) {
  if (!text.empty()) trace_.Set(field, trace_.strings.Intern(text));
}

void HostPlanes::SetInt(IntField field, int64_t value) {
  if (value >= 0) trace_.Set(field, value);
}

EventId HostPlanes::Keep(Kind kind, const XEvent& event, const XTime& time, std::string_view name) {
  if (!keep_.Has(kind) || trace_.size() >= kNotKept - 1) return kNotKept;
  const TrackId track = event.stats.Has(StatKey::kAsync) ? AsyncTrack() : track_;
  return trace_.Add({time.start, time.duration, trace_.strings.Intern(name), track, kind});
}

void HostPlanes::Take(const XEvent& event, const XTime& time) {
  ++trace_.events_in_file;
  const std::string_view name = NameOf(event);
  if (name == kAllocation || name == kDeallocation) return TakeMemory(event, time, name);
  const Kind kind = KindOfHostEvent(event, name);
  const EventId kept = Keep(kind, event, time, name);
  const XStats& stats = event.stats;
  if (kept != kNotKept) {
    SetInt(IntField::kCorrelation, stats.Int(StatKey::kCorrelation));
    if (name.starts_with("Iterator::") && stats.Has(StatKey::kId)) {
      trace_.Set(IntField::kIterator, stats.Int(StatKey::kId) & INT64_MAX);
      if (stats.Has(StatKey::kParentId))
        trace_.Set(IntField::kIteratorParent, stats.Int(StatKey::kParentId) & INT64_MAX);
    }
  }
  if (kind == Kind::kPython || stats.Has(StatKey::kAsync)) return;
  if (stats.Has(StatKey::kRunId) && stats.Has(StatKey::kHloModule)) {
    runs_.Add(trace_.strings.Intern(stats.Text(StatKey::kHloModule)),
              trace_.strings.Intern(stats.Text(StatKey::kHloOp)), stats.Int(StatKey::kRunId),
              time.start, time.start + time.duration);
  }
  const HostEventId id = groups_.Add(
      {.start = time.start,
       .end = time.start + time.duration,
       .line = line_,
       .kept = kept,
       .root_level =
           static_cast<int32_t>(std::clamp<int64_t>(stats.Int(StatKey::kRoot, 0), 0, INT32_MAX)),
       .legacy_level = LegacyLevel(name),
       .of_pipeline = name.starts_with("InstantiatedCapturedFunction"),
       .runs_alone = name.starts_with("EagerExecute") && stats.Int(StatKey::kIsFunction) == 0});
  Join(id, event, name);
}

// Tells what the event hands to other threads, or takes from them.
void HostPlanes::Join(HostEventId id, const XEvent& event, std::string_view name) {
  const XStats& stats = event.stats;
  if (stats.Has(StatKey::kProducer))
    groups_.AddProducer(id, stats.Int(StatKey::kProducerType), stats.Int(StatKey::kProducer));
  if (stats.Has(StatKey::kConsumer))
    groups_.AddConsumer(id, stats.Int(StatKey::kConsumerType), stats.Int(StatKey::kConsumer));
  if (stats.Has(StatKey::kCorrelation)) groups_.AddLaunch(id, stats.Int(StatKey::kCorrelation));
  const int64_t number = stats.Int(StatKey::kIteration, stats.Int(StatKey::kStepNumber));
  const bool may_be_root = groups_[id].root_level > 0 || groups_[id].legacy_level > 0;
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

void HostPlanes::TakeMemory(const XEvent& event, const XTime& time, std::string_view name) {
  const XStats& stats = event.stats;
  const std::string_view allocator = stats.Text(StatKey::kAllocator);
  const int64_t bytes = stats.Int(StatKey::kAllocationBytes, 0);
  if (bytes < 0) return trace_.notes.Add(NoteKind::kValueOutOfRange);
  if (Keep(Kind::kInstant, event, {time.start, 0}, name) == kNotKept) return;
  const int64_t device = DeviceOfAllocator(allocator, stats.Int(StatKey::kDeviceOrdinal, 0));
  trace_.Set(IntField::kBytes, name == kAllocation ? bytes : -bytes);
  SetInt(IntField::kAddress, stats.Int(StatKey::kAddress) & INT64_MAX);
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
  trace_.Set(TextField::kAllocator,
             trace_.strings.Intern(allocator.empty() ? "allocator" : allocator));
  SetText(TextField::kFrameworkOp, stats.Text(StatKey::kTfOp));
  SetText(TextField::kRegion, stats.Text(StatKey::kRegion));
  SetText(TextField::kShape, stats.Text(StatKey::kShape));
  SetText(TextField::kDataType, DataTypeName(stats.Int(StatKey::kDataType)));
  if (stats.Has(StatKey::kFragmentation))
    trace_.Set(RealField::kFragmentation, stats.Real(StatKey::kFragmentation));
}

void HostPlanes::MarkEvents(bool mark_steps) {
  std::vector<std::pair<EventId, int64_t>> steps;
  for (const StepRoot& root : groups_.roots()) {
    if (mark_steps && groups_[root.event].kept != kNotKept)
      steps.emplace_back(groups_[root.event].kept, root.number);
  }
  std::ranges::sort(steps);
  for (const auto& [event, number] : steps) trace_.Set(event, IntField::kStep, number);
  for (HostEventId id = 0; id < groups_.size(); ++id) {
    if (groups_[id].kept != kNotKept && groups_.RunsAlone(id))
      trace_.Set(groups_[id].kept, IntField::kEager, 1);
  }
}

}  // namespace stepscope
