// Lays out YAML. Texts of users stand in it as JSON strings, which YAML reads.
#include "cluster/manifests.h"

#include <fmt/format.h>

#include <string_view>

#include "base/json_writer.h"

namespace stepscope {
namespace {

std::string Quoted(std::string_view text) {
  std::string out;
  AppendJsonString(out, text);
  return out;
}

// Each line that is not empty, so much further right.
std::string Indented(std::string_view text, size_t by) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    out.append(by, ' ').append(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

std::string FolderOfPartials(const KubernetesOptions& options) {
  return fmt::format("{}/{}/part", options.mount, options.name);
}

using Words = std::vector<std::string>;

// Kubernetes replaces $(NAME) in commands, and takes $$ for a $.
std::string WithoutVariables(const std::string& word) {
  std::string text;
  for (const char c : word) text += c == '$' ? std::string("$$") : std::string(1, c);
  return text;
}

std::string ListOf(const Words& words) {
  std::string list;
  for (const std::string& word : words) list += "- " + Quoted(WithoutVariables(word)) + "\n";
  return list;
}

// A pod that is evicted, preempted or lost with its node is replaced, however often.
constexpr std::string_view kDisruption =
    R"(- action: Ignore  # preempted, evicted, or lost with its node
  onPodConditions:
    - type: DisruptionTarget
      status: "True"
)";

constexpr std::string_view kTemplate = R"(template:
  spec:
    restartPolicy: Never
{account}    containers:
      - name: stepscope
        image: {image}
        command:
{command}        volumeMounts:
          - name: traces
            mountPath: {mount}
    volumes:
      - name: traces
        persistentVolumeClaim:
          claimName: {claim}
)";

std::string TemplateOf(const KubernetesOptions& options, const Words& command) {
  const std::string account =
      options.service_account.empty()
          ? ""
          : fmt::format("    serviceAccountName: {}\n", Quoted(options.service_account));
  return fmt::format(
      kTemplate, fmt::arg("account", account), fmt::arg("image", Quoted(options.image)),
      fmt::arg("command", Indented(ListOf(command), 10)), fmt::arg("mount", Quoted(options.mount)),
      fmt::arg("claim", Quoted(options.claim)));
}

// The specification of the job that maps: which shard a pod is, JOB_COMPLETION_INDEX tells it.
std::string MapSpec(const KubernetesOptions& options, int64_t shards) {
  Words command = {"stepscope", "map"};
  command.insert(command.end(), options.job.traces.begin(), options.job.traces.end());
  command.insert(command.end(), options.job.storage_words.begin(), options.job.storage_words.end());
  for (const std::string& word :
       {std::string("--shard"), std::string("auto"), std::string("--shards"),
        std::to_string(shards), std::string("-o"), FolderOfPartials(options)})
    command.push_back(word);
  return fmt::format(
             "completionMode: Indexed\n"
             "completions: {0}\n"
             "parallelism: {0}\n"
             "backoffLimitPerIndex: 3  # a shard that fails for good leaves the others alone\n"
             "podFailurePolicy:\n"
             "  rules:\n{1}",
             shards, Indented(kDisruption, 4)) +
         TemplateOf(options, command);
}

constexpr std::string_view kNotAgain =
    R"(- action: FailJob  # shards are missing: the report is there, and says which
  onExitCodes:
    operator: In
    values: [1]
)";

std::string ReduceSpec(const KubernetesOptions& options, int64_t shards) {
  const std::string rules = Indented(std::string(kDisruption) + std::string(kNotAgain), 4);
  return "backoffLimit: 3\npodFailurePolicy:\n  rules:\n" + rules +
         TemplateOf(options, {"stepscope", "reduce", FolderOfPartials(options), "--expect",
                              std::to_string(shards)});
}

std::string Object(std::string_view about, std::string_view version, std::string_view kind,
                   const std::string& name, const std::string& spec) {
  return fmt::format("{}apiVersion: {}\nkind: {}\nmetadata:\n  name: {}\nspec:\n{}", about, version,
                     kind, Quoted(name), Indented(spec, 2));
}

constexpr std::string_view kAboutMap =
    "# Condenses the traces of a job: each pod one shard, into the claim's directory of partials.\n"
    "# Where shards are missing, delete the job and apply this again: the others take no time.\n";
constexpr std::string_view kAboutReduce =
    "# Reports on all ranks, once the job that maps has ended: 'kubectl logs' shows the report. "
    "It\n"
    "# says first which shards are missing, and the job fails then.\n";
constexpr std::string_view kAboutJobSet =
    "# Condenses the traces of a job, each pod one shard, and reports on all ranks when all "
    "shards\n"
    "# are there. Where a shard fails for good, all begins again, up to three times: shards that "
    "are\n"
    "# there take no time. After that, reduce.yaml reports on what is there.\n";

Manifest ReduceManifest(const KubernetesOptions& options, int64_t shards) {
  return {"reduce.yaml", Object(kAboutReduce, "batch/v1", "Job", options.name + "-reduce",
                                ReduceSpec(options, shards))};
}

std::string Replicated(std::string_view name, std::string_view more, const std::string& spec) {
  return fmt::format("- name: {}\n{}  replicas: 1\n  template:\n    spec:\n{}", name, more,
                     Indented(spec, 6));
}

}  // namespace

std::vector<Manifest> JobManifests(const KubernetesOptions& options, int64_t shards) {
  return {{"map.yaml",
           Object(kAboutMap, "batch/v1", "Job", options.name + "-map", MapSpec(options, shards))},
          ReduceManifest(options, shards)};
}

std::vector<Manifest> JobSetManifests(const KubernetesOptions& options, int64_t shards) {
  constexpr std::string_view kAfterMap = "  dependsOn:\n    - name: map\n      status: Complete\n";
  const std::string jobs = Replicated("map", "", MapSpec(options, shards)) +
                           Replicated("reduce", kAfterMap, ReduceSpec(options, shards));
  return {{"jobset.yaml",
           Object(kAboutJobSet, "jobset.x-k8s.io/v1alpha2", "JobSet", options.name,
                  "failurePolicy:\n  maxRestarts: 3\nreplicatedJobs:\n" + Indented(jobs, 2))},
          ReduceManifest(options, shards)};
}

}  // namespace stepscope
