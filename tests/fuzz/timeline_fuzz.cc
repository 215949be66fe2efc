// Fuzzes the timeline: from the bytes of a trace, of either format, to tiles, details, links and
// what searches find. Its reports and servers show what strangers have recorded.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "facts/activity/rank_activity_builder.h"
#include "ingest/trace_reader.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"
#include "timeline/build.h"
#include "timeline/recording.h"

namespace stepscope::timeline_fuzz {
namespace {

constexpr uint32_t kMostTracks = 8;
constexpr uint32_t kMostEvents = 16;  // of a track, that are asked about

Timeline Build(Trace trace) {
  const std::vector<RankActivity> ranks = {BuildRankActivity(trace)};
  std::vector<RecordedEvents> recordings;
  recordings.emplace_back(trace).TakeFields(trace);
  StringTable names;
  recordings.front().ShareNames(trace.strings, names);
  return BuildTimeline({.names_of_ranks = &trace.strings,
                        .ranks = ranks,
                        .recordings = std::move(recordings),
                        .names = std::move(names)});
}

void AskAboutEvent(const Timeline& timeline, EventRef ref) {
  const auto event = timeline.Event(ref);
  Require(event.has_value() && event->duration >= 0 && event->start >= 0);
  Require(event->start <= timeline.end());
  const auto details = timeline.Describe(ref);
  Require(details && details->links.size() <= 256);
  for (const EventLink& link : details->links) Require(timeline.Event(link.event.ref).has_value());
  Require(!ToJson(*details, timeline).empty());
  Require(timeline.Next(ref, 1).has_value() && timeline.Next(ref, -1).has_value());
  Require(timeline.NextOccurrence(ref, 0, INT64_MAX).has_value());
}

void AskAboutTrack(const Timeline& timeline, uint32_t track) {
  for (const uint32_t level : {0u, 10u, 20u, 34u, 52u}) {
    for (const uint64_t index : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 40, UINT64_MAX})
      Require(timeline.Tile(track, level, index).has_value());
  }
  const TimelineTrack& of = timeline.tracks()[track];
  if (of.kind == TrackKind::kCounter) return;
  for (uint32_t row = 0; row < std::min(of.rows, 3u); ++row)
    Require(timeline.Longest(track, row, 0, timeline.end() + 1).has_value());
  const auto events = static_cast<uint32_t>(std::min<uint64_t>(of.events, kMostEvents));
  for (uint32_t e = 0; e < events; ++e) AskAboutEvent(timeline, {track, e});
  Require(!timeline.Event({track, static_cast<uint32_t>(of.events)}).has_value());
}

void Fuzz(std::string_view bytes) {
  auto trace = ReadTrace(ByteSource::FromMemory(bytes));
  if (!trace) return;
  const Timeline timeline = Build(std::move(*trace));
  Require(timeline.work_begin() <= timeline.work_end() && timeline.work_end() <= timeline.end());
  Require(!ToJson(timeline).empty());
  const auto tracks = static_cast<uint32_t>(timeline.tracks().size());
  for (uint32_t t = 0; t < std::min(tracks, kMostTracks); ++t) AskAboutTrack(timeline, t);
  Require(!timeline.Tile(tracks, 0, 0).has_value());
  const auto found = timeline.Find("a", 0, 1, 10);
  Require(found && found->matches.size() <= 10 && found->matches.size() <= found->total);
  const auto hits = timeline.Hits(
      {.search = {.text = "a"}, .from = 0, .to = timeline.end() + 1, .buckets = 64, .tracks = {}});
  Require(hits && hits->rows.empty() == (found->total == 0));
  for (const char* by : {"name", "kind", "track", "rank", "stack"})
    Require(
        timeline.Select({.from = 0, .to = timeline.end() + 1, .tracks = {}, .by = by}).has_value());
}

const fuzz::Register kTarget({.name = "timeline", .run = &Fuzz, .form = fuzz::Form::kJson});

}  // namespace
}  // namespace stepscope::timeline_fuzz
