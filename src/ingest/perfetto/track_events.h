// Makes rows of TrackEvents and GpuRenderStageEvents.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/proto.h"
#include "ingest/common/perfetto_fields.h"
#include "ingest/perfetto/annotations.h"
#include "ingest/perfetto/interned.h"
#include "ingest/perfetto/recording_rows.h"
#include "ingest/perfetto/track_table.h"
#include "trace/communication_names.h"

namespace stepscope::perfetto {

// What is known of a packet beside its event.
struct EventPlace {
  int64_t time = 0;                                // ns
  std::optional<uint64_t> default_track;           // of the sequence
  std::optional<uint32_t> recording;               // of the sequence, if it is one of its own
  const Interned* interned = nullptr;              // of the sequence
  std::optional<uint32_t> order;                   // the event's place in its recording
  std::optional<int64_t>* reference_us = nullptr;  // of old writers: what their deltas add to
};

class TrackEvents {
 public:
  // The recordings grow as events of more of them come. `part`: the only one whose events are kept.
  TrackEvents(Wanted keep, std::optional<size_t> part) : keep_(keep), part_(part) {}

  // The recording of a sequence or rank, a new one for a key that is new.
  uint32_t RecordingOf(uint64_t key);

  // Returns whether it is an event that has a place in its recording.
  bool TakeEvent(std::string_view event, const EventPlace& place);
  void TakeStage(std::string_view stage, const EventPlace& place);
  // Joins beginnings and ends.
  void Finish();

  StringTable strings;
  TrackTable tracks;
  std::vector<std::unique_ptr<RecordingRows>> recordings;

 private:
  struct Event;
  bool Read(std::string_view message, const EventPlace& place, Event& event);
  void ReadLegacy(std::string_view message, const Interned& interned, Event& event);
  void TakeAnnotations(const Interned& interned, bool counters, bool foreign);
  uint32_t RecordingFor(PerfettoTrack& track, std::optional<uint32_t> of_sequence);
  void Begin(const Event& event, const EventPlace& place, RecordingRows& into,
             std::optional<int64_t> duration);
  void Count(const Event& event, const EventPlace& place, RecordingRows& into);
  void TakeMetadata(const Event& event, const EventPlace& place, RecordingRows& into);
  void AddFlows(Row row, RecordingRows& into);
  void Correlate(const Event& event, Kind kind);
  CategoryMeaning InferMeaning(const Event& event) const;
  Kind KindOf(CategoryMeaning meaning, StringId name);
  void CountEvent(Kind kind, std::string_view category, bool noted, RecordingRows& into);
  void JoinTrack(PerfettoTrack& track);

  Wanted keep_;
  std::optional<size_t> part_;
  std::unordered_map<uint64_t, uint32_t> by_key_;
  std::vector<std::string_view> messages_;  // annotations of the event at hand
  std::vector<uint64_t> flows_;
  EventArgs args_;
  Annotations annotations_{strings};
  CommunicationNames communication_;
};

}  // namespace stepscope::perfetto
