// Writes groups as PyTorch's profiler does.
#include "demo/groups.h"

#include <fmt/format.h>

#include <algorithm>

namespace stepscope::demo {
namespace {

// The profiler writes out as many ranks of a process group, then the last.
constexpr int kRanksListed = 30;

std::string List(const ProcessGroup& group, int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", group.first + i * group.apart);
  return text;
}

}  // namespace

std::string ProcessGroup::Listed() const {
  if (count <= kRanksListed) return fmt::format("[{}]", List(*this, count));
  const int last = first + (count - 1) * apart;
  return fmt::format("[{}, ..., {}]", List(*this, kRanksListed - 1), last);
}

std::string ProcessGroup::Config() const {
  return fmt::format(
      R"({{"pg_name": "{}", "pg_desc": "{}", "backend_config": "cuda:nccl", "pg_size": {}, "ranks": [{}]}})",
      name, description, count, List(*this, count));
}

bool HasRails(const DemoOptions& options) {
  return options.devices == 1 && options.ranks_per_host > 1 &&
         options.ranks > options.ranks_per_host;
}

std::vector<ProcessGroup> GroupsOf(const DemoOptions& options, int rank) {
  std::vector<ProcessGroup> groups = {
      {.name = "0", .description = "default_pg", .count = options.ranks * options.devices}};
  if (!HasRails(options)) return groups;
  const int place = rank % options.ranks_per_host;
  groups.push_back({.name = fmt::format("{}", 1 + place),
                    .description = "mesh_dp",
                    .first = place,
                    .count = options.ranks / options.ranks_per_host,
                    .apart = options.ranks_per_host});
  return groups;
}

}  // namespace stepscope::demo
