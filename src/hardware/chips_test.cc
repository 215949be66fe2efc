// Tests names as drivers and people write them.
#include "hardware/chips.h"

#include <gtest/gtest.h>

namespace stepscope::chips_test {
namespace {

std::string_view Found(std::string_view name) {
  const Chip* chip = FindChip(name);
  return chip == nullptr ? "unknown" : chip->name;
}

TEST(Chips, AreFoundByAnyOfTheirNames) {
  EXPECT_EQ(Found("H100"), "H100");
  EXPECT_EQ(Found("nvidia h100 80GB HBM3"), "H100");
  EXPECT_EQ(Found("NVIDIA H100 PCIe"), "H100 PCIe");
  EXPECT_EQ(Found("NVIDIA A100-SXM4-40GB"), "A100");
  EXPECT_EQ(Found("NVIDIA A100-SXM4-80GB"), "A100 SXM4 80GB");
  EXPECT_EQ(Found("Tesla V100-DGXS-32GB"), "V100");
  EXPECT_EQ(Found("AMD Instinct MI300X"), "MI300X");
  EXPECT_EQ(Found("TPU v5e"), "TPU v5e");
  EXPECT_EQ(Found("tpu-v5e"), "TPU v5e");
  EXPECT_EQ(Found("TPUv5p"), "TPU v5p");
  EXPECT_EQ(Found("TPU7x"), "TPU7x");
  EXPECT_EQ(Found("TPU v7x"), "TPU7x");
  EXPECT_EQ(Found("NVIDIA B300 SXM6 AC"), "B300");
  EXPECT_EQ(Found("NVIDIA GB300"), "GB300");
  EXPECT_EQ(Found("NVIDIA L40S"), "L40S");
  EXPECT_EQ(Found("AMD Instinct MI355X"), "MI355X");
  EXPECT_EQ(Found("AWS Trainium2"), "Trainium2");
}

TEST(Chips, NobodysPeakIsGuessed) {
  for (const char* name :
       {"", "NVIDIA", "A1000", "A100X", "GTX 1080", "TPU", "H1000", "NVIDIA NVIDIA"})
    EXPECT_EQ(Found(name), "unknown") << name;
  EXPECT_FALSE(PeakOf(*FindChip("A100"), "fp8"));
  EXPECT_FALSE(PeakOf(*FindChip("A100"), "fp7"));
  EXPECT_EQ(PeakOf(*FindChip("A100"), "fp16"), 312e12);
  EXPECT_FALSE(PeakOf(*FindChip("TPU v4"), "fp32"));
  // 256 compute units x 2.4 GHz x 8,192 operations.
  EXPECT_NEAR(*PeakOf(*FindChip("MI355X"), "fp8"), 256 * 2.4e9 * 8192, 1e12);
  EXPECT_EQ(PeakOf(*FindChip("TPU7x"), "fp8"), 4614e12);
  EXPECT_EQ(PeakOf(*FindChip("Trainium2"), "bf16"), 667e12);
  EXPECT_FALSE(PeakOf(*FindChip("B300"), "int8"));
}

// A ridge below some tens of operations a byte, or above a thousand, would be a slip of the pen.
TEST(Chips, TheirPeaksAndMemoriesBelongTogether) {
  for (const Chip& chip : KnownChips()) {
    ASSERT_GT(chip.memory_bandwidth, 0) << chip.name;
    const double ridge = chip.bf16 / chip.memory_bandwidth;
    EXPECT_GT(ridge, 100) << chip.name;
    EXPECT_LT(ridge, 600) << chip.name;
    EXPECT_LT(chip.fp32, chip.bf16) << chip.name;
    EXPECT_FALSE(chip.source.empty()) << chip.name;
  }
}

}  // namespace
}  // namespace stepscope::chips_test
