// Serves every event of a run on one time axis, at any level of detail, to timeline viewers.
//
//   auto session = stepscope::Session::Open({"traces/"}, {.keep_events = true});
//   auto timeline = session->TakeTimeline();
//   std::string tile = *timeline->Tile(0, 20, 0);   // bytes, as docs/formats/tiles.md has them
//   auto event = timeline->Describe({.track = 0, .event = 17});
//
// Tracks are threads, streams, annotations, steps and counters. Times are ns from the run's first
// event, on one clock for all ranks: those that collectives join are aligned by them. They stay
// below 2^53, so that a double holds each exactly; durations are as they were recorded.
//
// Nothing is dropped: what is too small to draw at a level is counted in its place. Only events
// whose clock is off by more than a day from the others of their trace, or that last longer than a
// day, have no place on the axis; left_out() says how many.
//
// Thread-safety: all const methods may be called from any number of threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

enum class TrackKind : uint8_t { kSteps, kAnnotations, kThread, kStream, kCounter };
// "steps", "annotations", "thread", "stream", "counter".
std::string_view TrackKindName(TrackKind kind);

// A trace: almost always that is a rank.
struct TimelineRank {
  int64_t rank = 0;
  int64_t window = 0;  // 0, 1, ...: which trace of that rank
  std::string name;    // "rank 3", "rank 3, window 1"
  // Its clock was aligned with other ranks', or there is but one; else its times stand as recorded.
  bool aligned = false;
  // ns of its own clock, as reports have times of a rank, at 0 and at the end of the time line;
  // between these the one is linear in the other.
  int64_t own_begin = 0, own_end = 0;
};

// A step's share of the time line, as reports have it: from the end of the step before, or where
// its annotation begins, until its annotation and its last work have ended.
struct TimelineStep {
  uint32_t rank_index = 0;  // into Timeline::ranks()
  int64_t number = 0;
  int64_t start = 0, end = 0;
};

struct TimelineTrack {
  uint32_t rank_index = 0;
  TrackKind kind = TrackKind::kThread;
  std::string group;    // what belongs together: "GPU 0", "CPU"
  std::string name;     // from the trace: any text
  uint32_t rows = 1;    // nested events lie in rows below one another; 0 of a counter
  uint64_t events = 0;  // or points of a counter
  std::string unit;     // of a counter, as UnitName(): "bytes", "bytes/s", "count", ""
  double max = 0;       // the highest value of a counter
};

// An event: its track, and its number there. Stable as long as the timeline lives.
struct EventRef {
  uint32_t track = 0;
  uint32_t event = 0;

  bool operator==(const EventRef&) const = default;
};

struct TimelineEvent {
  EventRef ref;
  std::string_view name;  // lives as long as the timeline; any text, here and below
  std::string_view kind;  // one of Timeline::kinds()
  uint32_t row = 0;
  uint32_t rank_index = 0;
  int64_t start = 0;
  int64_t duration = 0;
};

// Something an event says about itself.
struct EventField {
  std::string key;    // "grid", "bytes", "input_shapes"
  std::string title;  // what a reader sees
  Cell value;
  Unit unit = Unit::kNone;
};

// How another event belongs to this one.
enum class LinkKind : uint8_t {
  kLaunch,    // the call that launched it
  kActivity,  // what the call launched
  kPeer,      // the same collective on another rank
  kWait,      // what it waited for
};
std::string_view LinkKindName(LinkKind kind);  // "launch", "work", "peer", "wait"

struct EventLink {
  LinkKind kind = LinkKind::kLaunch;
  TimelineEvent event;
};

struct EventDetails {
  TimelineEvent event;
  std::vector<EventField> fields;
  // The operators around it, or around the call that launched it; the innermost first.
  std::vector<TimelineEvent> stack;
  std::vector<EventLink> links;  // at most 256
};

// What a search looks for in the names of events.
struct TimelineSearch {
  std::string text;
  // Whether `text` is a regular expression (RE2's syntax: none takes more than linear time) that is
  // found anywhere in a name; else a part of one. Neither heeds the case of letters.
  bool regex = false;
};

// What a search finds.
struct TimelineMatches {
  uint64_t total = 0;  // of the whole timeline
  // Which of these, counted from 1 in the order of start, the first of `matches` is: "3 of 1234".
  // The others follow it one by one, with by = -1 downwards. 0 without matches.
  uint64_t place = 0;
  std::vector<TimelineEvent> matches;
};

struct TimelineHitsQuery {
  TimelineSearch search;
  int64_t from = 0, to = 0;      // ns; `to` is not in it
  uint32_t buckets = 1;          // equal parts of that time, at most 4096
  std::vector<uint32_t> tracks;  // row by row; empty: all there are, rank by rank
};

// Where what a search finds lies, for who marks it.
struct TimelineHits {
  struct Row {
    uint32_t rank_index = 0, track = 0, row = 0;  // the latter two 0 where ranks are told
    // First and last bucket of each stretch of buckets that its matches meet, ascending.
    std::vector<std::pair<uint32_t, uint32_t>> stretches;
  };
  std::vector<Row> rows;  // that have any
};

