// Puts random work into blocks, and compares what occupies the device.
#include "condense/blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "facts/devices/occupancy.h"

namespace stepscope::blocks_test {
namespace {

struct Piece {
  int64_t start = 0, end = 0;
  int32_t step = kNoStep;
  Kind kind = Kind::kCompute;
};

RankActivity RankWith(std::vector<Piece> pieces) {
  std::ranges::sort(pieces, {}, [](const Piece& p) { return std::tuple(p.start, p.end); });
  RankActivity rank;
  rank.devices = {0};
  rank.streams = {{.device = 0, .stream = 7}};
  rank.steps = {{.number = 0}, {.number = 1}};
  for (const Piece& p : pieces)
    rank.activities.Append({.start = p.start, .end = p.end, .step = p.step, .kind = p.kind});
  return rank;
}

// What occupies the device, of one step, or (kNoStep - 1) of all.
constexpr int32_t kAll = kNoStep - 1;
Occupancy Of(std::vector<Piece> pieces, int32_t step) {
  std::ranges::sort(pieces, {}, [](const Piece& p) { return std::tuple(p.start, p.end); });
  OccupancySweep sweep;
  for (const Piece& p : pieces)
    if (step == kAll || p.step == step) sweep.Add(CombinationBit(p.kind), p.start, p.end);
  return sweep.Finish();
}

std::vector<WorkBlock> BlocksOfAll(const RankActivity& rank) {
  return BlocksOf(rank, rank.ActivitiesByDevice().front(), {}).blocks;
}

// Collectives as they were, and the blocks of all else.
std::vector<Piece> Condensed(const std::vector<Piece>& pieces) {
  std::vector<Piece> condensed;
  for (const Piece& p : pieces)
    if (p.kind == Kind::kCommunication) condensed.push_back(p);
  for (const WorkBlock& b : BlocksOfAll(RankWith(pieces)))
    condensed.push_back({b.start, b.end, b.step, b.kind});
  return condensed;
}

TEST(Blocks, OccupyTheDeviceAsTheWorkDid) {
  const Kind kinds[] = {Kind::kCompute, Kind::kCompute, Kind::kCommunication, Kind::kMemcpy,
                        Kind::kMemset};
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed, 0);
    std::vector<Piece> pieces;
    for (int64_t n = random.Below(40); n >= 0; --n) {
      const int64_t start = random.Below(200);
      const int64_t end = start + (random.Below(5) == 0 ? 0 : random.Below(30));
      const auto step = static_cast<int32_t>(random.Below(3)) - 1;
      pieces.push_back({start, end, step, kinds[random.Below(5)]});
    }
    const std::vector<Piece> condensed = Condensed(pieces);
    for (int32_t step = kAll; step < 2; ++step) {
      const Occupancy was = Of(pieces, step), is = Of(condensed, step);
      ASSERT_EQ(is.any, was.any) << seed << " " << step;
      ASSERT_EQ(is.first, was.first) << seed << " " << step;
      ASSERT_EQ(is.last, was.last) << seed << " " << step;
      ASSERT_EQ(is.time, was.time) << seed << " " << step;
    }
  }
}

// While something communicates they lie where the work was.
TEST(Blocks, AreFewElsewhere) {
  std::vector<Piece> pieces;
  for (int64_t i = 0; i < 1000; ++i) pieces.push_back({i * 10, i * 10 + 5});
  pieces.push_back({2003, 4001, kNoStep, Kind::kCommunication});
  EXPECT_LE(BlocksOfAll(RankWith(pieces)).size(), 200u + 8u);
}

// Where much runs beside communication they tell it: what a rank waited for is then nearly known.
TEST(Blocks, SayWhereTheyAreCoarse) {
  std::vector<Piece> pieces = {{0, 20'000, kNoStep, Kind::kCommunication}};
  for (int64_t i = 0; i < 1000; ++i) pieces.push_back({i * 10, i * 10 + 5});
  const auto coarse = [&] {
    const RankActivity rank = RankWith(pieces);
    return BlocksOf(rank, rank.ActivitiesByDevice().front(), {}).coarse;
  };
  EXPECT_FALSE(coarse());
  for (int64_t i = 1000; i < 3000; ++i) pieces.push_back({i * 6, i * 6 + 3});
  EXPECT_TRUE(coarse());
}

}  // namespace
}  // namespace stepscope::blocks_test
