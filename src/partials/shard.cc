// Reads which shard a process is to map.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "stepscope/partials.h"

namespace stepscope {
namespace {

using Environment = std::function<std::optional<std::string>(const char*)>;

std::optional<int64_t> NumberIn(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return whole ? std::optional(number) : std::nullopt;
}

std::optional<int64_t> NumberOf(const Environment& environment, const char* name) {
  if (name == nullptr) return std::nullopt;
  const auto text = environment(name);
  return text ? NumberIn(*text) : std::nullopt;
}

// Who says in the environment which of how many tasks a process is.
struct Launcher {
  std::string_view name;
  const char* index = nullptr;
  const char* count = nullptr;  // null: it does not say
  const char* first = nullptr;  // the least index; null: 0
};
constexpr Launcher kLaunchers[] = {
    {"a Slurm array", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN"},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
    {"a Kubernetes indexed job", "JOB_COMPLETION_INDEX"},
};

struct Said {
  const Launcher* by = nullptr;
  int64_t index = 0;
  std::optional<int64_t> count;
};

// A step of one task says nothing: every batch script is one.
std::vector<Said> SaidIn(const Environment& environment) {
  std::vector<Said> said;
  for (const Launcher& launcher : kLaunchers) {
    const auto index = NumberOf(environment, launcher.index);
    const auto count = NumberOf(environment, launcher.count);
    if (!index || (launcher.index == std::string_view("SLURM_PROCID") && count.value_or(1) <= 1))
      continue;
    said.push_back({&launcher, *index, count});
  }
  return said;
}

Error NotAShard(std::string what, std::string hint) {
  return {std::move(what), "`shard`", std::move(hint)};
}

Result<Shard> Checked(Shard shard) {
  constexpr int64_t kMost = 1'000'000;
  if (shard.count >= 1 && shard.count <= kMost && shard.index < shard.count) return shard;
  return std::unexpected(
      NotAShard(fmt::format("there is no shard {} of {}", shard.index, shard.count),
                fmt::format("shards are numbered from 0; at most {} of them", kMost)));
}

Result<Shard> FromEnvironment(std::optional<int64_t> count, const Environment& environment) {
  const std::vector<Said> said = SaidIn(environment);
  if (said.empty())
    return std::unexpected(
        NotAShard("nothing says which shard this is: it runs under no known launcher",
                  "give it as I/N, such as 0/16"));
  if (said.size() > 1)
    return std::unexpected(NotAShard(
        fmt::format("{} and {} both say which shard this is", said[0].by->name, said[1].by->name),
        "give it as I/N, such as 0/16"));
  const Said& only = said.front();
  if (count) return Checked({only.index, *count});
  if (!only.count)
    return std::unexpected(NotAShard(
        fmt::format("{} does not say how many shards there are", only.by->name), "give `shards`"));
  const int64_t first = NumberOf(environment, only.by->first).value_or(0);
  return Checked({only.index - first, *only.count});
}

}  // namespace

Result<Shard> ReadShard(std::string_view text, std::optional<int64_t> count,
                        const Environment& environment) {
  if (text == "auto") return FromEnvironment(count, environment);
  const size_t slash = text.find('/');
  const auto index = NumberIn(text.substr(0, slash));
  const auto of = slash == std::string_view::npos ? count : NumberIn(text.substr(slash + 1));
  if (!index || !of)
    return std::unexpected(
        NotAShard(fmt::format("'{}' is no shard", text), "give I/N, such as 0/16, or auto"));
  if (count && *count != *of)
    return std::unexpected(
        NotAShard(fmt::format("'{}' and `shards` {} are of different numbers", text, *count),
                  "give one of them"));
  return Checked({*index, *of});
}

}  // namespace stepscope
