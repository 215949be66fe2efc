// Walks the packets of a trace, window by window, and keeps the state of each sequence of them.
#include "ingest/perfetto/perfetto_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/gzip.h"
#include "base/proto.h"
#include "base/proto_sniff.h"
#include "base/window_stream.h"
#include "ingest/common/event_text.h"
#include "ingest/common/perfetto_fields.h"
#include "ingest/common/reader_limits.h"
#include "ingest/json/json_index.h"
#include "ingest/json/json_text.h"
#include "ingest/kineto/kineto_members.h"
#include "ingest/perfetto/trace_clocks.h"
#include "ingest/perfetto/track_events.h"

namespace stepscope {
namespace perfetto {
namespace {

constexpr size_t kLongestPacket = size_t{256} << 20;  // bytes; a longer one is damage
constexpr size_t kSkippedHeader = 20;                 // bytes that a tag and a length take at most
constexpr uint32_t kPacketTag = BytesField(kPacket);

// The fields of one packet.
struct Packet {
  std::optional<uint64_t> timestamp;
  std::optional<uint32_t> clock;
  uint32_t sequence = 0;
  uint32_t flags = 0;
  bool dropped = false, cleared = false;
  std::optional<int64_t> order_step;
  std::string_view event, stage, interned, defaults, snapshot, track, process, thread, compressed,
      recording;
  bool has_event = false, has_counters = false;
};

bool ReadPacket(std::string_view message, Packet& packet) {
  return ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case VarintField(kTimestamp):
        packet.timestamp = field.get_uint64();
        break;
      case VarintField(kSequence):
        packet.sequence = field.get_uint32();
        break;
      case VarintField(kSequenceFlags):
        packet.flags = field.get_uint32();
        break;
      case BytesField(kTrackEvent):
        packet.event = field.get_view();
        packet.has_event = true;
        break;
      case BytesField(kInterned):
        packet.interned = field.get_view();
        break;
      case protozero::tag_and_type(kOrderStep, WireType::varint):
        packet.order_step = field.get_sint64();
        break;
      case VarintField(kClockId):
        packet.clock = field.get_uint32();
        break;
      case BytesField(kDefaults):
        packet.defaults = field.get_view();
        break;
      case BytesField(kClockSnapshot):
        packet.snapshot = field.get_view();
        break;
      case BytesField(kTrackDescriptor):
        packet.track = field.get_view();
        break;
      case BytesField(kThreadDescriptor):
        packet.thread = field.get_view();
        break;
      case VarintField(kPreviousDropped):
        packet.dropped = field.get_bool();
        break;
      case VarintField(kStateClearedOld):
        packet.cleared = field.get_bool();
        break;
      case BytesField(kCompressedPackets):
        packet.compressed = field.get_view();
        break;
      case BytesField(kGpuStageEvent):
        packet.stage = field.get_view();
        break;
      case BytesField(kGpuCounterEvent):
        packet.has_counters = true;
        field.skip();
        break;
      case BytesField(kRecording):
        packet.recording = field.get_view();
        break;
      default:
        field.skip();
    }
  });
}

// What the packets of one sequence have in common.
struct Sequence {
  Interned interned;
  bool valid = false;  // the interned data is whole
  uint32_t clock = 0;
  std::optional<uint64_t> track;
  std::optional<uint32_t> recording;
  int64_t next_order = 0;
  std::optional<int64_t> reference_us;
};

class Reader {
 public:
  Reader(ByteSource source, const ReadOptions& options, std::optional<size_t> part)
      : stream_(std::move(source), options.spare_threads), events_(options.keep, part) {}

  Result<std::vector<Recording>> Read();

 private:
  void ReadPackets();
  void TakeCompressed(std::string_view zlib);
  void TakePacket(std::string_view message, bool may_nest);
  void TakeRecording(std::string_view message, uint32_t sequence, Sequence& state);
  void TakeDefaults(std::string_view message, Sequence& state);
  int64_t TimeOf(const Packet& packet, const Sequence& state);
  Sequence& SequenceOf(uint32_t number);
  void NoteFile(RecordingRows& first);

  WindowStream stream_;
  TrackEvents events_;
  TraceClocks clocks_;
  std::unordered_map<uint32_t, Sequence> sequences_;
  Sequence* last_ = nullptr;
  uint32_t last_number_ = 0;
  ReportNotes notes_;  // of the whole file
  int64_t damaged_ = 0;
  bool truncated_ = false;
};

Sequence& Reader::SequenceOf(uint32_t number) {
  if (last_ != nullptr && last_number_ == number) return *last_;
  last_ = &sequences_[number];
  last_number_ = number;
  return *last_;
}