// Events that are called exactly so, or as reports call a function of Python's, or are of a kind.
struct TimelineNamed {
  std::string name;              // empty: whatever they are called
  std::string kind;              // one that columns of reports have, "communication"; empty: any
  int64_t from = 0, to = 0;      // ns; `to` is not in it
  std::vector<uint32_t> tracks;  // empty: all with events of the trace
};

struct TimelineSelection {
  int64_t from = 0, to = 0;      // ns; `to` is not in it
  std::vector<uint32_t> tracks;  // empty: all with events of the trace (no counters, no steps)
  std::string by = "name";       // "name", "kind", "track", "rank" or "stack"
  // By stack: what the name of this event was called by, and what it called, in place of all.
  std::optional<EventRef> focus;
};

class Timeline {
 public:
  std::span<const TimelineRank> ranks() const;
  std::span<const TimelineStep> steps() const;    // by rank_index, then start
  std::span<const TimelineTrack> tracks() const;  // in the order to show; ids are positions
  // The names that the numbers of kinds in tiles stand for: "compute", "communication", ...
  std::span<const std::string_view> kinds() const;
  // Of each of kinds(), the kind that columns of reports have.
  std::span<const ColumnKind> column_kinds() const;
  int64_t end() const;  // ns, of what ends last; 0 without events
  // ns between which ranks did something: activities, calls, operators, annotations and steps lie
  // within, but Python frames, moments and the profiler's own records may lie outside. 0 and end()
  // where there is nothing else.
  int64_t work_begin() const;
  int64_t work_end() const;
  uint64_t events() const;    // on all tracks
  uint64_t left_out() const;  // have no place on the axis
  size_t bytes() const;       // memory held

  // The tile: [index * 512 * 2^level, (index + 1) * 512 * 2^level) ns of a track in 512 buckets of
  // 2^level ns, as bytes. A tile outside of the timeline has nothing in it. Its cost depends on
  // what can be drawn, not on how many events it covers. Fails for an unknown track or level > 52.
  Result<std::string> Tile(uint32_t track, uint32_t level, uint64_t index) const;

  // Fail for what is no event.
  Result<TimelineEvent> Event(EventRef ref) const;
  Result<EventDetails> Describe(EventRef ref) const;
  // The next event on its track in the order of start (by = 1), or the one before (by = -1); none
  // at the end.
  Result<std::optional<TimelineEvent>> Next(EventRef ref, int by) const;
  // Of the events of a row that meet [from, to), the longest: what a click between boxes means.
  Result<std::optional<TimelineEvent>> Longest(uint32_t track, uint32_t row, int64_t from,
                                               int64_t to) const;

  // Events whose name holds `text`, whatever the case of ASCII letters, on all tracks in the order
  // of start: with by = 1 the first `limit` that begin at `from` or later, with by = -1 the last
  // that begin before, the latest first. Among equal starts the track, then the event's number,
  // says which is earlier. A look at the names of the events before `from`, and at those of some
  // behind. Fails when stopped.
  // Fails, too, for what is no regular expression.
  Result<TimelineMatches> Find(const TimelineSearch& search, int64_t from, int by, size_t limit,
                               std::stop_token stop = {}) const;
  Result<TimelineMatches> Find(std::string_view text, int64_t from, int by, size_t limit,
                               std::stop_token stop = {}) const;
  // All that Find() finds within a time, as what to draw: a look at the names of its events. Fails
  // as Find(), and for an unknown track.
  Result<TimelineHits> Hits(const TimelineHitsQuery& query, std::stop_token stop = {}) const;
  // Of these events that meet the time, the longest; of equal ones the first. None where there is
  // none. Fails for an unknown track and when stopped.
  Result<std::optional<TimelineEvent>> LongestNamed(const TimelineNamed& named,
                                                    std::stop_token stop = {}) const;
  // The next event with the name of this one that lasts from `least` to `most` ns, over all tracks
  // in the order of Find(), and after the last the first again; itself if there is no other. None
  // where no event of its name lasts so long. Fails for what is no event and when stopped.
  Result<std::optional<TimelineEvent>> NextOccurrence(EventRef ref, int64_t least, int64_t most,
                                                      std::stop_token stop = {}) const;

  // What is within the selection, put together: a report with one table. An event counts if it
  // meets the time, and with the part of it that lies within. By stack, the rows are paths of names
  // from the outermost event to the innermost, joined by ";", parents before children: on each
  // thread or stream an event belongs to the innermost one that it lies within. Paths of less than
  // a thousandth of all are left out. Fails for an unknown track or `by`, and when stopped.
  Result<Report> Select(const TimelineSelection& selection, std::stop_token stop = {}) const;

  // All events with the name of this one: how many, how long, on which ranks. Fails as above.
  Result<Report> Occurrences(EventRef ref, std::stop_token stop = {}) const;

  // Made by Session::TakeTimeline().
  struct State;
  explicit Timeline(std::unique_ptr<State> state);
  Timeline(Timeline&&) noexcept;
  Timeline& operator=(Timeline&&) noexcept;
  ~Timeline();

 private:
  std::unique_ptr<State> state_;
};

// As JSON, for a viewer. docs/formats/tiles.md lists the keys.
std::string ToJson(const Timeline& timeline);  // ranks, steps, tracks, kinds
std::string ToJson(const EventDetails& details, const Timeline& timeline);
std::string ToJson(const TimelineMatches& matches);
std::string ToJson(const TimelineHits& hits);

}  // namespace stepscope
