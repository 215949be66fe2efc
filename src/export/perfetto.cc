// Converts columns to packets: events by track and time, each track's slices nested.
#include "export/perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "export/perfetto_packets.h"

namespace stepscope {
namespace {

constexpr size_t kFlushAt = size_t{1} << 20;  // bytes
constexpr size_t kMostLanes = 64;  // for slices of one track that overlap without nesting

// What of an event is shown beside its name. Others have no use in a viewer.
constexpr auto kInts = std::to_array<std::pair<IntField, std::string_view>>({
    {IntField::kCorrelation, "correlation"},
    {IntField::kExternalId, "external id"},
    {IntField::kBytes, "bytes"},
    {IntField::kInElements, "in elements"},
    {IntField::kOutElements, "out elements"},
    {IntField::kGroupSize, "group size"},
    {IntField::kCollectiveSequence, "collective sequence"},
    {IntField::kMessageFrom, "from rank"},
    {IntField::kMessageTo, "to rank"},
    {IntField::kAddress, "address"},
    {IntField::kTotalAllocated, "total allocated"},
    {IntField::kTotalReserved, "total reserved"},
    {IntField::kWaitStream, "waits for stream"},
});
constexpr auto kTexts = std::to_array<std::pair<TextField, std::string_view>>({
    {TextField::kInputShapes, "input shapes"},
    {TextField::kInputTypes, "input types"},
    {TextField::kCollective, "collective"},
    {TextField::kDataType, "data type"},
    {TextField::kGroupName, "group"},
    {TextField::kGroupDescription, "group description"},
    {TextField::kGroupRanks, "group ranks"},
});

bool IsShown(Kind kind) {
  return kind != Kind::kFlow && kind != Kind::kCounter && kind != Kind::kProfilerWindow;
}

// Which of the lines of a stream an event is on: its activities, or what spans work.
std::string_view LineOf(Kind kind) {
  switch (kind) {
    case Kind::kGpuAnnotation:
      return " annotations";
    case Kind::kSync:
      return " synchronization";
    case Kind::kCounterRange:
      return " counter ranges";
    case Kind::kPython:
    case Kind::kPythonWait:
      return " Python";
    default:
      return "";
  }
}

}  // namespace

// Writes one recording to the file.
class RecordingWriter {
 public:
  RecordingWriter(PerfettoFile& file, const Trace& trace, const Shown& shown)
      : file_(file), trace_(trace), shown_(shown), packets_(file.bytes_, ++file.recordings_) {}

  void Write() {
    FindLaunches();
    WritePath();
    WriteCounters();
    WriteEvents();
  }

 private:
  struct Lane {
    TrackUuid track = 0;
    std::vector<int64_t> ends;  // of the slices that are open, innermost last
  };
  // All events of one line, in the order of time.
  struct Line {
    TrackId track = 0;
    std::string_view suffix;
    TrackUuid process = 0;
    int32_t order = 0;
    std::vector<Lane> lanes;
  };

  std::string RankName() const {
    return shown_.window == 0 ? fmt::format("rank {}", shown_.rank)
                              : fmt::format("rank {} window {}", shown_.rank, shown_.window);
  }
  uint64_t TimeOf(int64_t time) const {
    const int64_t aligned = shown_.clock.known ? shown_.clock.Aligned(time) : time;
    return static_cast<uint64_t>(std::max<int64_t>(aligned + file_.shift_, 0));
  }
  int64_t EndOf(EventId e) const { return trace_.starts()[e] + trace_.durations()[e]; }

  TrackUuid Process(const std::string& what);
  void FindLaunches();
  void WritePath();
  void WriteCounters();
  std::vector<EventId> EventsInOrder() const;
  void WriteEvents();
  Line LineFor(EventId event);
  Lane* LaneFor(Line& line, EventId event);
  void CloseUntil(Lane& lane, int64_t time);
  void Annotate(EventId event);
  void WriteSlice(Lane& lane, EventId event);

