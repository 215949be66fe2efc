// Measures the timeline: building it, its memory, tiles at every level, search and selection,
// beside a look at every event. Prints one line of JSON.
//
//   timeline_bench EVENTS           a made-up recording: a stream, and a thread of nested operators
//   timeline_bench EVENTS alone     the same without counters and links between ranks, whose facts
//                                   take more memory than the timeline
//   timeline_bench PATH...          traces
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "facts/activity/rank_activity.h"
#include "facts/activity/rank_activity_builder.h"
#include "stepscope/session.h"
#include "stepscope/timeline.h"
#include "timeline/build.h"
#include "trace/trace.h"

namespace stepscope {
namespace {

class Watch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Turns of an operator with one below it, a launch below that, and the kernel on the stream.
Trace MakeTrace(size_t events) {
  Trace trace;
  trace.tracks.push_back({.process = "1", .thread = "1", .name = "main"});
  trace.tracks.push_back({.is_stream = true, .device = 0, .stream = 7});
  std::vector<StringId> names;
  for (int n = 0; n < 200; ++n) names.push_back(trace.strings.Intern(fmt::format("name {}", n)));
  const StringId launch = trace.strings.Intern("cudaLaunchKernel");
  uint64_t random = 1;
  int64_t time = 0, device = 0;
  for (int64_t turn = 1; trace.size() < events; ++turn) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const auto some = static_cast<int64_t>(random >> 54);  // 0..1023
    const StringId name = names[static_cast<size_t>(some) % names.size()];
    trace.Add({time, 5000 + some, name, 0, Kind::kOperator});
    trace.Set(TextField::kInputShapes, name);
    trace.Add({time + 500, 4000, names[static_cast<size_t>(turn) % 7], 0, Kind::kOperator});
    trace.Add({time + 1000, 2500, launch, 0, Kind::kRuntime});
    trace.Set(IntField::kCorrelation, turn);
    device = std::max(device, time + 4000);
    trace.Add({device, 3000 + 3 * some, name, 1, Kind::kCompute});
    trace.Set(IntField::kCorrelation, turn);
    device += 3000 + 3 * some;
    time += 6500 + some;
  }
  return trace;
}

struct Cost {
  double worst_ms = 0, mean_ms = 0;
  size_t tiles = 0, bytes = 0;
};

// The quickest of three: others use the machine too.
template <class F>
double Milliseconds(const F& f) {
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i < 3; ++i) {
    const Watch watch;
    f();
    least = std::min(least, watch.Seconds() * 1e3);
  }
  return least;
}

// Tiles all over the longest track at every level.
Cost DrawTiles(const Timeline& timeline, uint32_t track) {
  Cost cost;
  for (uint32_t level = 0; level <= 52; ++level) {
    const int64_t width = int64_t{512} << level;
    const int64_t last = timeline.end() / width;
    if (last > std::numeric_limits<uint32_t>::max()) continue;
    for (int64_t part = 0; part < 8; ++part) {
      size_t bytes = 0;
      const double ms = Milliseconds([&] {
        bytes = timeline.Tile(track, level, static_cast<uint32_t>(last * part / 8))->size();
      });
      cost.worst_ms = std::max(cost.worst_ms, ms);
      cost.mean_ms += ms;
      cost.bytes = std::max(cost.bytes, bytes);
      ++cost.tiles;
    }
    if (width > timeline.end()) break;
  }
  cost.mean_ms /= static_cast<double>(cost.tiles);
  return cost;
}

uint32_t LongestTrack(const Timeline& timeline) {
  uint32_t longest = 0;
  for (uint32_t t = 0; t < timeline.tracks().size(); ++t) {
    const TimelineTrack& track = timeline.tracks()[t];
    const bool drawn = track.kind != TrackKind::kCounter;
    if (drawn && track.events > timeline.tracks()[longest].events) longest = t;
  }
  return longest;
}

// What drawing a track without summaries costs at least: a look at starts and durations.
double ScanSeconds(uint64_t events) {
  std::vector<int64_t> starts(events), durations(events);
  for (uint64_t i = 0; i < events; ++i) {
    starts[i] = static_cast<int64_t>(i);
    durations[i] = static_cast<int64_t>(i % 1000);
  }
  int64_t sum = 0;
  const double ms = Milliseconds([&] {
    for (uint64_t i = 0; i < events; ++i) sum += starts[i] > 10 ? durations[i] : 1;
  });
  return sum == 42 ? 0 : ms / 1e3;  // the sum is needed
}

