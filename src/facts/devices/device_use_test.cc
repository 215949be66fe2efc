// Checks how much of a device kernels use, as PyTorch's plugin counts it, and how fast copies are.
#include "facts/devices/device_use.h"

#include <gtest/gtest.h>

#include <numeric>

#include "facts/devices/copy_rates.h"
#include "facts/devices/kernel_occupancy.h"

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

// Half of the 132 multiprocessors' threads, by the launch; all, by registers and shared memory.
TEST(KernelOccupancy, TheProfilersZeroIsReckonedAgain) {
  const LaunchConfig launch{.grid = {132, 1, 1},
                            .block = {1024, 1, 1},
                            .registers = 32,
                            .shared_memory = 48 * 1024 + 1,
                            .occupancy = 0};
  const LaunchLimits h100{.capability = 90, .threads = 2048, .multiprocessors = 132};
  EXPECT_DOUBLE_EQ(MostOccupancy(launch, h100).value(), 1);
  EXPECT_DOUBLE_EQ(OccupancyOf(launch, h100).value(), 0.5);
  const auto with = [&](auto change) {
    LaunchConfig other = launch;
    LaunchLimits limits = h100;
    change(other, limits);
    return OccupancyOf(other, limits);
  };
  EXPECT_EQ(with([](auto& l, auto&) { l.grid = {528, 1, 1}; }), 1);
  EXPECT_EQ(with([](auto& l, auto&) { l.shared_memory = 48 * 1024; }), 0) << "which it knows";
  EXPECT_EQ(with([](auto& l, auto&) { l.occupancy = 0.25F; }), 0.25);
  EXPECT_EQ(with([](auto& l, auto&) { l.occupancy = 1; }), 1);
  // Nothing is known, or what is told is none.
  EXPECT_EQ(with([](auto& l, auto&) { l.occupancy = 1.25F; }), std::nullopt);
  EXPECT_EQ(with([](auto& l, auto&) { l.occupancy = -1; }), std::nullopt);
  EXPECT_EQ(with([](auto& l, auto&) { l.grid = {0, 1, 1}; }), std::nullopt);
  EXPECT_EQ(with([](auto& l, auto&) { l.registers = -1; }), std::nullopt);
  EXPECT_EQ(with([](auto&, auto& d) { d.capability = std::nullopt; }), std::nullopt);
  EXPECT_EQ(with([](auto&, auto& d) { d.multiprocessors = 0; }), std::nullopt);
  EXPECT_EQ(with([](auto&, auto& d) { d.multiprocessors = 1; }), 1);
  // A profiler that says 0 of all kernels, as AMD's.
  EXPECT_EQ(with([](auto& l, auto& d) { d.without_occupancy = l.shared_memory > 0; }),
            std::nullopt);
  EXPECT_EQ(with([](auto& l, auto& d) {
              d.without_occupancy = true;
              l.occupancy = 0.25F;
            }),
            0.25);
}

// 1000 bytes in 10 ns are 100 GB/s, unless the profiler tells a rate.
TEST(CopyRates, AreTheProfilersOrBytesByTime) {
  const auto rate = [](Copy copy, int64_t duration) {
    RankActivity rank;
    rank.devices = {0};
    rank.streams = {{.device = 0, .stream = 7, .device_index = 0}};
    copy.path = CopyPath::kHostToDevice;
    rank.copies = {copy};
    rank.activities.Append(
        {.start = 0, .end = duration, .stream = 0, .detail = 0, .kind = Kind::kMemcpy});
    CopyRates rates = FollowCopies(rank)[0][static_cast<size_t>(CopyPath::kHostToDevice)];
    EXPECT_EQ(rates.count, 1);
    EXPECT_EQ(rates.bytes, std::max<int64_t>(0, copy.bytes));
    EXPECT_EQ(rates.without_size, copy.bytes < 0 ? 1 : 0);
    const auto levels = rates.rate.Levels();
    return levels.empty() ? -1 : levels.front().level;
  };
  EXPECT_EQ(rate({.bytes = 1000}, 10), 100'000'000'000);
  EXPECT_EQ(rate({.bytes = 1000}, 1), 1'000'000'000'000);
  EXPECT_EQ(rate({.bytes = 1000, .bandwidth = 5e9}, 10), 5'000'000'000);
  EXPECT_EQ(rate({.bytes = -1, .bandwidth = 5e9}, 10), 5'000'000'000);
  EXPECT_EQ(rate({.bytes = 1000, .bandwidth = 1e15}, 10), 1'000'000'000'000'000);
  EXPECT_EQ(rate({.bytes = 1000, .bandwidth = 1.1e15}, 10), -1) << "no measurement";
  EXPECT_EQ(rate({.bytes = -1}, 10), -1);
  EXPECT_EQ(rate({.bytes = 1000}, 0), -1);
  EXPECT_EQ(rate({.bytes = 1000, .bandwidth = 0}, 10), 0);
}

}  // namespace
}  // namespace stepscope::device_use_test
