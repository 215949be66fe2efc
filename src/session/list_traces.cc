// Lists the traces that shards share.
#include <utility>

#include "ingest/discover.h"
#include "stepscope/cluster.h"

namespace stepscope {

Result<std::vector<std::string>> ListTraces(const std::vector<std::string>& paths) {
  auto found = FindTraces(paths);
  if (!found) return std::unexpected(found.error());
  return std::move(found->files);
}

}  // namespace stepscope
