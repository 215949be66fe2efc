// Finds a process's rank in its environment, where launchers put it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope {

class LaunchedRank {
 public:
  // A variable of the environment. Nothing but ranks and sizes is kept.
  void Take(std::string_view name, std::string_view value);

  // Of the launcher that is closest to the framework: torchrun, then MPI, then Slurm. The size is
  // only known with the rank.
  std::optional<int64_t> rank() const;
  std::optional<int64_t> world_size() const;

 private:
  static constexpr size_t kLaunchers = 5;
  std::optional<size_t> Launcher() const;
  std::array<std::optional<int64_t>, kLaunchers> ranks_, sizes_;
};

}  // namespace stepscope
