// Holds a timeline's state: traces with their axes, and the tracks of all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/string_table.h"
#include "stepscope/timeline.h"
#include "timeline/axis.h"
#include "timeline/counter_store.h"
#include "timeline/recording.h"

namespace stepscope {

inline constexpr uint32_t kNoTrack = UINT32_MAX;

// A track of the timeline: events of a recording, steps, or a counter.
struct TrackData {
  uint32_t recording = 0;        // into State::recordings
  uint32_t recorded = kNoTrack;  // into RecordedEvents::tracks; else it has one of these:
  uint32_t steps = kNoTrack;     // into State::step_stores
  uint32_t counter = kNoTrack;   // into State::counters
  bool IsCounter() const { return counter != kNoTrack; }
  bool IsSteps() const { return steps != kNoTrack; }
};

// What one rank did in a collective that was matched.
struct PeerPart {
  EventRef event;
  uint32_t match = 0;
  bool last = false;  // it arrived last: the others waited for it
};

struct Timeline::State {
  StringTable names;
  std::vector<RecordedEvents> recordings;  // as ranks; without events where there was a step only
  std::vector<Axis> axes;                  // of each recording
  std::vector<std::vector<uint32_t>> track_ids;  // of each recording: what its tracks are here
  std::vector<EventStore> step_stores;           // their names are shared ones
  std::vector<CounterStore> counters;
  std::vector<TrackData> data;  // as tracks
  std::vector<PeerPart> parts;  // by match
  std::vector<uint32_t> parts_by_event;

  std::vector<TimelineRank> ranks;
  std::vector<TimelineStep> steps;
  std::vector<TimelineTrack> tracks;
  int64_t end = 0;
  int64_t work_begin = 0, work_end = 0;
  uint64_t events = 0, left_out = 0;

  const EventStore& Events(uint32_t track) const {
    const TrackData& t = data[track];
    if (t.IsSteps()) return step_stores[t.steps];
    return recordings[t.recording].tracks[t.recorded].events;
  }
  const Axis& AxisOf(uint32_t track) const { return axes[data[track].recording]; }
  // The number in `names` of an event's name. REQUIRES: the track is no counter.
  StringId NameId(uint32_t track, size_t event) const {
    const TrackData& t = data[track];
    const uint32_t name = Events(track).Name(event);
    return t.IsSteps() ? name : recordings[t.recording].Shared(name);
  }
  // Whether the track has events of the trace: is neither counter nor steps.
  bool HasTraceEvents(uint32_t track) const { return data[track].recorded != kNoTrack; }
  TimelineEvent EventAt(EventRef ref) const;
  Result<void> CheckTrack(uint32_t track) const;  // of events
  Result<void> Check(EventRef ref) const;
};

}  // namespace stepscope
