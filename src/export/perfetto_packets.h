// Writes Perfetto's trace format packet by packet: tracks, slices, moments, counters. Field numbers
// are in ingest/common/perfetto_fields.h. Texts are interned: written out where they first occur,
// and named by a number from then on.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/proto.h"
#include "base/string_table.h"

namespace stepscope {

using TrackUuid = uint64_t;

// What a recording says about itself.
struct SequenceStart {
  int64_t rank = 0, window = 0;
  int64_t events = 0;        // of the trace it was made from, metadata records among them
  int64_t shift = 0;         // ns that were added to its times, which the format has from 0 on
  std::string_view members;  // JSON text, `"key": value` each
};

// What a track stands for in the trace it was made from: see perfetto::IdentityField.
struct TrackIdentity {
  std::string_view pid, tid, process, thread, counter;
  bool later = false;
};

struct EventMoment {
  TrackUuid track = 0;
  uint64_t time = 0;   // ns, in the recording's clock
  uint32_t order = 0;  // place in its recording
};

// Says what the clocks of sequences 1, 2, ... read at a moment of the axis of time that they share.
// The moments of one file ascend.
void WriteClocks(std::string& out, uint64_t moment, std::span<const uint64_t> readings);

class PerfettoPackets {
 public:
  // Packets go to the end of `out`, which must outlive this and may be emptied between calls.
  // `sequence`, from 1, tells them from other packets of the same file; times are in the clock of
  // that number: see WriteClocks().
  PerfettoPackets(std::string& out, uint32_t sequence);

  // To be called first.
  void Begin(const SequenceStart& start);

  // Tracks are shown in the order of `order` below their parent. `id` must differ among all
  // processes of the file, and is at least 1.
  TrackUuid AddProcess(std::string_view name, int32_t id);
  TrackUuid AddTrack(TrackUuid parent, std::string_view name, int32_t order,
                     const TrackIdentity& identity);
  TrackUuid AddCounter(TrackUuid parent, std::string_view name, std::string_view unit,
                       int32_t order, const TrackIdentity& identity);

  // Each dictionary of the format. What was interned is to be written before it is used.
  enum Dictionary : uint8_t { kCategory = 1, kName = 2, kAnnotationName = 4, kAnnotationText = 8 };
  uint64_t Intern(Dictionary dictionary, std::string_view text);
  void WriteInterned();

  // Of each track in the order of time; slices of one track nest. `body` is what describes the
  // event, as fields of a TrackEvent. The flows of `from` leave it, those of `to` end at it.
  void BeginSlice(const EventMoment& at, std::string_view body, std::span<const uint64_t> from = {},
                  std::span<const uint64_t> to = {});
  void EndSlice(TrackUuid track, uint64_t time);
  void Moment(const EventMoment& at, std::string_view body);
  void Count(const EventMoment& at, double value);

 private:
  struct Fresh {
    Dictionary dictionary;
    StringId id;
  };

  template <class Write>
  void Packet(const Write& write);
  template <class Write>
  void Event(const EventMoment& at, uint32_t type, const Write& write);
  TrackUuid NewUuid() { return uint64_t{sequence_} << 32 | ++tracks_; }

  std::string& out_;
  uint32_t sequence_;
  uint32_t tracks_ = 0;
  bool first_ = true;
  int64_t next_order_ = 0;
  StringTable strings_;
  std::vector<uint8_t> sent_;  // by string: the dictionaries that hold it
  std::vector<Fresh> fresh_;   // not written yet
};

}  // namespace stepscope
