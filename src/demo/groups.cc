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

// Adds groups of a kind, whose names count on from the kind before: as a device mesh makes them.
class Mesh {
 public:
  Mesh(int ranks, std::vector<ProcessGroup>& groups) : ranks_(ranks), groups_(groups) {}

  // `first`: the group's first rank. Groups of a kind are numbered by theirs, in their order.
  void Add(std::string_view description, int first, int count, int apart) {
    const int before = first / (count * apart) * apart + first % apart;
    groups_.push_back({.name = fmt::format("{}", named_ + before),
                       .description = std::string(description),
                       .first = first,
                       .count = count,
                       .apart = apart});
    named_ += ranks_ / count;
  }

 private:
  int ranks_, named_ = 1;
  std::vector<ProcessGroup>& groups_;
};

// In the order of their numbers. Replicas that share experts are next to one another.
void AddParallelGroups(const DemoOptions& options, int rank, std::vector<ProcessGroup>& groups) {
  const int tensor = options.tensor, experts = options.expert_groups,
            replicas = ReplicasOf(options);
  const ParallelPlace at = PlaceOf(options, rank);
  const int of_stage = tensor * replicas;
  const int first_of_stage = at.stage * of_stage + at.part;
  Mesh mesh(options.ranks, groups);
  mesh.Add("mesh_tp", rank - at.part, tensor, 1);
  mesh.Add("mesh_pp", rank % of_stage, options.pipeline, of_stage);
  mesh.Add("mesh_dp", first_of_stage, replicas, tensor);
  mesh.Add("mesh_ep", rank - at.replica % experts * tensor, experts, tensor);
  mesh.Add("mesh_edp", first_of_stage + at.replica % experts * tensor, replicas / experts,
           tensor * experts);
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

bool HasParallelGroups(const DemoOptions& options) {
  return options.tensor > 1 || options.pipeline > 1 || options.expert_groups > 1;
}

int ReplicasOf(const DemoOptions& options) {
  return options.ranks / (options.tensor * options.pipeline);
}

ParallelPlace PlaceOf(const DemoOptions& options, int rank) {
  const int replicas = ReplicasOf(options);
  return {.part = rank % options.tensor,
          .replica = rank / options.tensor % replicas,
          .stage = rank / options.tensor / replicas};
}

bool HasRails(const DemoOptions& options) {
  return !HasParallelGroups(options) && options.devices == 1 && options.ranks_per_host > 1 &&
         options.ranks > options.ranks_per_host;
}

std::vector<ProcessGroup> GroupsOf(const DemoOptions& options, int rank) {
  std::vector<ProcessGroup> groups = {
      {.name = "0", .description = "default_pg", .count = options.ranks * options.devices}};
  if (HasParallelGroups(options)) AddParallelGroups(options, rank, groups);
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
