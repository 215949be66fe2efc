// Lays out the events of recordings: tracks below processes, each track's slices nested.
#include "export/perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/time_units.h"
#include "export/perfetto_packets.h"
#include "ingest/common/perfetto_fields.h"

namespace stepscope {
namespace {

constexpr size_t kFlushAt = size_t{1} << 20;  // bytes
constexpr size_t kMostLanes = 64;  // for slices of one track that overlap without nesting
constexpr int64_t kSnapshotEvery = kSecond;
constexpr int64_t kMostSnapshots = 1000;

// What a clock reads when the reference's reads `aligned`.
int64_t OwnTimeAt(const Clock& clock, int64_t aligned) {
  if (!clock.known) return aligned;
  int64_t own = aligned;
  for (int round = 0; round < 4; ++round) own += aligned - clock.Aligned(own);
  return own;
}

int64_t AlignedTime(const Clock& clock, int64_t own) {
  return clock.known ? clock.Aligned(own) : own;
}

}  // namespace

struct PerfettoFile::Open {
  Open(std::string& bytes, uint32_t sequence, KeptTimes kept, const redact::Redactor* redactor)
      : packets(bytes, sequence), events(std::move(kept), redactor, packets) {}
  PerfettoPackets packets;
  PerfettoEvents events;
};

// Writes one recording to the file.
class RecordingWriter {
 public:
  RecordingWriter(PerfettoFile& file, const Shown& shown, const Overlay& overlay)
      : file_(file),
        shown_(shown),
        overlay_(overlay),
        packets_(file.open_->packets),
        events_(file.open_->events),
        shift_(file.shifts_[file.recordings_ - 1]) {}

  void Write() {
    events_.Finish();
    packets_.Begin({.rank = shown_.rank,
                    .window = shown_.window,
                    .events = events_.observed,
                    .shift = shift_,
                    .members = events_.members});
    packets_.WriteInterned();
    WriteEvents();
    WritePath();
    WriteCounters();
    file_.left_out_ += events_.left_out;
    file_.mended_ = events_.mended;
  }

 private:
  struct Lane {
    TrackUuid track = 0;
    std::vector<int64_t> ends;  // of the slices that are open, innermost last
  };

  std::string RankName() const {
    return shown_.window == 0 ? fmt::format("rank {}", shown_.rank)
                              : fmt::format("rank {} window {}", shown_.rank, shown_.window);
  }
  uint64_t TimeOf(int64_t time) const {
    return static_cast<uint64_t>(std::max<int64_t>(time + shift_, 0));
  }
  uint64_t FlowOf(uint64_t flow) const { return uint64_t{file_.recordings_} << 48 ^ flow; }

  TrackUuid Process(const std::string& what);
  std::string ProcessOf(const std::string& pid) const;
  TrackIdentity IdentityOf(const std::string& pid, const std::string& tid) const;
  void WritePath();
  void WriteCounters();
  void WriteEvents();
  Lane* LaneFor(const CollectedEvent& event);
  TrackUuid AddLane(const PerfettoLine& line, uint32_t number);
  TrackUuid CounterTrackOf(uint32_t number);
  void CloseUntil(Lane& lane, int64_t time);
  void CloseAll();
  void WriteEvent(const CollectedEvent& event);

