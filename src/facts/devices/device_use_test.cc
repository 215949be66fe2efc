// Checks how much of a device kernels use, as PyTorch's plugin counts it.
#include "facts/devices/device_use.h"

#include <gtest/gtest.h>

#include <numeric>

namespace stepscope::device_use_test {
namespace {

struct Sample {
  RankActivity rank;

  Sample() {
    rank.devices = {0};
    rank.streams = {{.device = 0, .stream = 7, .device_index = 0}};
  }
  // Blocks per multiprocessor and occupancy; below 0: the trace does not say.
  void Add(int64_t start, int64_t end, float blocks, float occupancy, Kind kind = Kind::kCompute) {
    KernelDetail detail;
    detail.config.blocks_per_sm = blocks;
    detail.config.occupancy = occupancy;
    rank.activities.Append({.start = start,
                            .end = end,
                            .stream = 0,
                            .detail = static_cast<int32_t>(rank.kernels.size()),
                            .kind = kind});
    rank.kernels.push_back(detail);
  }
  DeviceUse Use(int64_t first, int64_t last) const {
    std::vector<uint32_t> all(rank.activities.size());
    std::iota(all.begin(), all.end(), 0u);
    const StepBreakdown step{.window = {.start = first, .end = last}};
    return UseOfDevice(rank, 0, all, {{step}});
  }
};

// Of 100 ns: 20 with half a block, 10 with three quarters, of which a whole one counts at most.
TEST(DeviceUse, BlocksOfAllKernelsAtOnceCountUpToOne) {
  Sample s;
  s.Add(0, 30, 0.5F, 0.25F);
  s.Add(20, 30, 0.25F, 0.75F);
  s.Add(40, 50, 0.75F, 0.5F);
  s.Add(40, 60, 0.5F, 1.0F);
  const DeviceUse use = s.Use(0, 100);
  EXPECT_EQ(use.span, 100);
  EXPECT_EQ(use.kernels, 50);
  // 20 * 0.5 + 10 * 0.75 + 10 * 1 + 10 * 0.5
  EXPECT_DOUBLE_EQ(use.sm_efficiency.value(), 0.325);
  // (30 * 0.25 + 10 * 0.75 + 10 * 0.5 + 20 * 1) / 70
  EXPECT_DOUBLE_EQ(use.occupancy.value(), 40.0 / 70);
}

TEST(DeviceUse, OnlyTheSpanCounts) {
  Sample s;
  s.Add(0, 30, 1, 1);
  s.Add(90, 200, 0.5F, 1);
  const DeviceUse use = s.Use(10, 110);
  EXPECT_EQ(use.kernels, 40);
  EXPECT_DOUBLE_EQ(use.sm_efficiency.value(), 0.3);
}

TEST(DeviceUse, WhatTheTraceDoesNotSayIsNotCounted) {
  Sample s;
  s.Add(0, 20, -1, -1);
  s.Add(20, 40, -1, 0.5F);
  s.Add(40, 60, 1, 0.5F, Kind::kMemcpy);
  const DeviceUse use = s.Use(0, 100);
  EXPECT_EQ(use.kernels, 40) << "copies are no kernels";
  EXPECT_FALSE(use.sm_efficiency);
  EXPECT_DOUBLE_EQ(use.occupancy.value(), 0.5) << "of the one that says it";
  Sample none;
  none.Add(0, 20, 0, -1);
  EXPECT_DOUBLE_EQ(none.Use(0, 100).sm_efficiency.value(), 0);
  EXPECT_FALSE(none.Use(0, 100).occupancy);
  EXPECT_FALSE(none.Use(50, 50).sm_efficiency) << "no time";
  EXPECT_EQ(UseOfDevice(none.rank, 0, {}, {}).span, 0);
}

}  // namespace
}  // namespace stepscope::device_use_test
