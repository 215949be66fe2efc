// stepscope cluster k8s: manifests of the same jobs for Kubernetes.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/answer.h"
#include "cli/cluster.h"
#include "cli/inputs.h"
#include "cli/more.h"
#include "cli/output_file.h"
#include "stepscope/cluster.h"

namespace stepscope::cli {
namespace {

// What to run, as "kubectl wait" cannot wait for either end of a job.
void PrintCommands(const KubernetesOptions& options, const KubernetesPlan& plan) {
  const auto file = [&](const char* name) {
    return Pasted({(std::filesystem::path(options.job.folder) / name).string()});
  };
  const std::string& name = options.name;
  if (options.job_set) {
    fmt::print("kubectl apply -f {}\nkubectl get jobset {}  # until it is completed\n",
               file("jobset.yaml"), name);
    fmt::print("kubectl logs job/{}-reduce-0  # the report\n", name);
    return;
  }
  fmt::print("kubectl apply -f {}\n", file("map.yaml"));
  fmt::print("kubectl get job {}-map --watch  # until {} of {} are complete, or it failed\n", name,
             plan.shards, plan.shards);
  fmt::print("kubectl apply -f {}\nkubectl logs job/{}-reduce --follow  # the report\n",
             file("reduce.yaml"), name);
}

struct KubernetesFlags {
  KubernetesOptions options;
  std::vector<std::string> storage_options;
};

// URLs are opened where traces are to be counted, which this machine may not be able to.
int RunKubernetes(KubernetesFlags& flags) {
  KubernetesOptions& options = flags.options;
  if (const auto opened = OpenTraces(options.job, flags.storage_options);
      !opened && !options.job.shards)
    return Fail(opened.error());
  const auto plan = PlanKubernetes(options);
  if (!plan) return Fail(plan.error());
  std::vector<NamedText> texts;
  for (const Manifest& manifest : plan->manifests) texts.push_back({manifest.name, manifest.text});
  std::string folder = options.job.folder;
  if (!NamesDirectory(folder)) folder += '/';
  if (const auto written = WriteOutputs(texts, folder, {}); !written) return Fail(written.error());
  PrintCommands(options, *plan);
  return kDone;
}

}  // namespace

void AddClusterKubernetes(Command& cluster) {
  auto flags = std::make_shared<KubernetesFlags>();
  KubernetesOptions* const options = &flags->options;
  options->name = "stepscope";
  options->mount = "/data";
  Command& command = cluster.Sub("k8s", "Write manifests of an indexed map job and a reduce job");
  command.Argument("PATH", options->job.traces, "Traces, as pods see them below --mount, or URLs");
  command.Take("--output", options->job.folder)
      .Value("DIR")
      .Help("Directory of the manifests, on this machine")
      .Required();
  command.Take("--image", options->image).Required();
  command.Take("--claim", options->claim).Required();
  command.Take("--mount", options->mount);
  command.Take("--shards", options->job.shards)
      .Help("Number of shards")
      .Default("by traces, where this machine sees them");
  command.Take("--name", options->name)
      .Help("Name of jobs and their directory in the claim")
      .Default("stepscope");
  command.Take("--service-account", options->service_account);
  AddStorageOptions(command, flags->storage_options);
  command.Switch("--jobset", options->job_set);
  command.Examples(
      {{"64 shards",
        "stepscope cluster k8s /data/traces -o manifests/ --image IMAGE --claim NAME --shards 64"},
       {"as one JobSet",
        "stepscope cluster k8s /data/traces -o manifests/ --image IMAGE --claim NAME --shards 64 "
        "--jobset"}});
  command.Notes(
      "Prints the commands that start the jobs and show the report. Partials are in the claim.\n"
      "Pods that are preempted or lost with their node are replaced.");
  command.Runs([flags] { return RunKubernetes(*flags); });
}

}  // namespace stepscope::cli
