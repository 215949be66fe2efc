// Reads the rank from a file's path, for traces that do not contain it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope {

// "rank-3.pt.trace.json.gz", "job_rank3.json", "worker3.1623143089861.pt.trace.json",
// "rank_3/trace.json":
// 3. The file's own name is asked first, then its folder's. Nothing if neither names a rank.
std::optional<int64_t> RankFromPath(std::string_view path);

}  // namespace stepscope
