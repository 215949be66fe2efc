// Reads back what was exported in Perfetto's format, as far as tests need.
#pragma once

#include <bit>
#include <cstdint>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::testing {

// A message as its fields, in order.
struct ProtoField {
  uint32_t number = 0;
  uint64_t value = 0;      // of a number
  std::string_view bytes;  // of a text or message
};

inline std::vector<ProtoField> Fields(std::string_view bytes) {
  const auto take = [&](size_t count) {
    if (count > bytes.size()) throw std::runtime_error("a message that ends too early");
    const std::string_view taken = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return taken;
  };
  const auto varint = [&] {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  };
  std::vector<ProtoField> fields;
  while (!bytes.empty()) {
    const uint64_t tag = varint();
    ProtoField field{.number = static_cast<uint32_t>(tag >> 3)};
    switch (tag & 7) {
      case 0:
        field.value = varint();
        break;
      case 1:
        for (int shift = 0; const char c : take(8)) {
          field.value |= uint64_t{static_cast<unsigned char>(c)} << shift;
          shift += 8;
        }
        break;
      case 2:
        field.bytes = take(varint());
        break;
      default:
        throw std::runtime_error("an unknown wire type");
    }
    fields.push_back(field);
  }
  return fields;
}

struct PerfettoSlice {
  std::string process, track, name;
  int64_t start = 0, duration = 0;
  std::map<std::string, std::string> annotations;
  std::vector<uint64_t> flows_from;
  uint64_t flow_to = 0;
};

struct PerfettoCount {
  std::string process, track;
  int64_t time = 0;
  double value = 0;
};

struct PerfettoTrace {
  std::vector<PerfettoSlice> slices;  // in the order they end
  std::vector<PerfettoCount> counts;
};

// Times are on the axis that all recordings share.
// Throws where slices of a track do not nest, times go back, or a number names nothing.
class PerfettoParser {
 public:
  PerfettoTrace Parse(std::string_view bytes) {
    for (const ProtoField& packet : Fields(bytes)) TakePacket(Fields(packet.bytes));
    for (const auto& [uuid, track] : tracks_) {
      if (!track.open.empty()) throw std::runtime_error("a slice does not end");
    }
    return std::move(trace_);
  }

 private:
  struct TrackState {
    std::string name;
    uint64_t parent = 0;
    int64_t last = INT64_MIN;
    std::vector<PerfettoSlice> open;
  };
  // By sequence, field of InternedData, and id.
  using Texts = std::map<std::tuple<uint64_t, uint32_t, uint64_t>, std::string>;

  void TakePacket(const std::vector<ProtoField>& packet) {
    int64_t time = 0;
    for (const ProtoField& f : packet) {
      if (f.number == 10) sequence_ = f.value;
      if (f.number == 8) time = static_cast<int64_t>(f.value);
      if (f.number == 6) TakeClocks(Fields(f.bytes));
      if (f.number == 60) TakeTrack(Fields(f.bytes));
      if (f.number == 59) clock_of_[sequence_] = Fields(f.bytes).at(0).value;
      if (f.number == 12) TakeTexts(f.bytes);
    }
    for (const ProtoField& f : packet) {
      if (f.number == 11) TakeEvent(Fields(f.bytes), time + OffsetAt(time));
    }
  }

  // The first clock of a snapshot is the trace's.
  void TakeClocks(const std::vector<ProtoField>& snapshot) {
    const auto value = [](const ProtoField& clock, uint32_t number) {
      for (const ProtoField& f : Fields(clock.bytes)) {
        if (f.number == number) return f.value;
      }
      return uint64_t{0};
    };
    const auto now = static_cast<int64_t>(value(snapshot.at(0), 2));
    for (const ProtoField& clock : snapshot) {
      const auto reading = static_cast<int64_t>(value(clock, 2));
      offsets_[value(clock, 1)][reading] = now - reading;
    }
  }
  int64_t OffsetAt(int64_t time) {
    const auto& offsets = offsets_[clock_of_[sequence_]];
    if (offsets.empty()) return 0;
    const auto after = offsets.upper_bound(time);
    return after == offsets.begin() ? after->second : std::prev(after)->second;
  }

  void TakeTrack(const std::vector<ProtoField>& fields) {
    uint64_t uuid = 0;
    TrackState state;
    for (const ProtoField& f : fields) {
      if (f.number == 1) uuid = f.value;
      if (f.number == 2) state.name = f.bytes;
      if (f.number == 5) state.parent = f.value;
      if (f.number != 3) continue;
      for (const ProtoField& p : Fields(f.bytes)) {
        if (p.number == 6) state.name = p.bytes;
      }
    }
    if (!tracks_.emplace(uuid, state).second) throw std::runtime_error("two tracks of one id");
  }

  void TakeTexts(std::string_view bytes) {
    for (const ProtoField& text : Fields(bytes)) {
      const auto entry = Fields(text.bytes);
      texts_[{sequence_, text.number, entry.at(0).value}] = entry.at(1).bytes;
    }
  }

  void TakeEvent(const std::vector<ProtoField>& event, int64_t time) {
    uint64_t type = 0, uuid = 0;
    PerfettoSlice slice{.start = time};
    double count = 0;
    for (const ProtoField& f : event) {
      if (f.number == 9) type = f.value;
      if (f.number == 11) uuid = f.value;
      if (f.number == 10) slice.name = texts_.at({sequence_, 2, f.value});
      if (f.number == 23) slice.name = f.bytes;
      if (f.number == 4) Annotate(slice, Fields(f.bytes));
      if (f.number == 44) count = std::bit_cast<double>(f.value);
      if (f.number == 47) slice.flows_from.push_back(f.value);
      if (f.number == 48) slice.flow_to = f.value;
    }
    TrackState& track = tracks_.at(uuid);
    if (time < track.last) throw std::runtime_error("time goes back");
    track.last = time;
    slice.track = track.name;
    slice.process = track.parent == 0 ? "" : tracks_.at(track.parent).name;
    if (type == 1) track.open.push_back(slice);
    if (type == 3) trace_.slices.push_back(slice);
    if (type == 4) trace_.counts.push_back({slice.process, slice.track, time, count});
    if (type != 2) return;
    if (track.open.empty()) throw std::runtime_error("an end without a beginning");
    slice = track.open.back();
    track.open.pop_back();
    slice.duration = time - slice.start;
    trace_.slices.push_back(slice);
  }

  void Annotate(PerfettoSlice& slice, const std::vector<ProtoField>& fields) {
    const ProtoField& key = fields.at(0);
    const std::string name =
        key.number == 1 ? texts_.at({sequence_, 3, key.value}) : std::string(key.bytes);
    const ProtoField& value = fields.at(1);
    slice.annotations[name] = value.number == 17 ? texts_.at({sequence_, 29, value.value})
                              : value.number == 9 || value.number == 6
                                  ? std::string(value.bytes)
                                  : std::to_string(value.value);
  }

  uint64_t sequence_ = 0;
  std::map<uint64_t, std::map<int64_t, int64_t>> offsets_;  // by clock and its reading
  std::map<uint64_t, uint64_t> clock_of_;                   // by sequence
  std::map<uint64_t, TrackState> tracks_;
  Texts texts_;
  PerfettoTrace trace_;
};

}  // namespace stepscope::testing
