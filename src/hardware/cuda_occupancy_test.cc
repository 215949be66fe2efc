// Tests the calculator against NVIDIA's own cases and Kineto's estimates on real devices.
#include "hardware/cuda_occupancy.h"

#include <gtest/gtest.h>

#include <array>

namespace stepscope::cuda_occupancy_test {
namespace {

struct Case {
  int capability;
  int64_t most_threads;
  LaunchNeeds needs;
  int64_t blocks;
};

constexpr auto kCases = std::to_array<Case>({
    {70, 2048, {256, 32, 0}, 8},      // threads limit
    {70, 2048, {256, 64, 0}, 4},      // registers
    {70, 2048, {256, 65, 0}, 3},      // given out by 8 of a thread
    {70, 2048, {32, 16, 0}, 32},      // blocks
    {70, 2048, {128, 32, 49152}, 2},  // shared memory
    {80, 2048, {128, 96, 98304}, 1},  // 96 KB and 1 KB of the system, of 164
    {80, 2048, {128, 32, 0}, 16},
    {75, 1024, {128, 32, 0}, 8},
    {90, 2048, {384, 168, 231424}, 1},
    {100, 2048, {1024, 255, 0}, 0},  // such a block does not fit at all
});

TEST(CudaOccupancy, SmallestLimitDecides) {
  for (const Case& c : kCases) {
    EXPECT_EQ(ResidentBlocks(c.needs, c.capability, c.most_threads), c.blocks)
        << c.capability << " " << c.needs.threads << " " << c.needs.registers;
  }
  EXPECT_EQ(TheoreticalOccupancy({256, 64, 0}, 70, 2048), 0.5);
  EXPECT_EQ(TheoreticalOccupancy({33, 16, 0}, 70, 2048), 1.0);  // of 64 threads each
}

TEST(CudaOccupancy, UnknownStaysUnknown) {
  EXPECT_FALSE(ResidentBlocks({256, 32, 0}, 94, 2048));
  EXPECT_FALSE(ResidentBlocks({0, 32, 0}, 80, 2048));
  EXPECT_FALSE(ResidentBlocks({2048, 32, 0}, 80, 2048));
  EXPECT_FALSE(ResidentBlocks({256, -1, 0}, 80, 2048));
  EXPECT_FALSE(ResidentBlocks({256, 32, -1}, 80, 2048));
  EXPECT_FALSE(ResidentBlocks({256, 32, 0}, 80, -1));
}

}  // namespace
}  // namespace stepscope::cuda_occupancy_test
