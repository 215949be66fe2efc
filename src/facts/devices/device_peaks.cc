// Looks up a device's peaks by its name and properties.
#include "facts/devices/device_peaks.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/ascii.h"
#include "hardware/chips.h"

namespace stepscope {
namespace {

std::string_view NameOf(const RankActivity& rank, const DeviceProperties* properties) {
  return properties != nullptr && !properties->name.empty() ? std::string_view(properties->name)
                                                            : std::string_view(rank.device_name);
}

bool IsAmdName(std::string_view name) {
  const std::string lower = Lower(name);
  return lower.contains("amd") || lower.contains("instinct") || lower.contains("radeon") ||
         lower.starts_with("gfx");
}

// 16-bit operations of a multiprocessor in a cycle on matrix units, as XProf has them: by compute
// capability, of AMD by what its traces have in place of it, 94 for gfx942.
struct Architecture {
  int compute_capability;
  double flops;
};
constexpr auto kAmdArchitectures = std::to_array<Architecture>({{94, 2048}, {95, 4096}});
constexpr auto kArchitectures = std::to_array<Architecture>(
    {{70, 1024}, {75, 1024}, {80, 2048}, {86, 1024}, {89, 1024}, {90, 4096}, {100, 8192}});

// 0: not known.
double FlopsInACycle(const DeviceProperties& p, bool amd) {
  const std::span<const Architecture> known =
      amd ? std::span<const Architecture>(kAmdArchitectures) : kArchitectures;
  const bool sane = p.compute_major >= 1 && p.compute_major <= 99 && p.compute_minor >= 0;
  const auto at = std::ranges::find(known, sane ? p.compute_major * 10 + p.compute_minor : 0,
                                    &Architecture::compute_capability);
  return at == known.end() ? 0 : at->flops;
}

void FillFromChip(const Chip& chip, DevicePeaks& peaks) {
  peaks.name = chip.name;
  peaks.bf16 = chip.bf16;
  peaks.fp8 = chip.fp8;
  peaks.int8 = chip.int8;
  peaks.tf32 = chip.tf32;
  peaks.fp32 = chip.fp32;
  peaks.memory_bandwidth = chip.memory_bandwidth;
  peaks.source = chip.source;
}

}  // namespace

std::optional<int> ComputeCapabilityOf(const RankActivity& rank, int64_t device) {
  const DeviceProperties* p = rank.PropertiesOf(device);
  if (p == nullptr || IsAmdName(NameOf(rank, p))) return std::nullopt;
  const bool known = p->compute_major >= 1 && p->compute_major <= 99 && p->compute_minor >= 0 &&
                     p->compute_minor <= 9;
  return known ? std::optional(p->compute_major * 10 + p->compute_minor) : std::nullopt;
}

bool IsTpu(const RankActivity& rank, int64_t device) {
  return Lower(NameOf(rank, rank.PropertiesOf(device))).starts_with("tpu");
}

bool IsAmd(const RankActivity& rank, int64_t device) {
  return IsAmdName(NameOf(rank, rank.PropertiesOf(device)));
}

std::optional<bool> HasTensorCores(const RankActivity& rank, int64_t device) {
  if (IsTpu(rank, device)) return false;
  if (const auto capability = ComputeCapabilityOf(rank, device)) return *capability >= 70;
  const DevicePeaks peaks = PeaksOf(rank, device);
  return peaks.bf16 > 0 ? std::optional(true) : std::nullopt;
}

double DevicePeaks::Of(NumberType type, bool tensor_cores) const {
  switch (type) {
    case NumberType::kFp64:
      return 0;
    case NumberType::kFp32:
      return tensor_cores && tf32 > 0 ? tf32 : fp32;
    case NumberType::kFp8:
      return fp8;
    case NumberType::kInt8:
      return int8;
    default:
      return bf16;
  }
}

DevicePeaks PeaksOf(const RankActivity& rank, int64_t device) {
  DevicePeaks peaks;
  const DeviceProperties* p = rank.PropertiesOf(device);
  const std::string_view name = NameOf(rank, p);
  if (const Chip* chip = FindChip(name)) FillFromChip(*chip, peaks);
  if (p != nullptr && p->memory_bandwidth > 0 && peaks.memory_bandwidth == 0)
    peaks.memory_bandwidth = p->memory_bandwidth;
  if (p != nullptr && p->peak_flops > 0) {
    peaks.name = peaks.name.empty() ? name : std::string_view(peaks.name);
    peaks.bf16 = p->peak_flops;
    peaks.source = "the trace";
  }
  if (peaks.bf16 > 0 || p == nullptr || p->clock_hz <= 0 || p->multiprocessors <= 0) return peaks;
  const double flops = FlopsInACycle(*p, IsAmdName(name));
  if (flops == 0) return peaks;
  peaks.name = name;
  peaks.bf16 = flops * p->multiprocessors * p->clock_hz;
  peaks.source = "multiprocessors, clock and compute capability in the trace";
  return peaks;
}

}  // namespace stepscope
