// Checks what is known of a device by its name, and by what the trace says of it.
#include "facts/devices/device_peaks.h"

#include <gtest/gtest.h>

#include <string>

namespace stepscope::device_peaks_test {
namespace {

constexpr double kTera = 1e12, kGiga = 1e9;

RankActivity With(DeviceProperties properties) {
  RankActivity rank;
  properties.device = 0;
  rank.properties = {std::move(properties)};
  return rank;
}

TEST(DevicePeaks, AKnownChipHasTheRatesOfItsDataSheet) {
  const DevicePeaks peaks = PeaksOf(With({.name = "NVIDIA H100 80GB HBM3"}), 0);
  EXPECT_EQ(peaks.name, "H100");
  EXPECT_EQ(peaks.source, "NVIDIA H100 data sheet, SXM");
  EXPECT_EQ(peaks.bf16, 989 * kTera);
  EXPECT_EQ(peaks.fp8, 1979 * kTera);
  EXPECT_EQ(peaks.int8, 1979 * kTera);
  EXPECT_EQ(peaks.tf32, 495 * kTera);
  EXPECT_EQ(peaks.fp32, 67 * kTera);
  EXPECT_EQ(peaks.memory_bandwidth, 3350 * kGiga);
}

TEST(DevicePeaks, TheRateIsOfTheTypeOfNumber) {
  const DevicePeaks h100 = PeaksOf(With({.name = "H100"}), 0);
  EXPECT_EQ(h100.Of(NumberType::kFp64, true), 0);
  EXPECT_EQ(h100.Of(NumberType::kFp32, true), 495 * kTera);
  EXPECT_EQ(h100.Of(NumberType::kFp32, false), 67 * kTera);
  EXPECT_EQ(h100.Of(NumberType::kFp8, true), 1979 * kTera);
  EXPECT_EQ(h100.Of(NumberType::kBf16, true), 989 * kTera);
  // Its matrix units know no 32 bit.
  const DevicePeaks v100 = PeaksOf(With({.name = "Tesla V100"}), 0);
  EXPECT_EQ(v100.Of(NumberType::kFp32, true), 15.7 * kTera);
}

TEST(DevicePeaks, WhatTheTraceSaysOfAChipCounts) {
  // A TPU tells the rate of one core.
  const DevicePeaks tpu = PeaksOf(
      With({.name = "TPU v5e", .memory_bandwidth = 500 * kGiga, .peak_flops = 98 * kTera}), 0);
  EXPECT_EQ(tpu.name, "TPU v5e");
  EXPECT_EQ(tpu.bf16, 98 * kTera);
  EXPECT_EQ(tpu.source, "the trace");
  EXPECT_EQ(tpu.memory_bandwidth, 819 * kGiga) << "the data sheet's";
  const DevicePeaks other = PeaksOf(
      With({.name = "Foo 7", .memory_bandwidth = 500 * kGiga, .peak_flops = 98 * kTera}), 0);
  EXPECT_EQ(other.name, "Foo 7");
  EXPECT_EQ(other.bf16, 98 * kTera);
  EXPECT_EQ(other.memory_bandwidth, 500 * kGiga);
  EXPECT_EQ(PeaksOf(With({.name = "Foo 7", .peak_flops = 1}), 0).bf16, 1);
}

TEST(DevicePeaks, AnUnknownChipHasThoseOfItsArchitecture) {
  const DeviceProperties foo{.name = "NVIDIA Foo",
                             .compute_major = 9,
                             .compute_minor = 0,
                             .multiprocessors = 100,
                             .clock_hz = 2e9};
  const DevicePeaks peaks = PeaksOf(With(foo), 0);
  EXPECT_EQ(peaks.name, "NVIDIA Foo");
  EXPECT_EQ(peaks.bf16, 4096 * 100 * 2e9);
  EXPECT_EQ(peaks.source, "multiprocessors, clock and compute capability in the trace");
  const auto with = [&](auto change) {
    DeviceProperties other = foo;
    change(other);
    return PeaksOf(With(other), 0);
  };
  EXPECT_EQ(with([](auto& p) { p.multiprocessors = 1; }).bf16, 4096 * 2e9);
  EXPECT_EQ(with([](auto& p) { p.multiprocessors = 0; }).name, "");
  EXPECT_EQ(with([](auto& p) { p.clock_hz = 0; }).name, "");
  EXPECT_EQ(with([](auto& p) { p.compute_minor = 3; }).bf16, 0) << "no such architecture";
  EXPECT_EQ(with([](auto& p) { p.compute_minor = 3; }).name, "");
  // 8.10 is not 9.0, and 10.-10 is not either.
  EXPECT_EQ(with([](auto& p) {
              p.compute_major = 10;
              p.compute_minor = -10;
            }).bf16,
            0);
  // Where AMD's numbers mean something else.
  const auto amd = [](auto& p) { p.name = "AMD Foo"; };
  EXPECT_EQ(with(amd).bf16, 0);
  EXPECT_EQ(with([&](auto& p) {
              amd(p);
              p.compute_minor = 4;
            }).bf16,
            2048 * 100 * 2e9);
}

TEST(DevicePeaks, OfWhatNobodyKnowsNothingIsGuessed) {
  const RankActivity nothing;
  EXPECT_EQ(PeaksOf(nothing, 0).name, "");
  EXPECT_EQ(HasTensorCores(nothing, 0), std::nullopt);
  EXPECT_EQ(ComputeCapabilityOf(nothing, 0), std::nullopt);
  // The trace may name its first device only.
  RankActivity named;
  named.device_name = "NVIDIA H100 80GB HBM3";
  EXPECT_EQ(PeaksOf(named, 0).name, "H100");
}

TEST(DevicePeaks, ComputeCapabilitiesAreOfNvidia) {
  const auto of = [](std::string name, int32_t major, int32_t minor) {
    return ComputeCapabilityOf(
        With({.name = std::move(name), .compute_major = major, .compute_minor = minor}), 0);
  };
  EXPECT_EQ(of("NVIDIA H100", 9, 0), 90);
  EXPECT_EQ(of("NVIDIA Foo", 1, 9), 19);
  EXPECT_EQ(of("NVIDIA Foo", 99, 0), 990);
  EXPECT_EQ(of("NVIDIA Foo", 100, 0), std::nullopt);
  EXPECT_EQ(of("NVIDIA Foo", 0, 5), std::nullopt);
  EXPECT_EQ(of("NVIDIA Foo", 9, 10), std::nullopt);
  EXPECT_EQ(of("NVIDIA Foo", 9, -1), std::nullopt);
  for (const char* amd : {"AMD Radeon", "Instinct 9", "radeon pro", "gfx942"}) {
    EXPECT_EQ(of(amd, 9, 0), std::nullopt) << amd;
  }
}

TEST(DevicePeaks, TensorCoresCameWithVolta) {
  const auto of = [](std::string name, int32_t major, int32_t minor) {
    return HasTensorCores(
        With({.name = std::move(name), .compute_major = major, .compute_minor = minor}), 0);
  };
  EXPECT_EQ(of("NVIDIA Foo", 7, 0), true);
  EXPECT_EQ(of("NVIDIA Foo", 6, 9), false);
  EXPECT_EQ(of("TPU v5e", -1, -1), false);
  EXPECT_EQ(of("AMD Instinct MI300X", 9, 4), true) << "matrix cores";
  EXPECT_EQ(of("Foo", -1, -1), std::nullopt);
  EXPECT_TRUE(IsTpu(With({.name = "TPU v5e"}), 0));
  EXPECT_FALSE(IsTpu(With({.name = "Foo TPU"}), 0));
  EXPECT_TRUE(IsAmd(With({.name = "AMD Instinct MI300X"}), 0));
  EXPECT_FALSE(IsAmd(With({.name = "NVIDIA H100"}), 0));
}

}  // namespace
}  // namespace stepscope::device_peaks_test
