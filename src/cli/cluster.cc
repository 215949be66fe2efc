// stepscope cluster: map and reduce on the machines of a cluster.
#include "cli/cluster.h"

#include "cli/root.h"

namespace stepscope::cli {

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
