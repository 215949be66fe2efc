// Writes packets in protocol buffers' wire format.
#include "export/perfetto_packets.h"

#include "base/proto_writer.h"

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

}  // namespace

PerfettoPackets::PerfettoPackets(std::string& out, uint32_t sequence)
    : out_(out), sequence_(sequence) {}

template <class Write>
void PerfettoPackets::Packet(const Write& write) {
  ProtoWriter proto(out_);
  proto.Message(kPacket, [&] {
    proto.Varint(kSequence, sequence_);
    proto.Varint(kSequenceFlags, first_ ? kStateCleared | kNeedsState : kNeedsState);
    write(proto);
  });
  first_ = false;
}

TrackUuid PerfettoPackets::AddProcess(std::string_view name, int32_t id) {
  const TrackUuid uuid = NewUuid();
  Packet([&](ProtoWriter& proto) {
    proto.Message(kTrackDescriptor, [&] {
      proto.Varint(kUuid, uuid);
      proto.Varint(kChildOrdering, kExplicitOrder);
      proto.Message(kProcess, [&] {
        proto.Varint(kPid, static_cast<uint64_t>(id));
        proto.Text(kProcessName, name);
      });
    });
  });
  return uuid;
}

TrackUuid PerfettoPackets::AddTrack(TrackUuid parent, std::string_view name, int32_t order) {
  const TrackUuid uuid = NewUuid();
  Packet([&](ProtoWriter& proto) {
    proto.Message(kTrackDescriptor, [&] {
      proto.Varint(kUuid, uuid);
      proto.Varint(kParent, parent);
      proto.Text(kTrackName, name);
      proto.Varint(kSiblingRank, static_cast<uint64_t>(order));
    });
  });
  return uuid;
}

TrackUuid PerfettoPackets::AddCounter(TrackUuid parent, std::string_view name,
                                      std::string_view unit, int32_t order) {
  const TrackUuid uuid = NewUuid();
  Packet([&](ProtoWriter& proto) {
    proto.Message(kTrackDescriptor, [&] {
      proto.Varint(kUuid, uuid);
      proto.Varint(kParent, parent);
      proto.Text(kTrackName, name);
      proto.Varint(kSiblingRank, static_cast<uint64_t>(order));
      proto.Message(kCounter, [&] { proto.Text(kUnitName, unit); });
    });
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

void PerfettoPackets::WriteFresh() {
  if (fresh_.empty()) return;
  const auto field_of = [](Dictionary dictionary) {
    if (dictionary == kCategory) return kCategories;
    if (dictionary == kName) return kNames;
    return dictionary == kAnnotationName ? kAnnotationNames : kAnnotationTexts;
  };
  ProtoWriter proto(out_);
  proto.Message(kInterned, [&] {
    for (const auto& [dictionary, id] : fresh_) {
      proto.Message(field_of(dictionary), [&] {
        proto.Varint(kIid, id + uint64_t{1});
        proto.Text(kText, strings_[id]);
      });
    }
  });
  fresh_.clear();
}

void PerfettoPackets::Begin(const SliceStart& slice) {
  Packet([&](ProtoWriter& proto) {
    proto.Varint(kTimestamp, slice.time);
    proto.Message(kTrackEvent, [&] {
      proto.Varint(kType, kBegin);
      proto.Varint(kTrackUuid, slice.track);
      proto.Varint(kCategoryIid, Intern(kCategory, slice.category));
      proto.Varint(kNameIid, Intern(kName, slice.name));
      for (const uint64_t flow : slice.flows_from) proto.Fixed64(kFlow, flow);
      if (slice.flow_to != 0) proto.Fixed64(kTerminatingFlow, slice.flow_to);
      for (const Annotation& annotation : slice.annotations) {
        proto.Message(kAnnotation, [&] {
          proto.Varint(kAnnotationIid, Intern(kAnnotationName, annotation.name));
          if (const auto* number = std::get_if<int64_t>(&annotation.value)) {
            proto.Varint(kInt, static_cast<uint64_t>(*number));
          } else if (const auto* real = std::get_if<double>(&annotation.value)) {
            proto.Double(kReal, *real);
          } else {
            const auto text = std::get<std::string_view>(annotation.value);
            proto.Varint(kTextIid, Intern(kAnnotationText, text));
          }
        });
      }
    });
    WriteFresh();
  });
}

void PerfettoPackets::End(TrackUuid track, uint64_t time) {
  Packet([&](ProtoWriter& proto) {
    proto.Varint(kTimestamp, time);
    proto.Message(kTrackEvent, [&] {
      proto.Varint(kType, kEnd);
      proto.Varint(kTrackUuid, track);
    });
  });
}

void PerfettoPackets::Count(TrackUuid track, uint64_t time, double value) {
  Packet([&](ProtoWriter& proto) {
    proto.Varint(kTimestamp, time);
    proto.Message(kTrackEvent, [&] {
      proto.Varint(kType, kCounterValue);
      proto.Varint(kTrackUuid, track);
      proto.Double(kDoubleCounter, value);
    });
  });
}

}  // namespace stepscope
