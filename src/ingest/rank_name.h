// Reads from a file's path what traces do not contain: the rank, and which were recorded by one
// process one after another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stepscope {

// "rank-3.pt.trace.json.gz", "job_rank3.json", "worker3.1623143089861.pt.trace.json",
// "rank_3/trace.json":
// 3. The file's own name is asked first, then its folder's. Nothing if neither names a rank.
std::optional<int64_t> RankFromPath(std::string_view path);

// "/run/host_9012.window-0003.xplane.pb", the third snapshot of continuous profiling: its process,
// "/run/host_9012", whose snapshots are windows of one rank. Empty for other files.
std::string ProcessOfSnapshot(std::string_view path);
// Its number, 3: the same of all processes that were recorded at one time. -1 for other files.
int64_t NumberOfSnapshot(std::string_view path);

}  // namespace stepscope
