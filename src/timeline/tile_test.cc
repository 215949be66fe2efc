// Tests tiles: small examples, and properties that hold for any events.
#include "timeline/tile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/time_units.h"
#include "tests/support/sample_timeline.h"
#include "timeline/rows.h"

namespace stepscope::tile_test {
namespace {

constexpr uint32_t kComputeKind = static_cast<uint32_t>(Kind::kCompute);
constexpr uint32_t kCopyKind = static_cast<uint32_t>(Kind::kMemcpy);

TEST(Tile, LongEventsAreBoxesWhole) {
  SampleTrace trace;
  trace.Activity("gemm", 1000, 1100);
  trace.Activity("relu", 1500, 1600);
  const ReadTile tile = TileOf(TimelineOf(std::move(trace)), 0, 0, 1);  // 512 to 1024
  ASSERT_EQ(tile.boxes.size(), 1u);
  EXPECT_EQ(tile.boxes[0].start, 500);  // from the run's first event
  EXPECT_EQ(tile.boxes[0].duration, 100);
  EXPECT_EQ(tile.boxes[0].name, "relu");
  EXPECT_EQ(tile.boxes[0].kind, kComputeKind);
  EXPECT_EQ(tile.boxes[0].event, 1u);
  EXPECT_TRUE(tile.spans.empty());
}

TEST(Tile, ShortEventsAreCountedInTheirBucket) {
  SampleTrace trace;  // buckets of 16
  trace.Activity("a", 0, 4);
  trace.Activity("b", 4, 8);
  trace.Activity("copy", 30, 42, 0, 7, Kind::kMemcpy);  // 2 in one bucket, 10 in the next
  const ReadTile tile = TileOf(TimelineOf(std::move(trace)), 0, 4, 0);
  EXPECT_TRUE(tile.boxes.empty());
  EXPECT_EQ(tile.spans,
            (std::vector<ReadSpan>{{0, 0, 2, 128, kComputeKind},  // 8 of 16, rounded up
                                   {1, 0, 1, 32, kCopyKind},      // 2 of 16
                                   {2, 0, 0, 160, kCopyKind}}));  // 10 of 16, begun before
}

TEST(Tile, MomentsAreSeen) {
  SampleTrace trace;
  trace.Range("first", 0, 1000);
  trace.trace.Add({100, 0, trace.trace.strings.Intern("[memory]"), 0, Kind::kInstant});
  const Timeline timeline = TimelineOf(std::move(trace));
  const uint32_t track = TrackNamed(timeline, "thread 1: moments");
  for (const uint32_t level : {0u, 5u}) {
    const ReadTile tile = TileOf(timeline, track, level, 0);
    ASSERT_EQ(tile.spans.size(), 1u);
    EXPECT_EQ(tile.spans[0].bucket, 100u >> level);
    EXPECT_EQ(tile.spans[0].count, 1u);
    EXPECT_EQ(tile.spans[0].cover, 1u);
  }
}

TEST(Tile, OutsideOfTheRunIsEmpty) {
  SampleTrace trace;
  trace.Activity("a", 0, 4);
  const Timeline timeline = TimelineOf(std::move(trace));
  for (const uint32_t level : {0u, 30u, 52u}) {
    for (const uint64_t index : {uint64_t{1} << 35, UINT64_MAX}) {
      const ReadTile tile = TileOf(timeline, 0, level, index);
      EXPECT_EQ(tile.index, index);
      EXPECT_EQ(tile.boxes.size() + tile.spans.size(), 0u);
    }
  }
  EXPECT_EQ(TileOf(timeline, 0, 52, 0).spans.size(), 1u);
  EXPECT_FALSE(timeline.Tile(0, 53, 0).has_value());
  EXPECT_FALSE(timeline.Tile(99, 0, 0).has_value());
}

TEST(Tile, AnHourIntoTheRunIsASingleNanosecond) {
  SampleTrace trace;
  trace.Activity("a", 0, 4);
  trace.Activity("b", kHour, kHour + 4);
  const ReadTile tile = TileOf(TimelineOf(std::move(trace)), 0, 0, kHour / 512);
  ASSERT_EQ(tile.boxes.size(), 1u);
  EXPECT_EQ(tile.boxes[0].start, kHour);
}

TEST(Tile, NamesAreMendedAndCut) {
  SampleTrace trace;
  trace.Activity("bad \xff\xfe <script>", 0, 100);
  trace.Activity(std::string(255, 'x') + "\u00e9\u00e9", 100, 200);
  const ReadTile tile = TileOf(TimelineOf(std::move(trace)), 0, 0, 0);
  EXPECT_EQ(tile.boxes[0].name, "bad \ufffd\ufffd <script>");
  EXPECT_EQ(tile.boxes[1].name, std::string(255, 'x') + "\u2026");
}

// Below: any events, compared with what a look at each of them says.

using SpanKey = std::pair<uint32_t, uint32_t>;  // row and bucket

struct Expected {
  size_t boxes = 0, meeting = 0;
  std::map<SpanKey, uint64_t> counts, busy;
};

Expected Expect(const Timeline& timeline, uint32_t level, uint32_t index) {
  Expected out;
  const int64_t bucket = int64_t{1} << level;
  const int64_t from = index * bucket * 512, to = from + bucket * 512;
  for (uint32_t e = 0; e < timeline.tracks()[0].events; ++e) {
    const TimelineEvent event = timeline.Event({0, e}).value();
    const int64_t start = event.start, end = start + event.duration;
    if (start >= to || (end <= from && start < from)) continue;
    ++out.meeting;
    if (event.duration >= bucket) {
      ++out.boxes;
      continue;
    }
    const int64_t first = (std::max(start, from) - from) / bucket;
    ++out.counts[{event.row, static_cast<uint32_t>(first)}];
    for (int64_t b = first; b < 512 && from + b * bucket < end; ++b) {
      const int64_t edge = from + b * bucket;
      out.busy[{event.row, static_cast<uint32_t>(b)}] +=
          static_cast<uint64_t>(std::min(end, edge + bucket) - std::max(start, edge));
    }
  }
  return out;
}

void CheckTile(const Timeline& timeline, uint32_t level, uint32_t index) {
  const Expected expected = Expect(timeline, level, index);
  const ReadTile tile = TileOf(timeline, 0, level, index);
  EXPECT_EQ(tile.boxes.size(), expected.boxes);
  size_t meeting = tile.boxes.size();
  std::map<SpanKey, uint64_t> counts;
  for (const ReadSpan& span : tile.spans) {
    meeting += span.count;
    if (span.count > 0) counts[{span.row, span.bucket}] = span.count;
    const auto at = expected.busy.find({span.row, span.bucket});
    const uint64_t busy = at == expected.busy.end() ? 0 : at->second;
    const uint64_t cover = (busy * 255 + (uint64_t{1} << level) - 1) >> level;
    EXPECT_EQ(span.cover, std::clamp<uint64_t>(cover, 1, 255)) << level << " " << index;
  }
  EXPECT_EQ(meeting, expected.meeting) << level << " " << index;
  EXPECT_EQ(counts, expected.counts) << level << " " << index;
}

void CheckAllLevels(const Timeline& timeline) {
  for (uint32_t level = 0; level < 40; ++level) {
    const int64_t tiles = (timeline.end() >> level) / 512 + 1;
    for (int64_t part = 0; part < 4; ++part) {
      CheckTile(timeline, level, static_cast<uint32_t>(tiles * part / 4));
    }
    if (tiles == 1) break;
  }
}

TEST(Tile, AgreesWithEveryEventWhereFewOverlap) {
  Random random(1, 0);
  SampleTrace trace;
  for (int i = 0; i < 500; ++i) {
    const auto start = random.Below(100'000);
    const Kind kind = i % 3 == 0 ? Kind::kMemset : Kind::kCompute;
    trace.Activity("w", start, start + random.Below(3000), 0, 7, kind);
  }
  CheckAllLevels(TimelineOf(std::move(trace)));
}

TEST(Tile, AgreesWithEveryEventWhereSumsAreUsed) {
  Random random(2, 0);
  SampleTrace trace;  // one row of many: beyond a few thousand a tile looks at sums alone
  int64_t time = 0;
  for (int i = 0; i < 12'000; ++i) {
    const auto some = random.Below(100);
    const int64_t duration = i % 1000 == 0 ? 20'000 : some / 2;
    const Kind kind = i % 5 == 0 ? Kind::kMemcpy : Kind::kCompute;
    trace.Activity("w", time, time + duration, 0, 7, kind);
    time += duration + (i % 2 == 0 ? 0 : some);
  }
  CheckAllLevels(TimelineOf(std::move(trace)));
}

TEST(Tile, AgreesWithEveryEventWhereTheyLastSeconds) {
  Random random(3, 0);
  SampleTrace trace;
  for (int64_t i = 0; i < 300; ++i) {
    const int64_t duration = random.Below(1'000'000'000) * (i % 2 == 0 ? 1 : 9);
    trace.Activity("w", i * 3'000'000'000, i * 3'000'000'000 + duration);
  }
  CheckAllLevels(TimelineOf(std::move(trace)));
}

TEST(Tile, KindIsTheOneThatCoversMost) {
  SampleTrace trace;
  for (int64_t i = 0; i < 9000; ++i) {  // of every 10 ns: 2 computing, 3 copying, 1 setting
    trace.Activity("w", i * 10, i * 10 + 2);
    trace.Activity("c", i * 10 + 3, i * 10 + 6, 0, 7, Kind::kMemcpy);
    trace.Activity("s", i * 10 + 7, i * 10 + 8, 0, 7, Kind::kMemset);
  }
  const Timeline timeline = TimelineOf(std::move(trace));
  for (const uint32_t level : {8u, 12u}) {
    for (const ReadSpan& span : TileOf(timeline, 0, level, 0).spans) {
      if (span.count >= 3) {
        EXPECT_EQ(span.kind, kCopyKind) << level;
      }
    }
  }
}

TEST(Tile, ThousandsThatOverlapAreAllThere) {
  SampleTrace trace;
  constexpr int64_t kEvents = 5000;
  for (int64_t i = 0; i < kEvents; ++i) trace.Activity("w", i, 10'000 + i);
  const Timeline timeline = TimelineOf(std::move(trace));
  EXPECT_EQ(timeline.tracks()[0].rows, kMostRows);
  for (const uint32_t level : {0u, 4u, 10u, 15u}) {
    for (uint32_t index = 0; index < 3; ++index) {
      const int64_t from = int64_t{index} << level << 9, to = int64_t{index + 1} << level << 9;
      const ReadTile tile = TileOf(timeline, 0, level, index);
      uint64_t seen = tile.boxes.size();
      for (const ReadSpan& span : tile.spans) seen += span.count;
      const int64_t begun = std::min(kEvents, to);
      const int64_t ended = std::clamp<int64_t>(from - 10'000 + 1, 0, kEvents);
      EXPECT_EQ(seen, static_cast<uint64_t>(begun - ended)) << level << " " << index;
    }
  }
}

}  // namespace
}  // namespace stepscope::tile_test
