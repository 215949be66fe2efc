// stepscope cluster slurm: an array of shards, and the job that reduces them.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/number_ranges.h"
#include "base/shell_word.h"
#include "cli/answer.h"
#include "cli/cluster.h"
#include "cli/inputs.h"
#include "cli/output_file.h"
#include "stepscope/cluster.h"

namespace stepscope::cli {
namespace {

struct SlurmFlags {
  SlurmOptions options;
  bool dry_run = false;
  std::vector<std::string> storage_options;
};

std::string Printed(const BatchJob& job) {
  return fmt::format("==> {} <==\n{}\n", job.file, job.script);
}

std::string Counted(int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void PrintWork(const SlurmPlan& plan) {
  fmt::print("{} in {}, {} to map.\n", Counted(plan.traces, "file"), Counted(plan.shards, "shard"),
             plan.missing.size());
  if (plan.changed)
    fmt::print("The traces, or Stepscope, are not those of before: all is done again.\n");
}

void PrintIds(const SlurmPlan& plan, const SlurmIds& ids) {
  if (plan.map)
    fmt::print("map     job {}, shards {}; logs: {}/log/map-*.txt\n", ids.map,
               NumberRanges(plan.missing), plan.folder);
  fmt::print("reduce  job {}{}; report: {}\n", ids.reduce, plan.map ? ", after it" : "",
             plan.report);
  fmt::print("watch   squeue --jobs={}{}\n", plan.map ? ids.map + "," : "", ids.reduce);
  fmt::print("lost    the same command again submits the shards that are missing\n");
}

int RunSlurm(SlurmFlags& flags) {
  flags.options.program = OwnProgram();
  const std::string& report = flags.options.job.report;
  const OutputFlags as_report{.file = report};
  if (const auto format = FormatOf(as_report); !format) return Fail(format.error());
  if (const auto writable = CheckOutput(report); !writable) return Fail(writable.error());
  if (const auto opened = OpenTraces(flags.options.job, flags.storage_options); !opened)
    return Fail(opened.error());
  const auto plan = PlanSlurm(flags.options);
  if (!plan) return Fail(plan.error());
  if (flags.dry_run) {
    fmt::print("{}{}", plan->map ? Printed(*plan->map) : "", Printed(plan->reduce));
    return kDone;
  }
  const auto ids = SubmitSlurm(*plan);
  if (!ids) return Fail(ids.error());
  PrintWork(*plan);
  PrintIds(*plan, *ids);
  return kDone;
}

}  // namespace

void AddClusterSlurm(Command& cluster) {
  auto flags = std::make_shared<SlurmFlags>();
  ClusterJob& job = flags->options.job;
  Command& command = cluster.Sub("slurm", "Submit an array of map tasks and a reduce job to Slurm");
  command.Argument("PATH", job.traces, "Traces: files or directories that all nodes see, or URLs");
  command.Take("--output", job.folder)
      .Value("DIR")
      .Help("Directory of scripts, partials and logs, that all nodes see")
      .Required();
  command.Take("--shards", job.shards)
      .Help("Number of shards")
      .Default("one for 8 traces, at most 256");
  command.Take("--report", job.report);
  AddStorageOptions(command, flags->storage_options);
  command.Switch("--dry-run", flags->dry_run).Help("Print the scripts, and submit nothing");
  command.AfterDashes("SBATCH_OPTION...", flags->options.options);
  command.Examples(
      {{"all traces of a job", "stepscope cluster slurm traces/ -o work/"},
       {"on a partition, with more memory",
        "stepscope cluster slurm traces/ -o work/ -- --partition=cpu --mem=8G --time=30"},
       {"show the scripts", "stepscope cluster slurm traces/ -o work/ --dry-run"}});
  command.Notes(
      "The same command again submits the shards that are missing. Tasks are requeued after\n"
      "preemption and failures of nodes. The report says first which shards are missing.");
  command.Runs([flags] { return RunSlurm(*flags); });
}

}  // namespace stepscope::cli
