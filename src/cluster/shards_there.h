// Says which shards of a job are done, and which are to be mapped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stepscope/cluster.h"
#include "stepscope/result.h"
#include "stepscope/storage.h"

namespace stepscope {

// "/a/b" of "b/"; a path that scripts and comments of theirs can hold. A URL stays as it is.
Result<std::string> AbsolutePath(const std::string& path);
Result<std::vector<std::string>> AbsolutePaths(const std::vector<std::string>& paths);

// Of `given`, or by the number of traces, and at most `most`. Fails where there are more than
// traces, or more than `most`.
Result<int64_t> ShardsOf(std::optional<int64_t> given, int64_t traces, int64_t most);

// The traces of a job, which a storage may hold.
Result<std::vector<StoredItem>> TracesOf(const ClusterJob& job);

// A line for each trace: its size, when it was written, its version in a storage, its path.
std::string ListingOf(const std::vector<StoredItem>& traces);

// The number of shards of which files are in the folder; absent where it has none. Fails where they
// are of several numbers.
Result<std::optional<int64_t>> ShardsThere(const std::string& folder);

// Removes the files of all shards.
void RemoveShards(const std::string& folder);

// The shards without a file; all, where there is no such folder.
std::vector<int64_t> ShardsMissing(const std::string& folder, int64_t shards);

// All of them.
std::vector<int64_t> AllShards(int64_t shards);

}  // namespace stepscope
