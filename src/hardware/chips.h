// Lists peak rates of chips for utilization, with their sources.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace stepscope {

// Dense operations per second: vendors' figures "with sparsity" are halved. Per chip as schedulers
// count them. 0: the chip does not have it, or we do not know.
struct Chip {
  std::string_view name;  // "H100"
  double bf16 = 0;        // fp16 too
  double fp8 = 0;
  double int8 = 0;
  double fp4 = 0;
  double tf32 = 0;
  double fp32 = 0;              // of ordinary cores, without matrix units
  double memory_bandwidth = 0;  // bytes per second
  int compute_capability = 0;   // CUDA's, 90 for 9.0
  std::string_view source;
};

std::span<const Chip> KnownChips();

// The chip of this name or whose name begins the text of a device's name: "H100", "h100",
// "NVIDIA H100 80GB HBM3", "AMD Instinct MI300X", "TPU v5e". The longest name that fits wins. Null
// for what we do not know: nobody's peak is guessed.
const Chip* FindChip(std::string_view name);

// The peak for a type of number: "bf16", "fp16", "fp8", "int8", "fp4", "tf32", "fp32". Absent: not
// known.
std::optional<double> PeakOf(const Chip& chip, std::string_view dtype);

}  // namespace stepscope
