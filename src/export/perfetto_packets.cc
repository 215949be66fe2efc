// Writes packets in protocol buffers' wire format.
#include "export/perfetto_packets.h"

#include <algorithm>

#include "ingest/common/perfetto_fields.h"

namespace stepscope {
namespace {

namespace fields = perfetto;

constexpr uint64_t kExplicitOrder = 3;
constexpr size_t kInternedAtOnce = 1000;  // texts of one packet

void DescribeTrack(pbf_writer& descriptor, TrackUuid uuid, TrackUuid parent, std::string_view name,
                   int32_t order) {
  descriptor.add_uint64(fields::kUuid, uuid);
  descriptor.add_uint64(fields::kParent, parent);
  descriptor.add_string(fields::kTrackName, name);
  descriptor.add_int32(fields::kSiblingRank, order);
}

void Identify(pbf_writer& descriptor, const TrackIdentity& of) {
  pbf_writer identity(descriptor, fields::kIdentity);
  identity.add_string(fields::kIdentityPid, of.pid);
  identity.add_string(fields::kIdentityTid, of.tid);
  if (!of.process.empty()) identity.add_string(fields::kIdentityProcess, of.process);
  if (!of.thread.empty()) identity.add_string(fields::kIdentityThread, of.thread);
  if (!of.counter.empty()) identity.add_string(fields::kIdentityCounter, of.counter);
  if (of.later) identity.add_bool(fields::kIdentityLater, true);
}

void AddClock(pbf_writer& snapshot, uint32_t clock, uint64_t time) {
  pbf_writer reading(snapshot, fields::kClock);
  reading.add_uint32(fields::kSnapshotClock, clock);
  reading.add_uint64(fields::kSnapshotTime, time);
}

}  // namespace

void WriteClocks(std::string& out, uint64_t moment, std::span<const uint64_t> readings) {
  pbf_writer trace(out);
  pbf_writer packet(trace, fields::kPacket);
  packet.add_uint64(fields::kTimestamp, moment);
  pbf_writer snapshot(packet, fields::kClockSnapshot);
  AddClock(snapshot, fields::kBoottime, moment);
  for (size_t i = 0; i < readings.size(); ++i)
    AddClock(snapshot, fields::kFirstGlobal + static_cast<uint32_t>(i) + 1, readings[i]);
}

PerfettoPackets::PerfettoPackets(std::string& out, uint32_t sequence)
    : out_(out), sequence_(sequence) {}

template <class Write>
void PerfettoPackets::Packet(const Write& write) {
  pbf_writer trace(out_);
  pbf_writer packet(trace, fields::kPacket);
  packet.add_uint32(fields::kSequence, sequence_);
  packet.add_uint32(fields::kSequenceFlags,
                    first_ ? fields::kStateCleared | fields::kNeedsState : fields::kNeedsState);
  write(packet);
  first_ = false;
}

void PerfettoPackets::Begin(const SequenceStart& start) {
  Packet([&](pbf_writer& packet) {
    {
      pbf_writer defaults(packet, fields::kDefaults);
      defaults.add_uint32(fields::kDefaultClock, fields::kFirstGlobal + sequence_);
    }
    pbf_writer recording(packet, fields::kRecording);
    recording.add_int64(fields::kRank, start.rank);
    recording.add_int64(fields::kWindow, start.window);
    recording.add_int64(fields::kEventsInFile, start.events);
    if (start.shift != 0) recording.add_sint64(fields::kTimeShift, start.shift);
    if (!start.members.empty()) recording.add_string(fields::kMembers, start.members);
  });
}

TrackUuid PerfettoPackets::AddProcess(std::string_view name, int32_t id) {
  const TrackUuid uuid = NewUuid();
  Packet([&](pbf_writer& packet) {
    pbf_writer descriptor(packet, fields::kTrackDescriptor);
    descriptor.add_uint64(fields::kUuid, uuid);
    descriptor.add_uint64(fields::kChildOrdering, kExplicitOrder);
    pbf_writer process(descriptor, fields::kProcess);
    process.add_int32(fields::kPid, id);
    process.add_string(fields::kProcessName, name);
  });
  return uuid;
}

TrackUuid PerfettoPackets::AddTrack(TrackUuid parent, std::string_view name, int32_t order,
                                    const TrackIdentity& identity) {
  const TrackUuid uuid = NewUuid();
  Packet([&](pbf_writer& packet) {
    pbf_writer descriptor(packet, fields::kTrackDescriptor);
    DescribeTrack(descriptor, uuid, parent, name, order);
    Identify(descriptor, identity);
  });
  return uuid;
}

TrackUuid PerfettoPackets::AddCounter(TrackUuid parent, std::string_view name,
                                      std::string_view unit, int32_t order,
                                      const TrackIdentity& identity) {
  const TrackUuid uuid = NewUuid();
  Packet([&](pbf_writer& packet) {
    pbf_writer descriptor(packet, fields::kTrackDescriptor);
    DescribeTrack(descriptor, uuid, parent, name, order);
    {
      pbf_writer counter(descriptor, fields::kCounterTrack);
      if (!unit.empty()) counter.add_string(fields::kUnitName, unit);
    }
    Identify(descriptor, identity);
  });
  return uuid;
}

uint64_t PerfettoPackets::Intern(Dictionary dictionary, std::string_view text) {
  const StringId id = strings_.Intern(text);
  if (id == sent_.size()) sent_.push_back(0);
  if ((sent_[id] & dictionary) == 0) fresh_.push_back({dictionary, id});
  sent_[id] |= dictionary;
  return id + uint64_t{1};
}

void PerfettoPackets::WriteInterned() {
  const auto field_of = [](Dictionary dictionary) {
    if (dictionary == kCategory) return fields::kCategories;
    if (dictionary == kName) return fields::kNames;
    return dictionary == kAnnotationName ? fields::kAnnotationNames : fields::kAnnotationTexts;
  };
  for (size_t at = 0; at < fresh_.size(); at += kInternedAtOnce) {
    Packet([&](pbf_writer& packet) {
      pbf_writer interned(packet, fields::kInterned);
      for (size_t i = at; i < std::min(fresh_.size(), at + kInternedAtOnce); ++i) {
        pbf_writer entry(interned, field_of(fresh_[i].dictionary));
        entry.add_uint64(fields::kIid, fresh_[i].id + uint64_t{1});
        entry.add_string(fields::kInternedText, strings_[fresh_[i].id]);
      }
    });
  }
  fresh_.clear();
}

template <class Write>
void PerfettoPackets::Event(const EventMoment& at, uint32_t type, const Write& write) {
  Packet([&](pbf_writer& packet) {
    packet.add_uint64(fields::kTimestamp, at.time);
    if (at.order != next_order_)
      packet.add_sint64(fields::kOrderStep, int64_t{at.order} - next_order_);
    next_order_ = at.order + int64_t{1};
    pbf_writer event(packet, fields::kTrackEvent);
    event.add_uint64(fields::kType, type);
    event.add_uint64(fields::kTrackUuid, at.track);
    write(event);
  });
}

// The writer's message grows at the end of `out_` until it is closed.
void PerfettoPackets::BeginSlice(const EventMoment& at, std::string_view body,
                                 std::span<const uint64_t> from, std::span<const uint64_t> to) {
  Event(at, fields::kBegin, [&](pbf_writer& event) {
    for (const uint64_t flow : from) event.add_fixed64(fields::kFlow, flow);
    for (const uint64_t flow : to) event.add_fixed64(fields::kTerminatingFlow, flow);
    out_ += body;
  });
}

void PerfettoPackets::EndSlice(TrackUuid track, uint64_t time) {
  Packet([&](pbf_writer& packet) {
    packet.add_uint64(fields::kTimestamp, time);
    pbf_writer event(packet, fields::kTrackEvent);
    event.add_uint64(fields::kType, fields::kEnd);
    event.add_uint64(fields::kTrackUuid, track);
  });
}

void PerfettoPackets::Moment(const EventMoment& at, std::string_view body) {
  Event(at, fields::kInstant, [&](pbf_writer&) { out_ += body; });
}

void PerfettoPackets::Count(const EventMoment& at, double value) {
  Event(at, fields::kCounter,
        [&](pbf_writer& event) { event.add_double(fields::kDoubleCounter, value); });
}

}  // namespace stepscope
