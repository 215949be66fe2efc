// Tells messages of different formats apart by the first bytes of their files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/proto.h"

namespace stepscope {

// What a field says of the message that it is in.
enum class FieldSays : uint8_t { kNothing, kPacket, kOther };

// TracePacket (perfetto/trace/trace_packet.proto) has 8 timestamp, 10 trusted_packet_sequence_id,
// 13 sequence_flags and 58 timestamp_clock_id, 11 track_event, 50 compressed_packets,
// 59 trace_packet_defaults and 60 track_descriptor. XPlane (xplane.proto), which begins like this,
// too, has 2 name, 3 lines, 4 event_metadata and 5 stat_metadata.
constexpr FieldSays WhatFieldSays(uint64_t number, WireType type) {
  const bool bytes = type == WireType::length_delimited;
  if (bytes && number >= 2 && number <= 5) return FieldSays::kOther;
  if (bytes && (number == 11 || number == 50 || number == 59 || number == 60))
    return FieldSays::kPacket;
  const bool varint = type == WireType::varint;
  if (varint && (number == 8 || number == 10 || number == 13 || number == 58))
    return FieldSays::kPacket;
  return FieldSays::kNothing;
}

// What the first field that says anything of a message tells; kOther where it is no message.
inline FieldSays WhatMessageSays(std::string_view message) {
  while (!message.empty()) {
    const auto header = TakeFieldHeader(message);
    if (!header) return FieldSays::kOther;
    if (const FieldSays says = WhatFieldSays(header->number, header->type);
        says != FieldSays::kNothing)
      return says;
    message.remove_prefix(std::min<uint64_t>(header->length, message.size()));
  }
  return FieldSays::kNothing;
}

// Whether a file that begins like this is one of Perfetto's packets: its field 1 repeats messages,
// and the first that can be told is a packet.
inline bool HasPerfettoPackets(std::string_view beginning) {
  while (!beginning.empty() && static_cast<unsigned char>(beginning.front()) == BytesField(1)) {
    beginning.remove_prefix(1);
    uint64_t length = 0;
    if (!TakeVarint(beginning, length)) return false;
    const FieldSays says = WhatMessageSays(beginning.substr(0, length));
    if (says != FieldSays::kNothing) return says == FieldSays::kPacket;
    beginning.remove_prefix(std::min<uint64_t>(length, beginning.size()));
  }
  return false;
}

}  // namespace stepscope
