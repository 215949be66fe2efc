// Knows the variables of launchers.
#include "ingest/common/launched_rank.h"

#include "ingest/common/whole_number.h"

namespace stepscope {
namespace {

// The first that is there decides.
constexpr auto kRanks = std::to_array<std::string_view>(
    {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"});
constexpr auto kSizes = std::to_array<std::string_view>(
    {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "", "SLURM_NTASKS"});

}  // namespace

void LaunchedRank::Take(std::string_view name, std::string_view value) {
  static_assert(kRanks.size() == kLaunchers && kSizes.size() == kLaunchers);
  if (name.empty()) return;
  for (size_t i = 0; i < kLaunchers; ++i) {
    if (name == kRanks[i]) ranks_[i] = WholeNumber(value);
    if (name == kSizes[i]) sizes_[i] = WholeNumber(value);
  }
}

std::optional<size_t> LaunchedRank::Launcher() const {
  for (size_t i = 0; i < kLaunchers; ++i) {
    if (ranks_[i] && (!sizes_[i] || *ranks_[i] < *sizes_[i])) return i;
  }
  return std::nullopt;
}

std::optional<int64_t> LaunchedRank::rank() const {
  const auto at = Launcher();
  return at ? ranks_[*at] : std::nullopt;
}

std::optional<int64_t> LaunchedRank::world_size() const {
  const auto at = Launcher();
  return at ? sizes_[*at] : std::nullopt;
}

}  // namespace stepscope
