// Writes Perfetto's trace format packet by packet: tracks, slices, counters.
//
// Field numbers are those of protos/perfetto/trace/ in https://github.com/google/perfetto
// (trace_packet.proto, track_event/*.proto), which never change. Texts are interned: written out
// where they first occur, and named by a number from then on.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/proto.h"
#include "base/string_table.h"

namespace stepscope {

using TrackUuid = uint64_t;

struct Annotation {
  std::string_view name;
  std::variant<int64_t, double, std::string_view> value;
};

// The beginning of a slice.
struct SliceStart {
  TrackUuid track = 0;
  uint64_t time = 0;  // ns
  std::string_view name, category;
  std::span<const uint64_t> flows_from = {};  // ids of arrows that leave it
  uint64_t flow_to = 0;                       // id of the arrow that ends at it; 0: none
  std::span<const Annotation> annotations = {};
};

class PerfettoPackets {
 public:
  // Packets go to the end of `out`, which must outlive this and may be emptied between calls.
  // `sequence`, from 1, tells them from other packets of the same file.
  PerfettoPackets(std::string& out, uint32_t sequence);

  // Tracks are shown in the order of `order` below their parent. `id` must differ among all
  // processes of the file, and is at least 1.
  TrackUuid AddProcess(std::string_view name, int32_t id);
  TrackUuid AddTrack(TrackUuid parent, std::string_view name, int32_t order);
  TrackUuid AddCounter(TrackUuid parent, std::string_view name, std::string_view unit,
                       int32_t order);

  // Of each track in the order of time; slices of one track nest.
  void Begin(const SliceStart& slice);
  void End(TrackUuid track, uint64_t time);
  void Count(TrackUuid track, uint64_t time, double value);

 private:
  // Each dictionary of the format has its own bit in `sent_`.
  enum Dictionary : uint8_t { kCategory = 1, kName = 2, kAnnotationName = 4, kAnnotationText = 8 };
  struct Fresh {
    Dictionary dictionary;
    StringId id;
  };

  template <class Write>
  void Packet(const Write& write);
  uint64_t Intern(Dictionary dictionary, std::string_view text);
  void Annotate(pbf_writer& event, const Annotation& annotation);
  void WriteFresh(pbf_writer& packet);
  TrackUuid NewUuid() { return uint64_t{sequence_} << 32 | ++tracks_; }

  std::string& out_;
  uint32_t sequence_;
  uint32_t tracks_ = 0;
  bool first_ = true;
  StringTable strings_;
  std::vector<uint8_t> sent_;  // by string: the dictionaries that hold it
  std::vector<Fresh> fresh_;   // to be written with the packet at hand
};

}  // namespace stepscope
