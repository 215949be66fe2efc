// stepscope cluster: map and reduce on the machines of a cluster.
#include "cli/cluster.h"

#include <utility>

#include "cli/inputs.h"
#include "cli/root.h"

namespace stepscope::cli {

Result<void> OpenTraces(ClusterJob& job, const std::vector<std::string>& storage_options) {
  auto inputs = OpenInputs(job.traces, storage_options);
  if (!inputs) return std::unexpected(inputs.error());
  job.names = std::move(inputs->paths);
  job.storage = std::move(inputs->storage);
  for (const std::string& option : storage_options) {
    job.storage_words.emplace_back("--storage-option");
    job.storage_words.push_back(option);
  }
  return {};
}

void AddCluster(Command& root) {
  Command& cluster = root.Sub("cluster", "Run map and reduce on Slurm or Kubernetes");
  cluster.Examples(
      {{"submit to Slurm", "stepscope cluster slurm traces/ -o work/"},
       {"write manifests for Kubernetes",
        "stepscope cluster k8s /data/traces -o manifests/ --image IMAGE --claim NAME"}});
  AddClusterSlurm(cluster);
  AddClusterKubernetes(cluster);
}

}  // namespace stepscope::cli
