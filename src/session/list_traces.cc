// Lists the traces that shards share.
#include <utility>

#include "base/stop.h"
#include "ingest/discover.h"
#include "stepscope/cluster.h"

namespace stepscope {
namespace {

Result<std::vector<StoredItem>> ListAll(const std::vector<std::string>& paths,
                                        const Places& places) {
  const auto found = FindTraces(paths, places);
  if (!found) return std::unexpected(found.error());
  std::vector<StoredItem> items;
  for (const std::string& file : found->files) {
    auto item = places.Find(file);
    items.push_back(item ? *std::move(item) : StoredItem{});
    items.back().path = file;
  }
  return items;
}

}  // namespace

Result<std::vector<StoredItem>> ListTraces(const std::vector<std::string>& paths,
                                           const StorageRef& storage, std::stop_token stop) {
  try {
    const StopScope scope(std::move(stop));
    return ListAll(paths, Places(storage));
  } catch (const Stopped&) {
    return std::unexpected(Error{"listing the traces was canceled", "", ""});
  }
}

}  // namespace stepscope
