// Converts a trace's columns to tracks. No other file of this room reads a trace.
#include "timeline/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/parallel.h"
#include "base/robust.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "base/time_units.h"

namespace stepscope {
namespace {

constexpr size_t kLines = 6;
constexpr uint32_t kNoSlot = UINT32_MAX;

// What a viewer has no use for: numbers that only join what is joined already.
bool IsKept(IntField field) {
  switch (field) {
    case IntField::kCorrelation:  // kept by position
    case IntField::kExternalId:
    case IntField::kForwardThread:
    case IntField::kFlowId:
    case IntField::kIterator:
    case IntField::kIteratorParent:
    case IntField::kRecordFunction:
      return false;
    default:
      return true;
  }
}

// On which of its thread's or stream's tracks an event of this kind is; none: on no track.
std::optional<Line> LineOf(Kind kind) {
  switch (kind) {
    case Kind::kGpuAnnotation:
      return Line::kAnnotations;
    case Kind::kSync:
      return Line::kSync;
    case Kind::kCounterRange:
      return Line::kCounterRanges;
    case Kind::kInstant:
      return Line::kInstants;
    case Kind::kPython:
    case Kind::kPythonWait:
      return Line::kPython;
    case Kind::kCounter:
    case Kind::kFlow:
      return std::nullopt;
    default:
      return Line::kMain;
  }
}

std::string_view SuffixOf(Line line) {
  constexpr auto kSuffixes = std::to_array<std::string_view>(
      {": annotations", "", ": synchronization", ": counter ranges", ": moments", ": Python"});
  return kSuffixes[static_cast<size_t>(line)];
}

// Where Kineto writes its own records: the span of the recording, and moments of its work
// (libkineto's output_json.cpp). No process of a job is called so.
bool IsProfilers(std::string_view process) {
  return process.empty() || process == "Spans" || process == "Traces";
}

std::string GroupOf(const Track& track, bool several_processes) {
  if (track.is_stream) return fmt::format("GPU {}", track.device);
  return several_processes && !track.process.empty() ? "CPU " + track.process : "CPU";
}

}  // namespace

class Recorder {
 public:
  Recorder(const Trace& trace, size_t threads, RecordedEvents& out)
      : trace_(trace), threads_(threads), out_(out) {}

  void Record() {
    FindMiddle();
    MakeTracks();
    CollectCounters();
    PackCorrelations();
    CountNames();
  }

 private:
  struct Draft {
    TrackId track = 0;
    Line line = Line::kMain;
    uint64_t thread_events = 0;  // on all tracks of its thread, and of its process
    uint64_t process_events = 0;
    std::vector<uint32_t> ids;
  };

  bool HasOnlyRecordsOfProfiler(const Draft& draft) const;

  void FindMiddle();
  bool HasPlace(EventId e) const;
  std::vector<Draft> CollectDrafts();
  void MakeTracks();
  RecordedTrack TrackOf(Draft& draft, bool several_processes) const;
  void CollectCounters();
  void PackCorrelations();
  void CountNames();

  const Trace& trace_;
  size_t threads_;
  RecordedEvents& out_;
  int64_t middle_ = 0;  // of the recording's times
};

// The median start of many events: what is a day off has a broken clock.
void Recorder::FindMiddle() {
  constexpr size_t kSamples = 1 << 16;
  std::vector<int64_t> samples;
  const size_t stride = trace_.size() / kSamples + 1;
  for (size_t e = 0; e < trace_.size(); e += stride) samples.push_back(trace_.starts()[e]);
  if (samples.empty()) return;
  middle_ = UpperMedian(samples);
}

bool Recorder::HasPlace(EventId e) const {
  const int64_t off = SubtractSaturated(trace_.starts()[e], middle_);
  return off >= -kDay && off <= kDay && trace_.durations()[e] <= kDay;
}

std::vector<Recorder::Draft> Recorder::CollectDrafts() {
  const auto kinds = trace_.kinds();
  const auto& tracks = trace_.tracks_of();
  std::vector<uint64_t> counts(trace_.tracks.size() * kLines);
  std::vector<uint64_t> of_thread(trace_.tracks.size());
  for (EventId e = 0; e < trace_.size(); ++e) {
    const auto line = LineOf(kinds[e]);
    if (!line) continue;
    ++counts[tracks[e] * kLines + static_cast<size_t>(*line)];
    ++of_thread[tracks[e]];
  }
  std::vector<uint32_t> draft_of(counts.size(), kNoSlot);
  std::vector<Draft> drafts;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    draft_of[i] = static_cast<uint32_t>(drafts.size());
    const auto track = static_cast<TrackId>(i / kLines);
    drafts.push_back(
        {.track = track, .line = static_cast<Line>(i % kLines), .thread_events = of_thread[track]});
    drafts.back().ids.reserve(counts[i]);
  }
  for (EventId e = 0; e < trace_.size(); ++e) {
    const auto line = LineOf(kinds[e]);
    if (!line) continue;
    if (!HasPlace(e)) {
      ++out_.left_out;
      continue;
    }
    drafts[draft_of[tracks[e] * kLines + static_cast<size_t>(*line)]].ids.push_back(e);
  }
  std::erase_if(drafts, [](const Draft& draft) { return draft.ids.empty(); });
  return drafts;
}

