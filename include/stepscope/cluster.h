// Runs `map` on the machines of a cluster and `reduce` after it, on the schedulers that clusters
// have: submits batch jobs to Slurm, writes manifests for Kubernetes (docs/scale.md).
//
//   const auto plan = stepscope::PlanSlurm({.job = {.traces = {"traces/"}, .folder = "work"}});
//   if (plan) const auto ids = stepscope::SubmitSlurm(*plan);
//
// Tasks may be lost, started twice or preempted: a shard is done once its file is there, and the
// same call again submits those that are not.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "stepscope/result.h"
#include "stepscope/storage.h"

namespace stepscope {

// The traces under these paths, of which Shard takes a share (stepscope/partials.h), in that order.
Result<std::vector<StoredItem>> ListTraces(const std::vector<std::string>& paths,
                                           const StorageRef& storage = nullptr,
                                           std::stop_token stop = {});

// Shards by default: one for each kTracesPerShard traces, at most kMostShards.
inline constexpr int64_t kTracesPerShard = 8;
inline constexpr int64_t kMostShards = 256;

struct ClusterJob {
  std::vector<std::string> traces;  // paths, or URLs
  std::string folder;
  std::optional<int64_t> shards;  // absent: by the number of traces
  std::string report;             // the file; empty: "report.txt" in the folder
  // Of URLs: what `traces` lead to, where, and the words by which `map` finds it, too.
  std::vector<std::string> names = {};
  StorageRef storage = nullptr;
  std::vector<std::string> storage_words = {};
};

// The words that start the program that runs, on any machine with the same files: its own path, or
// Python's and its module's.
std::vector<std::string> OwnProgram();

struct SlurmOptions {
  ClusterJob job;
  std::vector<std::string> program;  // the words that start Stepscope on a node
  std::vector<std::string> options;  // for sbatch, of both jobs: partition, account, time
};

// A script, and the command that submits it. Paths are absolute: tasks run elsewhere.
struct BatchJob {
  std::string file;
  std::string script;
  std::vector<std::string> command;
};

struct SlurmPlan {
  std::string folder, report;
  int64_t traces = 0;
  int64_t shards = 1;
  std::string listed;            // the traces with sizes and times, to be told apart the next time
  bool changed = false;          // they are others than the last time: no shard there is of use
  std::vector<int64_t> missing;  // the shards to submit
  std::optional<BatchJob> map;   // an array; absent where no shard is missing
  BatchJob reduce;               // once the array has ended, however its tasks did
};

// Counts the traces, looks which shards are in the folder, and asks Slurm for the largest array.
// Writes nothing. Fails where an array cannot be so large, where there are fewer traces than
// shards, and where the folder has shards of another number.
Result<SlurmPlan> PlanSlurm(const SlurmOptions& options);

struct SlurmIds {
  std::string map, reduce;  // `map` is empty where no shard was missing
};

// Writes the scripts into the folder, which it makes, and submits them; shards of other traces are
// removed. Fails with what sbatch says, with nothing left submitted; and where jobs that were
// submitted before have not ended.
Result<SlurmIds> SubmitSlurm(const SlurmPlan& plan);

struct KubernetesOptions {
  ClusterJob job;     // traces as pods see them; the folder, of manifests, is of this machine
  std::string name;   // of the jobs, and of the directory of partials in the claim
  std::string image;  // has `stepscope` on its PATH
  std::string claim;  // a PersistentVolumeClaim that all pods can mount
  std::string mount;  // where they mount it
  std::string service_account = {};  // of pods, for the credentials of buckets; empty: the usual
  bool job_set = false;
};

struct Manifest {
  std::string name;  // "map.yaml"
  std::string text;
};

struct KubernetesPlan {
  int64_t shards = 1;
  std::vector<Manifest> manifests;
};

// The manifests; writes nothing. Without a number of shards the traces must be on this machine,
// too, to be counted. Fails for names that Kubernetes does not take.
Result<KubernetesPlan> PlanKubernetes(const KubernetesOptions& options);

}  // namespace stepscope
