// Stores the events of one trace as packed tracks with their arguments: all that a timeline keeps,
// so that the trace's columns can be freed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/string_table.h"
#include "stepscope/timeline.h"
#include "timeline/counter_store.h"
#include "timeline/event_store.h"
#include "trace/trace.h"

namespace stepscope {

// Of one thread or stream there are several tracks: what would not nest stands apart. In the order
// to show.
enum class Line : uint8_t { kAnnotations, kMain, kSync, kCounterRanges, kInstants, kPython };

struct RecordedTrack {
  TrackKind kind = TrackKind::kThread;
  std::string group, name;
  Line line = Line::kMain;
  TrackId source = 0;  // the thread or stream in the trace
  int64_t device = -1, stream = -1;
  // Events of a recording are numbered through: this is the first one's number.
  uint32_t first = 0;
  EventStore events;
};

struct RecordedCounter {
  std::string group, name, unit;
  int64_t device = -1;
  std::vector<CounterPoint> points;  // on the recording's own clock
};

class RecordedEvents {
 public:
  RecordedEvents() = default;
  // Of all events of the trace, on up to `threads` threads. Memory: docs/performance.md.
  explicit RecordedEvents(const Trace& trace, size_t threads = 1);
  // Takes over what the events say about themselves. REQUIRES: the trace they are of.
  void TakeFields(Trace& trace);

  // Gives the texts of `strings`, the trace's, that are in use a number in `names`, which many
  // recordings share. Until then there are no names.
  void ShareNames(const StringTable& strings, StringTable& names);

  // What the trace's names of events and texts are called in the shared table.
  StringId Shared(uint32_t name) const { return shared_[name]; }
  // How many names there are in the trace: they count up from 0.
  size_t names() const { return shared_.size(); }
  // How many events have the name.
  uint32_t Uses(uint32_t name) const { return uses_[name]; }

  // By the event's number in the trace, EventStore::Source(). For a repeated
  // field, the first value is kept.
  const SparseColumn<int64_t>& Ints(IntField field) const { return ints_[Index(field)]; }
  const SparseColumn<StringId>& Texts(TextField field) const { return texts_[Index(field)]; }
  const SparseColumn<double>& Reals(RealField field) const { return reals_[Index(field)]; }
  const LaunchConfig& Config(size_t number) const { return configs_[number]; }
  size_t configs() const { return configs_.size(); }
  // By RecordedTrack::first + event.
  const SparseColumn<int64_t>& Correlations() const { return correlations_; }

  std::vector<RecordedTrack> tracks;      // in the order to show
  std::vector<RecordedCounter> counters;  // that stand in the trace
  uint64_t left_out = 0;                  // events that have no place on the axis
  size_t bytes() const;                   // held by events and their fields

 private:
  friend class Recorder;
  std::array<SparseColumn<int64_t>, Index(IntField::kCount)> ints_;
  std::array<SparseColumn<StringId>, Index(TextField::kCount)> texts_;
  std::array<SparseColumn<double>, Index(RealField::kCount)> reals_;
  SparseColumn<int64_t> correlations_;
  std::vector<LaunchConfig> configs_;
  std::vector<StringId> shared_;  // by name; kNoString for what nothing here is called
  std::vector<uint32_t> uses_;
};

// What a reader has to keep for RecordedEvents. Of flows nothing: correlation says the same.
Wanted TimelineNeeds();

}  // namespace stepscope
