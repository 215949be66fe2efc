// Computes limits by blocks, warps, registers and shared memory, of which the smallest decides.
//
// Sources: CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability";
// granularities from cuda_occupancy.h of the CUDA toolkit.
#include "hardware/cuda_occupancy.h"

#include <algorithm>
#include <array>

namespace stepscope {
namespace {

struct Limits {
  int compute_capability;
  int64_t blocks;
  int64_t shared_memory;   // bytes of a multiprocessor
  int64_t shared_unit;     // bytes it is given out in
  int64_t shared_reserve;  // bytes the system takes of each block
};

constexpr int64_t kKilo = 1024;
constexpr auto kLimits = std::to_array<Limits>({
    {60, 32, 64 * kKilo, 256, 0},
    {61, 32, 96 * kKilo, 256, 0},
    {70, 32, 96 * kKilo, 256, 0},
    {75, 16, 64 * kKilo, 256, 0},
    {80, 32, 164 * kKilo, 128, kKilo},
    {86, 16, 100 * kKilo, 128, kKilo},
    {89, 24, 100 * kKilo, 128, kKilo},
    {90, 32, 228 * kKilo, 128, kKilo},
    {100, 32, 228 * kKilo, 128, kKilo},
    {103, 32, 228 * kKilo, 128, kKilo},
    {120, 24, 100 * kKilo, 128, kKilo},
});

constexpr int64_t kWarp = 32;
constexpr int64_t kRegisters = 65536;    // of a multiprocessor
constexpr int64_t kRegisterUnit = 256;   // given out to a warp
constexpr int64_t kWarpSchedulers = 4;   // among which registers are divided
constexpr int64_t kMostThreads = 1024;   // of a block
constexpr int64_t kMostRegisters = 255;  // of a thread

constexpr int64_t RoundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

int64_t BlocksByRegisters(int64_t warps, int64_t registers) {
  if (registers == 0) return INT64_MAX;
  const int64_t of_warp = RoundUp(registers * kWarp, kRegisterUnit);
  const int64_t of_scheduler = kRegisters / kWarpSchedulers / of_warp;
  return of_scheduler * kWarpSchedulers / warps;
}

}  // namespace

std::optional<int64_t> ResidentBlocks(const LaunchNeeds& needs, int compute_capability,
                                      int64_t threads) {
  const auto* limits = std::ranges::find(kLimits, compute_capability, &Limits::compute_capability);
  const bool sane = needs.threads >= 1 && needs.threads <= kMostThreads && needs.registers >= 0 &&
                    needs.registers <= kMostRegisters && needs.shared_memory >= 0 &&
                    threads >= kWarp && threads <= 8192;
  if (limits == kLimits.end() || !sane) return std::nullopt;
  const int64_t warps = (needs.threads + kWarp - 1) / kWarp;
  const int64_t shared = RoundUp(needs.shared_memory + limits->shared_reserve, limits->shared_unit);
  const int64_t by_shared = shared == 0 ? INT64_MAX : limits->shared_memory / shared;
  const int64_t by_registers = BlocksByRegisters(warps, needs.registers);
  return std::min({limits->blocks, threads / kWarp / warps, by_shared, by_registers});
}

std::optional<double> TheoreticalOccupancy(const LaunchNeeds& needs, int compute_capability,
                                           int64_t threads) {
  const auto blocks = ResidentBlocks(needs, compute_capability, threads);
  if (!blocks) return std::nullopt;
  const int64_t warps = *blocks * ((needs.threads + kWarp - 1) / kWarp);
  return static_cast<double>(warps * kWarp) / static_cast<double>(threads);
}

}  // namespace stepscope
