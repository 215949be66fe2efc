// Writes traces in Perfetto's format packet by packet, as other writers do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/proto.h"
#include "ingest/common/perfetto_fields.h"

namespace stepscope::testing {

// Fields of one message, in the order in which they are added.
class Proto {
 public:
  Proto& Number(uint32_t field, uint64_t value) {
    pbf_writer(bytes_).add_uint64(field, value);
    return *this;
  }
  Proto& Signed(uint32_t field, int64_t value) {
    pbf_writer(bytes_).add_sint64(field, value);
    return *this;
  }
  Proto& Fixed(uint32_t field, uint64_t value) {
    pbf_writer(bytes_).add_fixed64(field, value);
    return *this;
  }
  Proto& Real(uint32_t field, double value) {
    pbf_writer(bytes_).add_double(field, value);
    return *this;
  }
  Proto& Text(uint32_t field, std::string_view text) {
    pbf_writer(bytes_).add_bytes(field, text.data(), text.size());
    return *this;
  }
  Proto& Message(uint32_t field, const Proto& inner) { return Text(field, inner.bytes_); }
  Proto& Append(const Proto& fields) {
    bytes_ += fields.bytes_;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// A debug annotation with a name of its own.
inline Proto Annotated(std::string_view name, int64_t value) {
  return Proto()
      .Text(perfetto::kAnnotationName, name)
      .Number(perfetto::kInt, static_cast<uint64_t>(value));
}
inline Proto Annotated(std::string_view name, std::string_view text) {
  return Proto().Text(perfetto::kAnnotationName, name).Text(perfetto::kText, text);
}

class PerfettoBuilder {
 public:
  PerfettoBuilder& Packet(const Proto& packet) {
    bytes_ += Proto().Message(perfetto::kPacket, packet).bytes();
    return *this;
  }
  PerfettoBuilder& Process(uint64_t uuid, int64_t pid, std::string_view name) {
    return Packet(Proto().Message(
        perfetto::kTrackDescriptor,
        Proto()
            .Number(perfetto::kUuid, uuid)
            .Message(perfetto::kProcess, Proto()
                                             .Number(perfetto::kPid, static_cast<uint64_t>(pid))
                                             .Text(perfetto::kProcessName, name))));
  }
  PerfettoBuilder& Thread(uint64_t uuid, uint64_t parent, int64_t pid, int64_t tid,
                          std::string_view name) {
    return Packet(
        Proto().Message(perfetto::kTrackDescriptor,
                        Proto()
                            .Number(perfetto::kUuid, uuid)
                            .Number(perfetto::kParent, parent)
                            .Message(perfetto::kThread,
                                     Proto()
                                         .Number(perfetto::kThreadPid, static_cast<uint64_t>(pid))
                                         .Number(perfetto::kThreadTid, static_cast<uint64_t>(tid))
                                         .Text(perfetto::kThreadName, name))));
  }
  PerfettoBuilder& Track(uint64_t uuid, uint64_t parent, std::string_view name) {
    return Packet(
        Proto().Message(perfetto::kTrackDescriptor, Proto()
                                                        .Number(perfetto::kUuid, uuid)
                                                        .Number(perfetto::kParent, parent)
                                                        .Text(perfetto::kTrackName, name)));
  }
  // An event on a track. `more`: further fields of the TrackEvent.
  PerfettoBuilder& Event(perfetto::EventType type, uint64_t track, uint64_t time,
                         const Proto& more = {}) {
    Proto event;
    event.Number(perfetto::kType, type).Number(perfetto::kTrackUuid, track);
    return Packet(Proto()
                      .Number(perfetto::kTimestamp, time)
                      .Number(perfetto::kSequence, 1)
                      .Text(perfetto::kTrackEvent, event.bytes() + more.bytes()));
  }
  PerfettoBuilder& Slice(uint64_t track, std::string_view category, std::string_view name,
                         uint64_t start, uint64_t end, const Proto& more = {}) {
    Proto fields;
    if (!category.empty()) fields.Text(perfetto::kCategory, category);
    fields.Text(perfetto::kName, name);
    return Event(perfetto::kBegin, track, start, fields.Append(more))
        .Event(perfetto::kEnd, track, end);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace stepscope::testing