void TakeMembers(const std::string& members, TraceMeta& meta) {
  std::string text = "{" + members + "}";
  JsonIndex index;
  if (index.Index(text.data(), text.data() + text.size()) != JsonIndex::Outcome::kIndexed) return;
  JsonWalk walk(index);
  walk.Advance();
  while (walk.Peek() == '"') {
    const std::string key(walk.PeekString());
    walk.Advance();
    if (!walk.Consume(':')) return;
    const std::string_view value = walk.TakeValue();
    if (value.empty()) return;
    TakeMember(key, std::string(value), meta);
    if (!walk.Consume(',')) return;
  }
}

void Reader::TakeRecording(std::string_view message, uint32_t sequence, Sequence& state) {
  state.recording = events_.RecordingOf(sequence);
  RecordingRows& into = *events_.recordings[*state.recording];
  into.own = into.ordered = true;
  ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case VarintField(kRank):
        into.rank = std::max<int64_t>(field.get_int64(), 0);
        break;
      case VarintField(kEventsInFile):
        into.events_in_file = std::max<int64_t>(field.get_int64(), 0);
        break;
      case VarintField(kTimeShift):
        into.own_shift = std::clamp<int64_t>(field.get_sint64(), -kMaxTime, kMaxTime);
        break;
      case BytesField(kMembers):
        TakeMembers(std::string(field.get_view()), into.trace.meta);
        break;
      default:
        field.skip();
    }
  });
}

void Reader::TakeDefaults(std::string_view message, Sequence& state) {
  state.clock = 0;
  state.track.reset();
  ReadFields(message, [&](pbf_reader& field) {
    if (field.tag_and_type() == VarintField(kDefaultClock)) {
      state.clock = field.get_uint32();
    } else if (field.tag_and_type() == BytesField(kEventDefaults)) {
      ForEachField(VarintField(kTrackUuid), field.get_view(),
                   [&](pbf_reader& of_event) { state.track = of_event.get_uint64(); });
    } else {
      field.skip();
    }
  });
}

// In the recording's own clock, or the trace's. Beyond kMaxTime where it cannot be held.
int64_t Reader::TimeOf(const Packet& packet, const Sequence& state) {
  if (state.recording) {
    const uint64_t own = packet.timestamp.value_or(0);
    if (own > static_cast<uint64_t>(kMaxTime)) return kMaxTime + 1;
    return static_cast<int64_t>(own) - events_.recordings[*state.recording]->own_shift;
  }
  const uint32_t clock = packet.clock.value_or(state.clock);
  const auto time = clocks_.Read(packet.timestamp.value_or(0), clock, packet.sequence);
  if (!time) return kMaxTime + 1;
  const auto offset = clocks_.OffsetOf(clock, packet.sequence);
  if (!offset) notes_.Add(ReportNote::kUnknownClock);
  return *time + offset.value_or(0);  // neither is beyond kMaxTime
}

void Reader::TakePacket(std::string_view message, bool may_nest) {
  Packet packet;
  if (!ReadPacket(message, packet)) {
    ++damaged_;
    return;
  }
  if (!packet.compressed.empty() && may_nest) return TakeCompressed(packet.compressed);
  constexpr size_t kMostSequences = 100'000;  // of which each has tables of its own
  if (sequences_.size() >= kMostSequences && !sequences_.contains(packet.sequence)) {
    ++damaged_;
    return;
  }
  Sequence& state = SequenceOf(packet.sequence);
  if (packet.dropped) state.valid = false;
  if (packet.cleared || (packet.flags & kStateCleared) != 0) {
    state.interned.Clear();
    state.clock = 0;
    state.track.reset();
    state.valid = true;
  }
  if (!packet.recording.empty()) TakeRecording(packet.recording, packet.sequence, state);
  if (!packet.defaults.empty()) TakeDefaults(packet.defaults, state);
  if (!packet.snapshot.empty()) clocks_.TakeSnapshot(packet.snapshot, packet.sequence);
  if (!packet.interned.empty()) state.interned.Take(packet.interned, events_.strings);
  if (!packet.track.empty()) events_.tracks.TakeDescriptor(packet.track);
  if (!packet.thread.empty()) {
    ForEachField(VarintField(kThreadReference), packet.thread,
                 [&](pbf_reader& field) { state.reference_us = field.get_int64(); });
  }
  if (!packet.has_event && packet.stage.empty() && !packet.has_counters) return;
  EventPlace place{.default_track = state.track,
                   .recording = state.recording,
                   .interned = &state.interned,
                   .reference_us = &state.reference_us};
  if (packet.has_counters) notes_.Add(ReportNote::kGpuCounters);
  if ((packet.flags & kNeedsState) != 0 && !state.valid)
    return notes_.Add(ReportNote::kLostPackets);
  place.time = TimeOf(packet, state);
  if (state.recording) {
    constexpr int64_t kMost = UINT32_MAX - 1;
    const int64_t step = std::clamp(packet.order_step.value_or(0), -kMost, kMost);
    place.order = static_cast<uint32_t>(std::clamp(state.next_order + step, int64_t{0}, kMost));
  }
  if (!packet.stage.empty()) events_.TakeStage(packet.stage, place);
  if (!packet.has_event) return;
  if (events_.TakeEvent(packet.event, place) && place.order)
    state.next_order = *place.order + int64_t{1};
}