bool Recorder::HasOnlyRecordsOfProfiler(const Draft& draft) const {
  const Track& track = trace_.tracks[draft.track];
  if (track.is_stream || !IsProfilers(track.process)) return false;
  return draft.ids.size() == draft.thread_events && std::ranges::all_of(draft.ids, [&](EventId e) {
           const Kind kind = trace_.kinds()[e];
           return kind == Kind::kProfilerWindow || kind == Kind::kInstant;
         });
}

RecordedTrack Recorder::TrackOf(Draft& draft, bool several_processes) const {
  const Track& track = trace_.tracks[draft.track];
  RecordedTrack out{
      .group = HasOnlyRecordsOfProfiler(draft) ? "profiler" : GroupOf(track, several_processes),
      .line = draft.line,
      .source = draft.track,
      .device = track.device,
      .stream = track.stream};
  out.name = !track.name.empty()    ? track.name
             : track.is_stream      ? fmt::format("stream {}", track.stream)
             : track.thread.empty() ? "no thread"
                                    : "thread " + track.thread;
  out.name += SuffixOf(draft.line);
  out.kind = draft.line == Line::kAnnotations ? TrackKind::kAnnotations
             : track.is_stream                ? TrackKind::kStream
                                              : TrackKind::kThread;
  out.events = EventStore({.starts = trace_.starts(),
                           .durations = trace_.durations(),
                           .names = trace_.names(),
                           .kinds = trace_.kinds()},
                          std::move(draft.ids));
  return out;
}

// Streams by device; then processes and their threads, those with the most to show first.
void Recorder::MakeTracks() {
  std::vector<Draft> drafts = CollectDrafts();
  std::map<std::string_view, uint64_t> processes;
  for (const Draft& draft : drafts) {
    const Track& track = trace_.tracks[draft.track];
    if (!track.is_stream) processes[track.process] += draft.ids.size();
  }
  for (Draft& draft : drafts) {
    const Track& track = trace_.tracks[draft.track];
    if (!track.is_stream) draft.process_events = processes[track.process];
  }
  std::ranges::stable_sort(drafts, {}, [this](const Draft& draft) {
    const Track& track = trace_.tracks[draft.track];
    const uint64_t busy = track.is_stream ? 0 : draft.thread_events;
    return std::tuple(!track.is_stream, track.device, track.stream,
                      UINT64_MAX - draft.process_events, track.process, UINT64_MAX - busy,
                      draft.track, draft.line);
  });
  out_.tracks.resize(drafts.size());
  ParallelFor(drafts.size(), threads_, [&](size_t i) {
    StopIfAsked();
    out_.tracks[i] = TrackOf(drafts[i], processes.size() > 1);
  });
  uint32_t first = 0;
  for (RecordedTrack& track : out_.tracks) {
    track.first = first;
    first += static_cast<uint32_t>(track.events.size());
  }
}

