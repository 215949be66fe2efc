// Looks at names, sizes and times of files.
#include "cluster/shards_there.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <system_error>

#include "base/url_word.h"
#include "stepscope/partials.h"

namespace stepscope {

namespace fs = std::filesystem;

Result<std::string> AbsolutePath(const std::string& path) {
  std::error_code error;
  std::string whole = IsUrl(path) ? path : fs::absolute(path, error).lexically_normal().string();
  while (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
  const bool plain =
      std::ranges::all_of(whole, [](unsigned char c) { return c >= ' ' && c != '\\' && c != 127; });
  if (!path.empty() && !error && plain) return whole;
  return std::unexpected(Error{"scripts cannot hold this path", path,
                               "use one without line breaks, other control characters and '\\'"});
}

Result<std::vector<std::string>> AbsolutePaths(const std::vector<std::string>& paths) {
  std::vector<std::string> whole;
  for (const std::string& path : paths) {
    auto one = AbsolutePath(path);
    if (!one) return std::unexpected(one.error());
    whole.push_back(*std::move(one));
  }
  return whole;
}

Result<int64_t> ShardsOf(std::optional<int64_t> given, int64_t traces, int64_t most) {
  const int64_t usual = traces / kTracesPerShard + (traces % kTracesPerShard > 0 ? 1 : 0);
  const int64_t shards = given.value_or(std::min({usual, kMostShards, most}));
  if (shards < 1 || shards > most)
    return std::unexpected(Error{fmt::format("there can be 1 to {} shards, not {}", most, shards),
                                 "`shards`", "each takes every N-th trace: fewer do as well"});
  if (shards <= traces) return shards;
  return std::unexpected(Error{fmt::format("there are {} shards, but {} traces", shards, traces),
                               "`shards`", "use at most as many shards as there are traces"});
}

Result<std::vector<StoredItem>> TracesOf(const ClusterJob& job) {
  return ListTraces(job.names.empty() ? job.traces : job.names, job.storage);
}

std::string ListingOf(const std::vector<StoredItem>& traces) {
  std::string listing;
  for (const StoredItem& trace : traces)
    listing +=
        fmt::format("{} {} {:x} {}\n", trace.bytes, trace.written, trace.version, trace.path);
  return listing;
}

Result<std::optional<int64_t>> ShardsThere(const std::string& folder) {
  std::error_code error;
  std::optional<int64_t> there;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto shard = ShardOfFileName(entry.path().filename().string());
    if (!shard) continue;
    if (there && *there != shard->count)
      return std::unexpected(Error{
          fmt::format("there are partials of {} shards and of {} shards", *there, shard->count),
          folder, "remove those of one number: together they hold ranks twice"});
    there = shard->count;
  }
  return there;
}

void RemoveShards(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (ShardOfFileName(entry.path().filename().string())) files.push_back(entry.path());
  }
  for (const fs::path& file : files) fs::remove(file, error);
}

std::vector<int64_t> ShardsMissing(const std::string& folder, int64_t shards) {
  auto missing = MissingShards(folder, shards);
  return missing ? *std::move(missing) : AllShards(shards);
}

std::vector<int64_t> AllShards(int64_t shards) {
  std::vector<int64_t> all(static_cast<size_t>(shards));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace stepscope