void Reader::TakeCompressed(std::string_view zlib) {
  const auto inflated = InflateZlib(zlib, kLongestPacket);
  if (!inflated) {
    ++damaged_;
    return;
  }
  const bool whole = ReadFields(*inflated, [&](pbf_reader& field) {
    if (field.tag_and_type() == kPacketTag)
      TakePacket(field.get_view(), /*may_nest=*/false);
    else
      field.skip();
  });
  if (!whole) ++damaged_;
}

// Fields of the file that are no packets are passed over; where it is no message, reading ends.
void Reader::ReadPackets() {
  Window window = stream_.Next({});
  const char* at = window.begin;
  const auto more = [&](size_t bytes) {  // whether so many are at hand
    auto left = static_cast<size_t>(window.end - at);
    if (left < bytes && !window.last) {
      window = stream_.Next({at, left}, bytes - left);
      at = window.begin;
      left = static_cast<size_t>(window.end - at);
    }
    return left >= bytes;
  };
  while (true) {
    more(kSkippedHeader);
    const auto left = static_cast<size_t>(window.end - at);
    if (left == 0) return;
    std::string_view behind(at, std::min(left, kSkippedHeader));
    const auto header = TakeFieldHeader(behind);
    const auto header_bytes = static_cast<size_t>(behind.data() - at);
    if (!header || header->length > kLongestPacket || !more(header_bytes + header->length)) {
      truncated_ = true;
      while (!window.last) window = stream_.Next({});
      return;
    }
    if (header->number == kPacket && header->type == WireType::length_delimited)
      TakePacket({at + header_bytes, header->length}, /*may_nest=*/true);
    at += header_bytes + header->length;
  }
}

void Reader::NoteFile(RecordingRows& first) {
  if (damaged_ > 0) notes_.Add(ReportNote::kDamagedPackets, damaged_);
  first.notes.Add(notes_);
  Notes& notes = first.trace.notes;
  const InputEnd end = stream_.end();
  if (end == InputEnd::kCorrupt)
    notes.Add(NoteKind::kCorrupt);
  else if (truncated_ || end == InputEnd::kTruncated || end == InputEnd::kReadError)
    notes.Add(NoteKind::kTruncated);
  else if (end == InputEnd::kTrailingBytes)
    notes.Add(NoteKind::kTrailingBytes);
}

Result<std::vector<Recording>> Reader::Read() {
  ReadPackets();
  if (events_.recordings.empty()) {
    if (truncated_ || damaged_ > 0 || stream_.end() != InputEnd::kClean) {
      return std::unexpected(
          Error{"the trace ends or is damaged before any event", "", "record or copy it again"});
    }
    return std::unexpected(
        Error{"the trace has no track events", "", "give a trace of a profiler that writes them"});
  }
  events_.Finish();
  NoteFile(*events_.recordings.front());
  std::vector<Recording> made;
  for (auto& rows : events_.recordings) {
    const int64_t shift = rows->own ? 0 : clocks_.since_1970().value_or(0);
    if (rows->rank) rows->trace.meta.rank = rows->rank;
    made.push_back(rows->Finish(events_.strings, events_.tracks, shift));
    rows.reset();
  }
  return made;
}

}  // namespace
}  // namespace perfetto

bool LooksLikePerfetto(std::string_view beginning) { return HasPerfettoPackets(beginning); }

Result<std::vector<Recording>> ReadPerfetto(ByteSource source, const ReadOptions& options) {
  return perfetto::Reader(std::move(source), options, std::nullopt).Read();
}

Result<Trace> ReadPerfettoPart(ByteSource source, const ReadOptions& options) {
  ReadOptions read = options;
  if (options.observer != nullptr) read.keep = Wanted::All();
  auto recordings = perfetto::Reader(std::move(source), read, options.part).Read();
  if (!recordings) return std::unexpected(recordings.error());
  Trace& trace = (*recordings)[std::min(options.part, recordings->size() - 1)].trace;
  if (options.observer != nullptr) ObserveAsText(trace, *options.observer);
  return std::move(trace);
}

}  // namespace stepscope
