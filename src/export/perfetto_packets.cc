// Writes packets in protocol buffers' wire format.
#include "export/perfetto_packets.h"

#include "base/proto.h"

namespace stepscope {
namespace {

enum TraceField : uint8_t { kPacket = 1 };
enum PacketField : uint8_t {
  kTimestamp = 8,
  kSequence = 10,
  kTrackEvent = 11,
  kInterned = 12,
  kSequenceFlags = 13,
  kTrackDescriptor = 60
};
enum SequenceFlag : uint8_t { kStateCleared = 1, kNeedsState = 2 };
enum EventField : uint8_t {
  kCategoryIid = 3,
  kAnnotation = 4,
  kType = 9,
  kNameIid = 10,
  kTrackUuid = 11,
  kDoubleCounter = 44,
  kFlow = 47,
  kTerminatingFlow = 48
};
enum EventType : uint8_t { kBegin = 1, kEnd = 2, kCounterValue = 4 };
enum AnnotationField : uint8_t { kAnnotationIid = 1, kInt = 4, kReal = 5, kTextIid = 17 };
enum InternedField : uint8_t {
  kCategories = 1,
  kNames = 2,
  kAnnotationNames = 3,
  kAnnotationTexts = 29
};
enum InternedText : uint8_t { kIid = 1, kText = 2 };
enum DescriptorField : uint8_t {
  kUuid = 1,
  kTrackName = 2,
  kProcess = 3,
  kParent = 5,
  kCounter = 8,
  kChildOrdering = 11,
  kSiblingRank = 12
};
enum ProcessField : uint8_t { kPid = 1, kProcessName = 6 };
enum CounterField : uint8_t { kUnitName = 6 };
constexpr uint64_t kExplicitOrder = 3;

void DescribeTrack(pbf_writer& descriptor, TrackUuid uuid, TrackUuid parent, std::string_view name,
                   int32_t order) {
  descriptor.add_uint64(kUuid, uuid);
  descriptor.add_uint64(kParent, parent);
  descriptor.add_string(kTrackName, name);
  descriptor.add_int32(kSiblingRank, order);
}

}  // namespace

PerfettoPackets::PerfettoPackets(std::string& out, uint32_t sequence)
    : out_(out), sequence_(sequence) {}

template <class Write>
void PerfettoPackets::Packet(const Write& write) {
  pbf_writer trace(out_);
  pbf_writer packet(trace, kPacket);
  packet.add_uint32(kSequence, sequence_);
  packet.add_uint32(kSequenceFlags, first_ ? kStateCleared | kNeedsState : kNeedsState);
  write(packet);
  first_ = false;
}

TrackUuid PerfettoPackets::AddProcess(std::string_view name, int32_t id) {
  const TrackUuid uuid = NewUuid();
  Packet([&](pbf_writer& packet) {
    pbf_writer descriptor(packet, kTrackDescriptor);
    descriptor.add_uint64(kUuid, uuid);
    descriptor.add_uint64(kChildOrdering, kExplicitOrder);
    pbf_writer process(descriptor, kProcess);
    process.add_int32(kPid, id);
    process.add_string(kProcessName, name);
  });
  return uuid;
}

TrackUuid PerfettoPackets::AddTrack(TrackUuid parent, std::string_view name, int32_t order) {
  const TrackUuid uuid = NewUuid();
  Packet([&](pbf_writer& packet) {
    pbf_writer descriptor(packet, kTrackDescriptor);
    DescribeTrack(descriptor, uuid, parent, name, order);
  });
  return uuid;
}

TrackUuid PerfettoPackets::AddCounter(TrackUuid parent, std::string_view name,
                                      std::string_view unit, int32_t order) {
  const TrackUuid uuid = NewUuid();
  Packet([&](pbf_writer& packet) {
    pbf_writer descriptor(packet, kTrackDescriptor);
    DescribeTrack(descriptor, uuid, parent, name, order);
    pbf_writer(descriptor, kCounter).add_string(kUnitName, unit);
  });
  return uuid;
}

uint64_t PerfettoPackets::Intern(Dictionary dictionary, std::string_view text) {
  const StringId id = strings_.Intern(text);
  if (id >= sent_.size()) sent_.resize(id + size_t{1});
  if ((sent_[id] & dictionary) == 0) fresh_.push_back({dictionary, id});
  sent_[id] |= dictionary;
  return id + uint64_t{1};  // 0 is no id
}

void PerfettoPackets::WriteFresh(pbf_writer& packet) {
  if (fresh_.empty()) return;
  const auto field_of = [](Dictionary dictionary) {
    if (dictionary == kCategory) return kCategories;
    if (dictionary == kName) return kNames;
    return dictionary == kAnnotationName ? kAnnotationNames : kAnnotationTexts;
  };
  pbf_writer interned(packet, kInterned);
  for (const auto& [dictionary, id] : fresh_) {
    pbf_writer entry(interned, field_of(dictionary));
    entry.add_uint64(kIid, id + uint64_t{1});
    entry.add_string(kText, strings_[id]);
  }
  fresh_.clear();
}

void PerfettoPackets::Annotate(pbf_writer& event, const Annotation& annotation) {
  pbf_writer written(event, kAnnotation);
  written.add_uint64(kAnnotationIid, Intern(kAnnotationName, annotation.name));
  if (const auto* number = std::get_if<int64_t>(&annotation.value)) {
    written.add_int64(kInt, *number);
  } else if (const auto* real = std::get_if<double>(&annotation.value)) {
    written.add_double(kReal, *real);
  } else {
    const auto text = std::get<std::string_view>(annotation.value);
    written.add_uint64(kTextIid, Intern(kAnnotationText, text));
  }
}

void PerfettoPackets::Begin(const SliceStart& slice) {
  Packet([&](pbf_writer& packet) {
    packet.add_uint64(kTimestamp, slice.time);
    {
      pbf_writer event(packet, kTrackEvent);
      event.add_uint64(kType, kBegin);
      event.add_uint64(kTrackUuid, slice.track);
      event.add_uint64(kCategoryIid, Intern(kCategory, slice.category));
      event.add_uint64(kNameIid, Intern(kName, slice.name));
      for (const uint64_t flow : slice.flows_from) event.add_fixed64(kFlow, flow);
      if (slice.flow_to != 0) event.add_fixed64(kTerminatingFlow, slice.flow_to);
      for (const Annotation& annotation : slice.annotations) Annotate(event, annotation);
    }
    WriteFresh(packet);
  });
}

void PerfettoPackets::End(TrackUuid track, uint64_t time) {
  Packet([&](pbf_writer& packet) {
    packet.add_uint64(kTimestamp, time);
    pbf_writer event(packet, kTrackEvent);
    event.add_uint64(kType, kEnd);
    event.add_uint64(kTrackUuid, track);
  });
}

void PerfettoPackets::Count(TrackUuid track, uint64_t time, double value) {
  Packet([&](pbf_writer& packet) {
    packet.add_uint64(kTimestamp, time);
    pbf_writer event(packet, kTrackEvent);
    event.add_uint64(kType, kCounterValue);
    event.add_uint64(kTrackUuid, track);
    event.add_double(kDoubleCounter, value);
  });
}

}  // namespace stepscope
