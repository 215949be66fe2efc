// Builds timelines of small traces, and reads tiles back, for tests.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "facts/activity/rank_activity.h"
#include "facts/activity/rank_activity_builder.h"
#include "tests/support/sample_trace.h"
#include "timeline/build.h"

namespace stepscope {

// Of ranks 0, 1, ... REQUIRES: their traces met the same names in the same order, where names of
// accelerator work are concerned.
inline Timeline TimelineOf(std::vector<SampleTrace> ranks) {
  TimelineInput input;
  std::vector<RankActivity> activity;
  for (SampleTrace& rank : ranks) {
    activity.push_back(BuildRankActivity(rank.trace));
    activity.back().rank = static_cast<int64_t>(activity.size()) - 1;
    input.recordings.emplace_back(rank.trace);
    input.recordings.back().TakeFields(rank.trace);
    input.recordings.back().ShareNames(rank.trace.strings, input.names);
  }
  input.names_of_ranks = &ranks.front().trace.strings;
  input.ranks = activity;
  return BuildTimeline(std::move(input));
}

inline Timeline TimelineOf(SampleTrace rank) {
  std::vector<SampleTrace> ranks;
  ranks.push_back(std::move(rank));
  return TimelineOf(std::move(ranks));
}

// The id of the only track of this name.
inline uint32_t TrackNamed(const Timeline& timeline, std::string_view name) {
  for (uint32_t t = 0; t < timeline.tracks().size(); ++t) {
    if (timeline.tracks()[t].name == name) return t;
  }
  return UINT32_MAX;
}

inline std::vector<std::string> Names(const std::vector<TimelineEvent>& events) {
  std::vector<std::string> names;
  for (const TimelineEvent& event : events) names.emplace_back(event.name);
  return names;
}

struct ReadBox {
  double start = 0, duration = 0;
  uint32_t event = 0, row = 0, kind = 0;
  std::string name;
};
struct ReadSpan {
  uint32_t bucket = 0, row = 0, count = 0, cover = 0, kind = 0;

  bool operator==(const ReadSpan&) const = default;
};
struct ReadPoint {
  uint32_t bucket = 0;
  float low = 0, high = 0, last = 0;

  bool operator==(const ReadPoint&) const = default;
};
struct ReadTile {
  uint32_t track = 0, level = 0;
  uint64_t index = 0;
  std::vector<ReadBox> boxes;
  std::vector<ReadSpan> spans;
  std::vector<ReadPoint> points;
};

// Reads a tile as docs/formats/tiles.md describes it.
class TileReader {
 public:
  explicit TileReader(std::string_view bytes) : bytes_(bytes) {}

  ReadTile Read() {
    const auto head = Array<uint32_t>(10);
    ReadTile tile{.track = head[2], .level = head[3], .index = uint64_t{head[9]} << 32 | head[4]};
    tile.boxes.resize(head[5]);
    tile.spans.resize(head[6]);
    tile.points.resize(head[8]);
    Column<double>(tile.boxes, [](ReadBox& b) -> double& { return b.start; });
    Column<double>(tile.boxes, [](ReadBox& b) -> double& { return b.duration; });
    Column<uint32_t>(tile.boxes, [](ReadBox& b) -> uint32_t& { return b.event; });
    const auto names = Array<uint32_t>(head[5]);
    Column<uint16_t>(tile.boxes, [](ReadBox& b) -> uint32_t& { return b.row; });
    Column<uint8_t>(tile.boxes, [](ReadBox& b) -> uint32_t& { return b.kind; });
    Array<uint8_t>(head[5]);  // flags
    Column<uint16_t>(tile.spans, [](ReadSpan& s) -> uint32_t& { return s.bucket; });
    Column<uint16_t>(tile.spans, [](ReadSpan& s) -> uint32_t& { return s.row; });
    Column<uint32_t>(tile.spans, [](ReadSpan& s) -> uint32_t& { return s.count; });
    Column<uint8_t>(tile.spans, [](ReadSpan& s) -> uint32_t& { return s.cover; });
    Column<uint8_t>(tile.spans, [](ReadSpan& s) -> uint32_t& { return s.kind; });
    Column<uint16_t>(tile.points, [](ReadPoint& p) -> uint32_t& { return p.bucket; });
    Column<float>(tile.points, [](ReadPoint& p) -> float& { return p.low; });
    Column<float>(tile.points, [](ReadPoint& p) -> float& { return p.high; });
    Column<float>(tile.points, [](ReadPoint& p) -> float& { return p.last; });
    const auto ends = Array<uint32_t>(head[7]);
    for (size_t b = 0; b < tile.boxes.size(); ++b) {
      const uint32_t from = names[b] == 0 ? 0 : ends[names[b] - 1];
      tile.boxes[b].name = bytes_.substr(at_ + from, ends[names[b]] - from);
    }
    return tile;
  }

 private:
  template <class T>
  std::vector<T> Array(size_t count) {
    std::vector<T> items(count);
    if (count > 0) std::memcpy(items.data(), bytes_.data() + at_, count * sizeof(T));
    at_ += (count * sizeof(T) + 7) / 8 * 8;
    return items;
  }
  template <class T, class Items, class Of>
  void Column(Items& items, const Of& of) {
    const auto values = Array<T>(items.size());
    for (size_t i = 0; i < items.size(); ++i) of(items[i]) = values[i];
  }

  std::string_view bytes_;
  size_t at_ = 0;
};

inline ReadTile TileOf(const Timeline& timeline, uint32_t track, uint32_t level, uint64_t index) {
  return TileReader(timeline.Tile(track, level, index).value()).Read();
}

}  // namespace stepscope
