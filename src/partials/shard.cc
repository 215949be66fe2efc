// Reads which shard a process is to map, and names its file.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "stepscope/partials.h"

namespace stepscope {
namespace {

constexpr std::string_view kFileBegin = "shard-", kFileOf = "-of-", kFileEnd = ".ranks.parquet";

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

enum class Kind : uint8_t {
  kTasks,  // tasks that a scheduler starts one by one
  kMpi,    // processes that MPI started
  kStep,   // processes that Slurm started, or those through which MPI starts its own
};

// Who says in the environment which of how many tasks a process is.
struct Launcher {
  std::string_view name;
  Kind kind = Kind::kTasks;
  const char* index = nullptr;
  const char* count = nullptr;  // null: it does not say
  const char* first = nullptr;  // the least index; null: 0
};
constexpr Launcher kLaunchers[] = {
    {"a Slurm array", Kind::kTasks, "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT",
     "SLURM_ARRAY_TASK_MIN"},
    {"Open MPI", Kind::kMpi, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"MPI (PMI)", Kind::kMpi, "PMI_RANK", "PMI_SIZE"},
    {"MPI (PMIx)", Kind::kMpi, "PMIX_RANK"},
    {"srun", Kind::kStep, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
    {"a Kubernetes indexed job", Kind::kTasks, "JOB_COMPLETION_INDEX"},
};

struct Said {
  const Launcher* by = nullptr;
  int64_t index = 0;
  std::optional<int64_t> count;

  // The only process of a step, or of MPI.
  bool alone() const { return by->kind != Kind::kTasks && count == 1; }
};

bool Agree(const Said& a, const Said& b) {
  return a.index == b.index && (!a.count || !b.count || a.count == b.count);
}

// A batch script has a number among its tasks, but is no step: srun starts those.
std::optional<Said> SaidBy(const Launcher& launcher, const Environment& environment) {
  const auto index = NumberOf(environment, launcher.index);
  const auto count = NumberOf(environment, launcher.count);
  if (!index || (launcher.kind == Kind::kStep && !count)) return std::nullopt;
  return Said{&launcher, *index, count};
}

// Where mpirun starts its processes through srun, a step has one task on each node, of which
// SLURM_PROCID is the number: what MPI says is of the process itself.
bool IsBehindMpi(const Said& said, const std::vector<Said>& all) {
  return said.by->kind == Kind::kStep && std::ranges::any_of(all, [&](const Said& other) {
           return other.by->kind == Kind::kMpi && !Agree(said, other);
         });
}

// Each task once: those that say the same are one, with the number of tasks that one of them knows.
std::vector<Said> SaidIn(const Environment& environment) {
  std::vector<Said> all, said;
  for (const Launcher& launcher : kLaunchers) {
    if (const auto by = SaidBy(launcher, environment)) all.push_back(*by);
  }
  for (const Said& each : all) {
    if (IsBehindMpi(each, all)) continue;
    const auto same = std::ranges::find_if(said, [&](const Said& other) {
      return each.by->kind != Kind::kTasks && other.by->kind != Kind::kTasks && Agree(each, other);
    });
    if (same == said.end())
      said.push_back(each);
    else if (!same->count)
      same->count = each.count;
  }
  return said;
}

// Whether the process is the only one that was started, as a step of one task. An interactive shell
// is one, too, in a job that may have more.
bool IsAlone(const std::vector<Said>& said, const Environment& environment) {
  return said.size() == 1 && said.front().alone() &&
         NumberOf(environment, "SLURM_NTASKS").value_or(1) <= 1;
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
  std::vector<Said> said = SaidIn(environment);
  if (IsAlone(said, environment) && count.value_or(1) == 1) return Shard();
  std::erase_if(said, [](const Said& each) { return each.alone(); });
  if (said.empty())
    return std::unexpected(
        NotAShard("nothing says which shard this is: it runs under no known launcher",
                  "give it as I/N, such as 0/16, or 0/1 for all; tasks of Slurm start with srun"));
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

std::string ShardFileName(const Shard& shard) {
  return fmt::format("{}{:05}{}{:05}{}", kFileBegin, shard.index, kFileOf, shard.count, kFileEnd);
}

std::optional<Shard> ShardOfFileName(std::string_view name) {
  if (!name.starts_with(kFileBegin) || !name.ends_with(kFileEnd)) return std::nullopt;
  name.remove_prefix(kFileBegin.size());
  name.remove_suffix(std::min(kFileEnd.size(), name.size()));
  const size_t of = name.find(kFileOf);
  if (of == std::string_view::npos) return std::nullopt;
  const auto index = NumberIn(name.substr(0, of)),
             count = NumberIn(name.substr(of + kFileOf.size()));
  if (!index || !count) return std::nullopt;
  return Shard{*index, *count};
}

}  // namespace stepscope
