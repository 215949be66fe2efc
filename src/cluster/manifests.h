// Writes the manifests of a job for Kubernetes.
#pragma once

#include <string>
#include <vector>

#include "stepscope/cluster.h"

namespace stepscope {

// Indexed job that maps, and the job that reduces, each in a file of its own.
std::vector<Manifest> JobManifests(const KubernetesOptions& options, int64_t shards);

// Both in one JobSet. Where a shard fails for good, its job that reduces never starts: that is
// there again, in a file of its own.
std::vector<Manifest> JobSetManifests(const KubernetesOptions& options, int64_t shards);

}  // namespace stepscope