  PerfettoFile& file_;
  const Shown& shown_;
  const Overlay& overlay_;
  PerfettoPackets& packets_;
  PerfettoEvents& events_;
  int64_t shift_;
  std::map<std::string, TrackUuid> processes_;
  std::map<uint32_t, TrackUuid> counter_tracks_;
  std::vector<Lane> lanes_;  // of the line at hand
};

TrackUuid RecordingWriter::Process(const std::string& what) {
  const auto [at, is_new] = processes_.try_emplace(what);
  if (is_new) at->second = packets_.AddProcess(RankName() + " " + what, ++file_.processes_);
  return at->second;
}

// Events of devices stand in processes that have the numbers of the devices.
std::string RecordingWriter::ProcessOf(const std::string& pid) const {
  const auto of_device = [&](const PerfettoLine& line) {
    return line.is_stream && line.device == pid;
  };
  if (std::ranges::any_of(events_.lines, of_device)) return "GPU " + pid;
  return pid.empty() ? "host" : "host " + pid;
}

TrackIdentity RecordingWriter::IdentityOf(const std::string& pid, const std::string& tid) const {
  TrackIdentity identity{.pid = pid, .tid = tid};
  const auto process = events_.process_names.find(pid);
  if (process != events_.process_names.end()) identity.process = process->second;
  const auto thread = events_.thread_names.find({pid, tid});
  if (thread != events_.thread_names.end()) identity.thread = thread->second;
  return identity;
}

void RecordingWriter::WritePath() {
  if (overlay_.path.empty()) return;
  const TrackUuid track = packets_.AddTrack(
      Process("critical path"), "critical path of " + overlay_.path_covers, 0, {.later = true});
  std::string body;
  for (const PathPiece& piece : overlay_.path) {
    body.clear();
    {
      pbf_writer event(body);
      event.add_string(perfetto::kCategory, piece.bound);
      event.add_string(perfetto::kName, piece.name);
      const auto annotate = [&](std::string_view name, std::string_view text) {
        pbf_writer annotation(event, perfetto::kAnnotation);
        annotation.add_string(perfetto::kAnnotationName, name);
        annotation.add_string(perfetto::kText, text);
      };
      annotate("bound", piece.bound);
      annotate("where", piece.where);
    }
    packets_.BeginSlice({.track = track, .time = TimeOf(piece.start)}, body);
    packets_.EndSlice(track, TimeOf(piece.end));
    ++file_.events_;
    file_.FlushIfLarge();
  }
}

void RecordingWriter::WriteCounters() {
  int32_t order = 1000;  // below the streams
  for (const CounterTrack& counter : overlay_.counters) {
    const TrackUuid track =
        packets_.AddCounter(Process(fmt::format("GPU {}", counter.device)), counter.name,
                            counter.unit, ++order, {.later = true});
    for (const StepCurve::Point& point : counter.points) {
      packets_.Count({.track = track, .time = TimeOf(point.time)},
                     static_cast<double>(point.level) * counter.scale);
      ++file_.events_;
    }
    file_.FlushIfLarge();
  }
}

TrackUuid RecordingWriter::AddLane(const PerfettoLine& line, uint32_t number) {
  const TrackIdentity identity = IdentityOf(line.pid, line.tid);
  std::string name = line.is_stream            ? "stream " + line.stream
                     : identity.thread.empty() ? "thread " + line.tid
                                               : std::string(identity.thread);
  name += line.suffix;
  const TrackUuid process = Process(line.is_stream ? "GPU " + line.device : ProcessOf(line.pid));
  return packets_.AddTrack(process, name, static_cast<int32_t>(std::min(number, 999u)), identity);
}

// The first lane in which the event lies within the innermost open slice, or behind all.
RecordingWriter::Lane* RecordingWriter::LaneFor(const CollectedEvent& event) {
  for (Lane& lane : lanes_) {
    CloseUntil(lane, event.start);
    if (lane.ends.empty() || event.end <= lane.ends.back()) return &lane;
  }
  if (lanes_.size() == kMostLanes) return nullptr;
  lanes_.push_back({.track = AddLane(events_.lines[event.line], event.line)});
  return &lanes_.back();
}

void RecordingWriter::CloseUntil(Lane& lane, int64_t time) {
  while (!lane.ends.empty() && lane.ends.back() <= time) {
    packets_.EndSlice(lane.track, TimeOf(lane.ends.back()));
    lane.ends.pop_back();
  }
}

void RecordingWriter::CloseAll() {
  for (Lane& lane : lanes_) CloseUntil(lane, INT64_MAX);
  lanes_.clear();
}

TrackUuid RecordingWriter::CounterTrackOf(uint32_t number) {
  const auto [at, is_new] = counter_tracks_.try_emplace(number);
  if (!is_new) return at->second;
  const PerfettoCounter& counter = events_.counters[number];
  TrackIdentity identity = IdentityOf(counter.pid, counter.tid);
  identity.counter = counter.name;
  identity.later = counter.later;
  const std::string name =
      counter.series.empty() ? counter.name : counter.name + " " + counter.series;
  at->second = packets_.AddCounter(Process(ProcessOf(counter.pid)), name, "", 999, identity);
  return at->second;
}

void RecordingWriter::WriteEvent(const CollectedEvent& event) {
  const std::string_view body(events_.bodies.data() + event.body, event.size);
  const EventMoment at{.time = TimeOf(event.start), .order = event.order};
  const auto on = [&](TrackUuid track) {
    EventMoment moment = at;
    moment.track = track;
    return moment;
  };
  if (event.type == CollectedEvent::Type::kCount)
    return packets_.Count(on(CounterTrackOf(event.line)), event.value);
  Lane* lane = LaneFor(event);
  if (lane == nullptr) {
    ++file_.left_out_;
    --file_.events_;
    return;
  }
  if (event.type == CollectedEvent::Type::kMoment) return packets_.Moment(on(lane->track), body);
  std::vector<uint64_t> from, to;
  for (const uint64_t flow : event.from) from.push_back(FlowOf(flow));
  for (const uint64_t flow : event.to) to.push_back(FlowOf(flow));
  packets_.BeginSlice(on(lane->track), body, from, to);
  lane->ends.push_back(event.end);
}

void RecordingWriter::WriteEvents() {
  const CollectedEvent* last = nullptr;
  for (const CollectedEvent& event : events_.events) {
    if (last != nullptr && (last->line != event.line || last->type == CollectedEvent::Type::kCount))
      CloseAll();
    if (event.type == CollectedEvent::Type::kCount && !lanes_.empty()) CloseAll();
    WriteEvent(event);
    ++file_.events_;
    file_.FlushIfLarge();
    last = &event;
  }
  CloseAll();
}

PerfettoFile::PerfettoFile(std::string path, std::vector<ShownClock> clocks,
                           const redact::Redactor* redactor)
    : file_(path, path.ends_with(".gz") ? &gzip_ : nullptr),
      clocks_(std::move(clocks)),
      redactor_(redactor) {
  // The format has no time before 0: with a day to spare for what comes before the activities.
  for (const ShownClock& of : clocks_) shifts_.push_back(std::max<int64_t>(kDay - of.first, 0));
}

PerfettoFile::~PerfettoFile() = default;

// One snapshot, or, where clocks drift, one for every second.
Result<void> PerfettoFile::Create() {
  int64_t first = INT64_MAX, last = INT64_MIN;
  bool drifts = false;
  for (const ShownClock& of : clocks_) {
    first = std::min(first, AlignedTime(of.clock, of.first));
    last = std::max(last, AlignedTime(of.clock, of.last));
    drifts = drifts || (of.clock.known && of.clock.drift != 0);
  }
  if (clocks_.empty()) return file_.Create();
  const int64_t shift = std::max<int64_t>(kDay - first, 0);
  const int64_t span = std::max<int64_t>(last - first, 0);
  const int64_t every = std::max(kSnapshotEvery, span / kMostSnapshots + 1);
  std::vector<uint64_t> readings(clocks_.size());
  for (int64_t at = first;; at += every) {
    for (size_t i = 0; i < clocks_.size(); ++i)
      readings[i] =
          static_cast<uint64_t>(std::max<int64_t>(OwnTimeAt(clocks_[i].clock, at) + shifts_[i], 0));
    WriteClocks(bytes_, static_cast<uint64_t>(at + shift), readings);
    if (!drifts || at + every > last) break;
  }
  return file_.Create();
}

RawEventObserver PerfettoFile::Begin(KeptTimes kept) {
  open_ = std::make_unique<Open>(bytes_, ++recordings_, std::move(kept), redactor_);
  return open_->events.Observer();
}

void PerfettoFile::End(const Shown& shown, const Overlay& overlay) {
  RecordingWriter(*this, shown, overlay).Write();
  open_.reset();
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
