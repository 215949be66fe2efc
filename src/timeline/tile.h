// Builds tiles: an interval of a track as it is drawn. docs/formats/tiles.md describes the bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "timeline/axis.h"
#include "timeline/counter_store.h"
#include "timeline/event_store.h"

namespace stepscope {

inline constexpr uint32_t kTileBuckets = 512;
inline constexpr uint32_t kMostLevel = 52;

struct TileAddress {
  uint32_t track = 0, level = 0;
  uint64_t index = 0;

  int64_t Bucket() const { return int64_t{1} << level; }  // ns
  // Whether the tile begins before the end of any axis.
  bool OnAxis() const { return index <= static_cast<uint64_t>(kAxisEnd >> level) / kTileBuckets; }
  // REQUIRES: OnAxis().
  int64_t Start() const { return static_cast<int64_t>(index * kTileBuckets << level); }
};

// An event that lasts a bucket or longer, whole.
struct TileBox {
  uint32_t event = 0;
  uint32_t row = 0;
};

// What is too small for a box, in one bucket of one row.
struct TileSpan {
  uint16_t bucket = 0, row = 0;
  uint32_t count = 0;  // events that begin in it; in a tile's first bucket also those from before
  uint8_t cover = 0;   // 1..255
  Kind kind = Kind::kUnknown;  // that covers most
};

struct TilePoint {
  uint16_t bucket = 0;
  float low = 0, high = 0, last = 0;
};

struct TileContent {
  std::vector<TileBox> boxes;     // by row, then start
  std::vector<TileSpan> spans;    // by row, then bucket
  std::vector<TilePoint> points;  // by bucket
};

// REQUIRES: at.OnAxis().
TileContent GatherEvents(const EventStore& events, const Axis& axis, const TileAddress& at);
TileContent GatherPoints(const CounterStore& points, const Axis& axis, const TileAddress& at);

}  // namespace stepscope
