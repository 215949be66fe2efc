// Indexes a plane. Field numbers are those of xplane.proto (tensorflow.profiler); see
// docs/formats/xplane.md.
#include "ingest/xplane/xplane_plane.h"

#include <utility>

namespace stepscope {
namespace {

constexpr std::string_view kPrograms = "/host:metadata";

// An entry of a map: 1 key, 2 value.
struct MapEntry {
  int64_t key = 0;
  std::string_view value;
};

bool ReadMapEntry(std::string_view message, MapEntry& entry) {
  return ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case VarintField(1):
        entry.key = field.get_int64();
        break;
      case BytesField(2):
        entry.value = field.get_view();
        break;
      default:
        field.skip();
    }
  });
}

class Indexer {
 public:
  Indexer(ProtoFile& file, Notes& notes) : file_(file), notes_(notes) {}

  XPlane Index(ByteRange range) {
    while (const auto field = file_.Next(range)) Take(*field);
    if (range.size() > 0) notes_.Add(NoteKind::kTruncated);
    for (const std::string& message : plane_.stat_messages) {
      if (!plane_.stat_names.Read(message, plane_.stats)) notes_.Add(NoteKind::kUnreadableStat);
    }
    plane_.events.ForEach([this](XEventMetadata& metadata) { ReadStats(metadata); });
    return std::move(plane_);
  }

 private:
  // The names of stats may stand behind what has them.
  void ReadStats(XEventMetadata& metadata) {
    for (const std::string& message : metadata.stat_messages) {
      XStat stat;
      if (!plane_.stat_names.Read(message, stat))
        notes_.Add(NoteKind::kUnreadableStat);
      else if (stat.key != StatKey::kCount)
        metadata.stats.push_back(stat);
    }
    if (metadata.stats.empty()) std::vector<std::string>().swap(metadata.stat_messages);
  }

  // XPlane: 2 name, 3 lines, 4 event_metadata, 5 stat_metadata, 6 stats.
  void Take(const ProtoField& field) {
    if (field.type != WireType::length_delimited) return;
    if (field.number == 3) {
      plane_.lines.push_back(field.bytes);
      plane_.line_bytes += field.bytes.size();
      return;
    }
    if (field.number == 4) return TakeEventMetadata(field.bytes);
    if (field.number != 2 && field.number != 5 && field.number != 6) return;
    const auto bytes = file_.View(field.bytes);
    if (!bytes) return notes_.Add(NoteKind::kTruncated);
    if (field.number == 2) plane_.name = *bytes;
    if (field.number == 5) TakeStatMetadata(*bytes);
    if (field.number == 6) plane_.stat_messages.emplace_back(*bytes);
  }

  // XStatMetadata: 1 id, 2 name.
  void TakeStatMetadata(std::string_view message) {
    MapEntry entry;
    std::string_view name;
    const bool ok = ReadMapEntry(message, entry) && ReadFields(entry.value, [&](pbf_reader& field) {
                      if (field.tag_and_type() != BytesField(2)) return field.skip();
                      name = field.get_view();
                    });
    if (!ok) return notes_.Add(NoteKind::kUnreadableStat);
    plane_.stat_names.Add(entry.key, name);
  }

  // XEventMetadata: 2 name, 4 display_name, 5 stats.
  void TakeEventMetadata(ByteRange range) {
    // Compiled programs are large and looked at later, if anybody asks.
    if (plane_.name == kPrograms) return plane_.programs.push_back(range);
    const auto bytes = file_.View(range);
    MapEntry entry;
    if (!bytes || !ReadMapEntry(*bytes, entry)) return notes_.Add(NoteKind::kUnreadableEvent);
    XEventMetadata metadata;
    const bool ok = ReadFields(entry.value, [&](pbf_reader& field) {
      switch (field.tag_and_type()) {
        case BytesField(2):
          metadata.name = field.get_view();
          break;
        case BytesField(4):
          metadata.display_name = field.get_view();
          break;
        case BytesField(5):
          metadata.stat_messages.emplace_back(field.get_view());
          break;
        default:
          field.skip();
      }
    });
    if (!ok) return notes_.Add(NoteKind::kUnreadableEvent);
    metadata.number = ++metadata_count_;
    plane_.events[entry.key] = std::move(metadata);
  }

  ProtoFile& file_;
  Notes& notes_;
  XPlane plane_;
  uint32_t metadata_count_ = 0;
};

}  // namespace

XPlane IndexPlane(ProtoFile& file, ByteRange range, Notes& notes) {
  return Indexer(file, notes).Index(range);
}

// XEvent: 1 metadata_id, 2 offset_ps or 5 num_occurrences, 3 duration_ps, 4 stats.
bool ReadXEvent(const XPlane& plane, std::string_view message, XEvent& event, Notes& notes) {
  event.metadata_id = event.offset_ps = event.duration_ps = 0;
  event.aggregated = false;
  event.stats.Clear();
  int64_t bad_stats = 0;
  const bool ok = ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case VarintField(1):
        event.metadata_id = field.get_int64();
        break;
      case VarintField(2):
        event.offset_ps = field.get_int64();
        break;
      case VarintField(3):
        event.duration_ps = field.get_int64();
        break;
      case BytesField(4):
        if (!plane.stat_names.Read(field.get_view(), event.stats)) ++bad_stats;
        break;
      case VarintField(5):
        event.aggregated = true;
        field.skip();
        break;
      default:
        field.skip();
    }
  });
  if (bad_stats > 0) notes.Add(NoteKind::kUnreadableStat, bad_stats);
  event.metadata = plane.events.Find(event.metadata_id);
  if (event.metadata == nullptr) return ok;
  // What an event says itself goes before what its metadata says of all like it.
  for (const XStat& stat : event.metadata->stats) {
    if (!event.stats.Has(stat.key)) event.stats.Set(stat.key, stat.value);
  }
  return ok;
}

}  // namespace stepscope