void Recorder::CollectCounters() {
  const auto& values = trace_.Reals(RealField::kCounterValue);
  std::map<std::pair<TrackId, StringId>, std::vector<CounterPoint>> points;
  for (size_t i = 0; i < values.size(); ++i) {
    const EventId e = values.event(i);
    if (trace_.kinds()[e] != Kind::kCounter || !HasPlace(e)) continue;
    points[{trace_.tracks_of()[e], trace_.names()[e]}].push_back(
        {trace_.starts()[e], values.value(i)});
  }
  for (auto& [key, curve] : points) {
    std::ranges::stable_sort(curve, {}, &CounterPoint::time);
    out_.counters.push_back({.group = GroupOf(trace_.tracks[key.first], false),
                             .name = std::string(trace_.strings[key.second]),
                             .points = std::move(curve)});
  }
}

// Correlation ids by position on the tracks, so that a link leads straight to its event.
void Recorder::PackCorrelations() {
  const auto& column = trace_.Ints(IntField::kCorrelation);
  std::vector<uint32_t> slots(column.size() == 0 ? 0 : trace_.size(), kNoSlot);
  for (size_t i = 0; i < column.size(); ++i) slots[column.event(i)] = static_cast<uint32_t>(i);
  if (!slots.empty()) {
    for (const RecordedTrack& track : out_.tracks) {
      for (size_t i = 0; i < track.events.size(); ++i) {
        const uint32_t slot = slots[track.events.Source(i)];
        if (slot == kNoSlot || column.value(slot) == 0) continue;
        out_.correlations_.Append(track.first + static_cast<uint32_t>(i), column.value(slot));
      }
    }
  }
}

// Names in use are told from others by 0 in place of kNoString, until they are shared.
void Recorder::CountNames() {
  out_.shared_.assign(trace_.strings.size(), kNoString);
  out_.uses_.assign(trace_.strings.size(), 0);
  for (const RecordedTrack& track : out_.tracks) {
    for (size_t i = 0; i < track.events.size(); ++i) ++out_.uses_[track.events.Name(i)];
  }
  for (size_t id = 0; id < out_.uses_.size(); ++id) {
    if (out_.uses_[id] > 0) out_.shared_[id] = 0;
  }
  for (size_t f = 0; f < Index(TextField::kCount); ++f) {
    const auto& texts = trace_.Texts(static_cast<TextField>(f));
    for (size_t i = 0; i < texts.size(); ++i) out_.shared_[texts.value(i)] = 0;
  }
}

RecordedEvents::RecordedEvents(const Trace& trace, size_t threads) {
  Recorder(trace, threads, *this).Record();
}

void RecordedEvents::TakeFields(Trace& trace) {
  for (size_t f = 0; f < ints_.size(); ++f) {
    if (IsKept(static_cast<IntField>(f))) ints_[f] = trace.Take(static_cast<IntField>(f));
  }
  for (size_t f = 0; f < texts_.size(); ++f) texts_[f] = trace.Take(static_cast<TextField>(f));
  for (const RealField field : {RealField::kBandwidth, RealField::kFragmentation})
    reals_[Index(field)] = trace.Take(field);
  for (size_t c = 0; c < trace.launch_configs.size(); ++c)
    configs_.push_back(trace.launch_configs[c]);
}

void RecordedEvents::ShareNames(const StringTable& strings, StringTable& names) {
  for (size_t id = 0; id < shared_.size(); ++id) {
    if (shared_[id] != kNoString) {
      shared_[id] = names.Intern(strings[static_cast<StringId>(id)]);
    }
  }
}

size_t RecordedEvents::bytes() const {
  size_t sum = correlations_.bytes() + (shared_.capacity() + uses_.capacity()) * sizeof(uint32_t) +
               configs_.capacity() * sizeof(LaunchConfig);
  for (const RecordedTrack& track : tracks) sum += track.events.bytes();
  for (const auto& column : ints_) sum += column.bytes();
  for (const auto& column : texts_) sum += column.bytes();
  for (const auto& column : reals_) sum += column.bytes();
  return sum;
}

Wanted TimelineNeeds() {
  KindSet kinds;
  for (size_t k = 0; k < static_cast<size_t>(Kind::kCount); ++k) {
    const auto kind = static_cast<Kind>(k);
    if (kind != Kind::kFlow) kinds = kinds | KindSet{kind};
  }
  return {kinds, /*with_inputs=*/true, /*with_kernels=*/true};
}

}  // namespace stepscope