  PerfettoFile& file_;
  const Trace& trace_;
  const Shown& shown_;
  PerfettoPackets packets_;
  std::map<std::string, TrackUuid> processes_;
  std::unordered_map<int64_t, EventId> call_of_;              // by correlation
  std::unordered_map<EventId, std::vector<uint64_t>> flows_;  // of calls: to what they launched
  std::vector<Annotation> annotations_;
};

TrackUuid RecordingWriter::Process(const std::string& what) {
  const auto [at, is_new] = processes_.try_emplace(what);
  if (is_new) at->second = packets_.AddProcess(RankName() + " " + what, ++file_.processes_);
  return at->second;
}

// A call and its activities share a correlation. An arrow's id is the activity's number in the
// file.
void RecordingWriter::FindLaunches() {
  const auto& correlations = trace_.Ints(IntField::kCorrelation);
  for (size_t i = 0; i < correlations.size(); ++i) {
    const EventId event = correlations.event(i);
    if (trace_.kinds()[event] == Kind::kRuntime) call_of_.try_emplace(correlations.value(i), event);
  }
  for (size_t i = 0; i < correlations.size(); ++i) {
    const EventId event = correlations.event(i);
    if (!IsDeviceActivity(trace_.kinds()[event])) continue;
    const auto call = call_of_.find(correlations.value(i));
    if (call == call_of_.end()) continue;
    flows_[call->second].push_back(uint64_t{file_.recordings_} << 32 | (event + uint64_t{1}));
  }
}

void RecordingWriter::WritePath() {
  const Overlay& overlay = shown_.overlay;
  if (overlay.path.empty()) return;
  const TrackUuid track =
      packets_.AddTrack(Process("critical path"), "critical path of " + overlay.path_covers, 0);
  for (const PathPiece& piece : overlay.path) {
    const auto notes = std::to_array<Annotation>({{"bound", piece.bound}, {"where", piece.where}});
    packets_.Begin({.track = track,
                    .time = TimeOf(piece.start),
                    .name = piece.name,
                    .category = piece.bound,
                    .annotations = notes});
    packets_.End(track, TimeOf(piece.end));
    ++file_.events_;
    file_.FlushIfLarge();
  }
}

void RecordingWriter::WriteCounters() {
  int32_t order = 1000;  // below the streams
  for (const CounterTrack& counter : shown_.overlay.counters) {
    const TrackUuid track = packets_.AddCounter(Process(fmt::format("GPU {}", counter.device)),
                                                counter.name, counter.unit, ++order);
    for (const StepCurve::Point& point : counter.points) {
      packets_.Count(track, TimeOf(point.time), static_cast<double>(point.level) * counter.scale);
      ++file_.events_;
    }
    file_.FlushIfLarge();
  }
}

// By line, then time, the longer first.
std::vector<EventId> RecordingWriter::EventsInOrder() const {
  const auto kinds = trace_.kinds();
  std::vector<EventId> events;
  for (EventId e = 0; e < trace_.size(); ++e) {
    const bool kept = shown_.kept.Has(kinds[e], trace_.starts()[e], trace_.durations()[e]);
    if (kept && IsShown(kinds[e])) events.push_back(e);
  }
  std::ranges::sort(events, {}, [&](EventId e) {
    return std::tuple(trace_.tracks_of()[e], LineOf(kinds[e]), trace_.starts()[e],
                      -trace_.durations()[e], e);
  });
  return events;
}

void RecordingWriter::WriteEvents() {
  Line line;
  const auto close_all = [&] {
    for (Lane& lane : line.lanes) CloseUntil(lane, INT64_MAX);
  };
  for (const EventId event : EventsInOrder()) {
    const bool same = !line.lanes.empty() && line.track == trace_.tracks_of()[event] &&
                      line.suffix == LineOf(trace_.kinds()[event]);
    if (!same) {
      close_all();
      line = LineFor(event);
    }
    if (Lane* lane = LaneFor(line, event)) {
      WriteSlice(*lane, event);
    } else {
      ++file_.left_out_;
    }
    file_.FlushIfLarge();
  }
  close_all();
}

RecordingWriter::Line RecordingWriter::LineFor(EventId event) {
  const TrackId id = trace_.tracks_of()[event];
  const Track& track = trace_.tracks[id];
  std::string process = "host";
  if (track.is_stream) {
    process = fmt::format("GPU {}", track.device);
  } else if (!track.process.empty()) {
    process += " " + track.process;
  }
  return {.track = id,
          .suffix = LineOf(trace_.kinds()[event]),
          .process = Process(process),
          .order = static_cast<int32_t>(std::min<uint32_t>(id, 999))};
}

// The first lane in which the event lies within the innermost open slice, or behind all.
RecordingWriter::Lane* RecordingWriter::LaneFor(Line& line, EventId event) {
  for (Lane& lane : line.lanes) {
    CloseUntil(lane, trace_.starts()[event]);
    if (lane.ends.empty() || EndOf(event) <= lane.ends.back()) return &lane;
  }
  if (line.lanes.size() == kMostLanes) return nullptr;
  const Track& track = trace_.tracks[line.track];
  std::string name = track.is_stream      ? fmt::format("stream {}", track.stream)
                     : track.name.empty() ? "thread " + track.thread
                                          : track.name;
  name += line.suffix;
  line.lanes.push_back({.track = packets_.AddTrack(line.process, name, line.order)});
  return &line.lanes.back();
}

void RecordingWriter::CloseUntil(Lane& lane, int64_t time) {
  while (!lane.ends.empty() && lane.ends.back() <= time) {
    packets_.End(lane.track, TimeOf(lane.ends.back()));
    lane.ends.pop_back();
  }
}

void RecordingWriter::Annotate(EventId event) {
  annotations_.clear();
  for (const auto& [field, name] : kInts) {
    if (const auto value = trace_.Ints(field).Find(event)) annotations_.push_back({name, *value});
  }
  for (const auto& [field, name] : kTexts) {
    if (const auto text = trace_.Texts(field).Find(event)) {
      annotations_.push_back({name, trace_.strings[*text]});
    }
  }
  if (const auto rate = trace_.Reals(RealField::kBandwidth).Find(event)) {
    annotations_.push_back({"GB/s", *rate});
  }
}

void RecordingWriter::WriteSlice(Lane& lane, EventId event) {
  const Kind kind = trace_.kinds()[event];
  Annotate(event);
  const auto flows = flows_.find(event);
  SliceStart slice{.track = lane.track,
                   .time = TimeOf(trace_.starts()[event]),
                   .name = trace_.strings[trace_.names()[event]],
                   .category = KindName(kind),
                   .annotations = annotations_};
  if (flows != flows_.end()) slice.flows_from = flows->second;
  if (const auto id = trace_.Ints(IntField::kCorrelation).Find(event);
      IsDeviceActivity(kind) && id && call_of_.contains(*id)) {
    slice.flow_to = uint64_t{file_.recordings_} << 32 | (event + uint64_t{1});
  }
  packets_.Begin(slice);
  lane.ends.push_back(EndOf(event));
  ++file_.events_;
}

PerfettoFile::PerfettoFile(std::string path, int64_t shift)
    : file_(std::move(path), &gzip_), shift_(shift) {}

void PerfettoFile::Add(const Trace& trace, const Shown& shown) {
  RecordingWriter(*this, trace, shown).Write();
}

void PerfettoFile::FlushIfLarge() {
  if (bytes_.size() >= kFlushAt) Flush();
}

void PerfettoFile::Flush() {
  if (written_) written_ = file_.Append(bytes_);
  bytes_.clear();
}

Result<void> PerfettoFile::Finish() {
  Flush();
  if (!written_) return written_;
  if (auto done = file_.Finish(); !done) return done;
  return file_.Commit();
}

}  // namespace stepscope
