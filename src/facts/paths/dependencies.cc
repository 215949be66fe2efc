// Collects the moments of host and devices into one graph.
#include "facts/paths/dependencies.h"

#include "facts/paths/dependency_draft.h"

namespace stepscope {

Dependencies BuildDependencies(const RankActivity& rank, const StringTable& names,
                               const PathWindow& window) {
  DependencyDraft draft(window);
  {  // the moments of the host take more memory than the graph
    const HostMoments host(rank, names, draft);
    if (!rank.on_host) AddDeviceMoments(rank, names, host, draft);
    if (rank.HasRecords()) AddRecordMoments(rank, names, host, draft);
  }
  return draft.Finish();
}

}  // namespace stepscope
