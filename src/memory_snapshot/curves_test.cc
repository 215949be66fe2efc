// Curves and maps of small snapshots: nothing is lost, and no kind of size is mixed with another.
#include "memory_snapshot/curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/lookup.h"
#include "tests/support/snapshot_fixture.h"

namespace stepscope::memory {
namespace curves_test {

using namespace testing;

const Series* FindSeries(const Report& report, std::string_view key) {
  for (const Series& series : report.series)
    if (series.key == key) return &series;
  return nullptr;
}

using Points = std::vector<std::pair<double, double>>;

// 1000 bytes live throughout, of a place that their block tells; 3000 come and go.
std::string Usual() {
  return Snapshot({Segment(8192, 1024,
                           {Block(0, 1024, 1000, "active_allocated", At(2, "load")),
                            Block(1024, 7168, 0, "inactive")})},
                  {Change("alloc", 4096, 3000, 10, At(5, "forward")),
                   Change("free_completed", 4096, 3000, 31)});
}

TEST(MemoryCurves, LayersHoldWhatIsRequestedAtEachMoment) {
  const Report report = ReportOn(Usual(), {.pictures = true});
  const Series* forward = FindSeries(report, "category.forward");
  ASSERT_NE(forward, nullptr);
  EXPECT_EQ(forward->points, (Points{{0, 1000}, {0, 4000}, {21000, 1000}}));
  const Series* reserved = FindSeries(report, "reserved");
  ASSERT_NE(reserved, nullptr);
  EXPECT_EQ(reserved->points.front().second, 8192);
  const Series* place = FindSeries(report, "place.0");
  ASSERT_NE(place, nullptr);
  EXPECT_EQ(place->title.str(), "train.py:5 forward");
  EXPECT_EQ(FindSeries(report, "place.before"), nullptr);  // its block told the place
}

TEST(MemoryCurves, OfManyEventsTheHighestMomentStays) {
  constexpr int64_t kEvents = 50'000;
  std::vector<Pickled> events;
  for (int64_t i = 0; i < kEvents; ++i) {
    const bool highest = i == 12'345;
    const int64_t size = highest ? 9'999 : 100 + i % 97;
    events.push_back(Change("alloc", 512, size, 10 * i, At(5, "forward")));
    events.push_back(Change("free_completed", 512, size, 10 * i + 5));
  }
  const Report report =
      ReportOn(Snapshot({Segment(16'384, 0, {Block(0, 16'384, 0, "inactive")})}, events),
               {.pictures = true});
  const Series* forward = FindSeries(report, "category.forward");
  ASSERT_NE(forward, nullptr);
  EXPECT_LE(forward->points.size(), kMostMoments);
  const auto peak = std::ranges::max_element(forward->points, {}, &Points::value_type::second);
  EXPECT_EQ(*peak, Points::value_type(123'450'000, 9'999));
  EXPECT_EQ(WholeIn(FindMetric(&report, "peak_requested")), 9'999);
  EXPECT_TRUE(std::ranges::is_sorted(forward->points, {}, &Points::value_type::first));
  for (const auto& [time, bytes] : forward->points) ASSERT_GE(bytes, 0);
}

TEST(MemoryCurves, AnAddressThatIsAllocatedTwiceStillAddsUp) {
  const Report report = ReportOn(
      Snapshot({Segment(8192, 1024, {Block(0, 1024, 700, "active_allocated")})},
               {Change("alloc", 64, 300, 1, At(5, "a")), Change("alloc", 64, 200, 2, At(6, "b")),
                Change("free_completed", 64, 200, 3), Change("free_completed", 64, 300, 4)}),
      {.pictures = true});
  const Series *forward = FindSeries(report, "category.forward"),
               *other = FindSeries(report, "category.other");
  ASSERT_TRUE(forward != nullptr && other != nullptr);
  std::vector<double> sums;
  for (size_t i = 0; i < forward->points.size(); ++i)
    sums.push_back(forward->points[i].second + other->points[i].second);
  EXPECT_EQ(sums, (std::vector<double>{700, 1000, 1200, 1000, 700}));
}

TEST(MemoryCurves, BlocksLieInTheirSegment) {
  const Report report = ReportOn(Usual(), {.pictures = true});
  const Table* blocks = Find(report, "blocks");
  ASSERT_NE(blocks, nullptr);
  ASSERT_EQ(blocks->rows.size(), 2u);
  EXPECT_EQ(blocks->rows[0], (std::vector<Cell>{int64_t{0}, int64_t{0}, int64_t{1024}, "allocated",
                                                int64_t{1000}, "train.py:2 load"}));
  EXPECT_EQ(blocks->rows[1],
            (std::vector<Cell>{int64_t{0}, int64_t{1024}, int64_t{7168}, "free", Cell(), Cell()}));
  EXPECT_EQ(Find(ReportOn(Usual()), "blocks"), nullptr);  // only where pictures are asked for
}

}  // namespace curves_test
}  // namespace stepscope::memory
