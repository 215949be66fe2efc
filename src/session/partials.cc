// Looks for ranks that were condensed.
#include "session/partials.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>

#include "base/shell_word.h"
#include "base/url_word.h"
#include "stepscope/partials.h"

namespace stepscope {
namespace {

// Of how many shards the file is one; absent: it has no name that `map` gives.
std::optional<int64_t> ShardsOf(const LoadedFile& file) {
  const auto shard = ShardOfFileName(std::filesystem::path(file.info.path).filename().string());
  return shard ? std::optional(shard->count) : std::nullopt;
}

}  // namespace

std::string CommandOfTrace(int64_t rank, std::span<const RankTrace> traces,
                           std::string_view command) {
  const auto found = std::ranges::lower_bound(traces, rank, {}, &RankTrace::rank);
  if (found == traces.end() || found->rank != rank || found->read) return "";
  return fmt::format("{} {}", CommandFor(found->path, command), ShellWord(found->path));
}

Result<void> CheckHasEvents(std::span<const RankActivity> ranks,
                            std::span<const RankTrace> sources) {
  const auto partial = std::ranges::find_if(ranks, IsPartial);
  if (partial == ranks.end()) return {};
  const std::string command = CommandOfTrace(partial->rank, sources, "stepscope serve");
  return std::unexpected(Error{
      "partials hold no events", fmt::format("rank {}", partial->rank),
      command.empty() ? "open the traces of the ranks in question" : "open the trace: " + command});
}

Phrase SayAskTheTrace(std::span<const RankActivity> ranks, std::span<const RankTrace> sources) {
  const auto partial = std::ranges::find_if(ranks, IsPartial);
  const std::string command =
      partial == ranks.end() ? "" : CommandOfTrace(partial->rank, sources, "stepscope analyze");
  if (command.empty())
    return "partials hold collectives, steps and sums alone: ask the traces of the ranks in "
           "question";
  return Say(
      "partials hold collectives, steps and sums alone: ask the trace of the rank in question (of "
      "rank {rank}: {command})",
      partial->rank, Phrase::Name(command));
}

Result<void> CheckNotBoth(const std::vector<LoadedFile>& files) {
  std::map<int64_t, const LoadedFile*> first;  // by rank
  for (const LoadedFile& file : files) {
    if (!file.used || file.memory_only) continue;
    const LoadedFile& other = *first.try_emplace(file.info.rank, &file).first->second;
    if (IsPartial(other.rank) && IsPartial(file.rank) && ShardsOf(other) != ShardsOf(file))
      return std::unexpected(Error{fmt::format("rank {} has two partials, which differ: {}",
                                               file.info.rank, other.info.path),
                                   file.info.path, "give the partials of one job"});
    if (IsPartial(other.rank) == IsPartial(file.rank)) continue;
    const auto& [partial, trace] =
        IsPartial(file.rank) ? std::tie(file, other) : std::tie(other, file);
    return std::unexpected(
        Error{fmt::format("rank {} is a partial and a trace: {}", file.info.rank, trace.info.path),
              partial.info.path, "give the partials, or the traces"});
  }
  return {};
}

}  // namespace stepscope
