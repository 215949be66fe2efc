// Looks at each name of operators and annotations.
#include "facts/derived/job/data_parallel.h"

#include <string_view>
#include <vector>

#include "base/stop.h"

namespace stepscope {
namespace {

DataParallel FindDataParallel(const Facts& facts) {
  DataParallel found;
  if (facts.names == nullptr) return found;
  std::vector<bool> seen(facts.names->size());
  StopChecks checks;
  for (const RankActivity& rank : facts.ranks) {
    for (const HostRange& range : rank.host->ranges) {
      checks.Turn();
      if (seen[range.name]) continue;
      seen[range.name] = true;
      const std::string_view name = (*facts.names)[range.name];
      found.ddp |= name.starts_with("DistributedDataParallel.") ||
                   name.starts_with("torch.distributed.ddp.") ||
                   name.starts_with("torch::distributed::reducer");
      found.fsdp |= name.starts_with("FullyShardedDataParallel.");
      found.fsdp2 |= name.starts_with("FSDP::");
    }
  }
  return found;
}

}  // namespace

const DataParallel& DataParallelOf(const Facts& facts) {
  return facts.memo.Of<FindDataParallel>(facts);
}

}  // namespace stepscope