void Report(const Timeline& timeline, double build_seconds, double copy_seconds) {
  const uint32_t track = LongestTrack(timeline);
  const uint64_t events = timeline.tracks()[track].events;
  const Cost tiles = DrawTiles(timeline, track);
  const double scan = ScanSeconds(events) * 1e3;
  const double select = Milliseconds(
      [&] { [[maybe_unused]] const auto said = timeline.Select({.to = timeline.end() + 1}); });
  const double find = Milliseconds(
      [&] { [[maybe_unused]] const auto said = timeline.Find("no such name", 0, 1, 100); });
  const double rare =
      Milliseconds([&] { [[maybe_unused]] const auto said = timeline.Find("1", 0, 1, 100); });
  const double describe = Milliseconds([&] {
    [[maybe_unused]] const auto said =
        timeline.Describe({track, static_cast<uint32_t>(events / 2)});
  });
  const double occurrences = Milliseconds([&] {
    [[maybe_unused]] const auto said =
        timeline.Occurrences({track, static_cast<uint32_t>(events / 2)});
  });
  fmt::print(
      "{{\"events\": {}, \"build_s\": {:.3f}, \"copy_s\": {:.3f}, \"bytes_per_event\": {:.1f}, "
      "\"track_events\": {}, \"rows\": {}, \"tile_worst_ms\": {:.3f}, \"tile_mean_ms\": {:.3f}, "
      "\"tile_bytes\": {}, \"scan_ms\": {:.2f}, \"select_ms\": {:.1f}, \"find_none_ms\": {:.2f}, "
      "\"find_ms\": {:.2f}, \"describe_ms\": {:.3f}, \"occurrences_ms\": {:.1f}}}\n",
      timeline.events(), build_seconds, copy_seconds,
      static_cast<double>(timeline.bytes()) / static_cast<double>(timeline.events()), events,
      timeline.tracks()[track].rows, tiles.worst_ms, tiles.mean_ms, tiles.bytes, scan, select, find,
      rare, describe, occurrences);
}

int Made(size_t events, bool alone) {
  Trace trace = MakeTrace(events);
  const RankActivity activity = alone ? RankActivity() : BuildRankActivity(trace);
  const double copy = Milliseconds([&] {  // the floor of building: its columns, copied
    std::vector<char> copied(trace.ColumnBytes());
    std::memset(copied.data(), 1, copied.size());
  });
  const Watch watch;
  TimelineInput input{.names_of_ranks = &trace.strings, .ranks = std::span(&activity, 1)};
  input.recordings.emplace_back(trace, 2);
  input.recordings.back().TakeFields(trace);
  input.recordings.back().ShareNames(trace.strings, input.names);
  const Timeline timeline = BuildTimeline(std::move(input));
  Report(timeline, watch.Seconds(), copy / 1e3);
  return 0;
}

int Opened(const std::vector<std::string>& paths) {
  const Watch reading;
  auto session = Session::Open(paths, {.keep_events = true});
  if (!session) {
    fmt::print(stderr, "timeline_bench: {}\n", session.error().what);
    return 1;
  }
  fmt::print(stderr, "read in {:.2f} s\n", reading.Seconds());
  const Watch watch;
  const auto timeline = session->TakeTimeline();
  if (!timeline || timeline->events() == 0) return 1;
  Report(*timeline, watch.Seconds(), 0);
  return 0;
}

int Main(int count, char** words) {
  const std::vector<std::string> given(words + 1, words + count);
  if (given.empty()) {
    fmt::print(stderr, "usage: timeline_bench EVENTS [alone] | PATH...\n");
    return 2;
  }
  const bool number = given[0].find_first_not_of("0123456789") == std::string::npos;
  if (!number) return Opened(given);
  return Made(std::strtoull(given[0].c_str(), nullptr, 10), given.size() > 1);
}

}  // namespace
}  // namespace stepscope

int main(int count, char** words) { return stepscope::Main(count, words); }
