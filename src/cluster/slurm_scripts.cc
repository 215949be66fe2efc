// Lays out the scripts. What users give sbatch comes before what the scripts rely on: of an option
// that is given twice, sbatch takes the last.
#include "cluster/slurm_scripts.h"

#include <fmt/format.h>

#include <utility>

#include "base/number_ranges.h"
#include "base/shell_word.h"

namespace stepscope {
namespace {

using Words = std::vector<std::string>;

// sbatch replaces %a and the like in names of files.
std::string WithoutFields(const std::string& path) {
  std::string text;
  for (const char c : path) text += c == '%' ? std::string("%%") : std::string(1, c);
  return text;
}

// `--requeue`: after a node failed, and after preemption. `--open-mode`: what a task printed before
// that stays.
Words Sbatch(const SlurmPlan& plan, const SlurmOptions& options, std::string_view name) {
  Words words = {"sbatch", fmt::format("--job-name=stepscope-{}", name), "--requeue",
                 "--open-mode=append", "--chdir=" + plan.folder};
  words.insert(words.end(), options.options.begin(), options.options.end());
  words.emplace_back("--parsable");
  return words;
}

Words Ours(const SlurmOptions& options, Words words) {
  words.insert(words.begin(), options.program.begin(), options.program.end());
  return words;
}

std::string Opening(const std::string& about, const Words& command) {
  return fmt::format(
      "#!/bin/bash\n"
      "{}\n"
      "# 'stepscope cluster slurm' writes it anew each time, and submits it with\n"
      "#   {}\n",
      about, ShellWords(command));
}

constexpr std::string_view kAboutMap =
    "# Condenses one shard of a job's traces: task I of an array is shard I of {}. The same shard\n"
    "# again does nothing, so that a task may be requeued, and run twice.";

constexpr std::string_view kAboutReduce =
    "# Makes the report of all ranks from the partials of {} shards. It says first which shards "
    "are\n"
    "# missing; what their tasks printed last follows here. Exit 1: some are missing.";

// Missing ones are told with the end of their logs.
constexpr std::string_view kReduce = R"(
report={report}
[[ ! -f $report ]] || rm -f -- "$report"  # of an earlier run
{reduce} -o "$report"
code=$?
for shard in $({missing} | tr , ' '); do
  log={log}/map-$shard.txt
  echo "shard $shard is missing: $log"
  tail -n 5 -- "$log" 2>/dev/null || echo "no log: it never began"
done
exit $code
)";

}  // namespace

std::string PartFolder(const SlurmPlan& plan) { return plan.folder + "/part"; }
std::string LogFolder(const SlurmPlan& plan) { return plan.folder + "/log"; }
std::string TracesFile(const SlurmPlan& plan) { return plan.folder + "/traces.txt"; }
std::string JobsFile(const SlurmPlan& plan) { return plan.folder + "/jobs.txt"; }

BatchJob MapJob(const SlurmPlan& plan, const SlurmOptions& options) {
  BatchJob job{.file = plan.folder + "/map.sh", .script = "", .command = {}};
  job.command = Sbatch(plan, options, "map");
  job.command.push_back("--output=" + WithoutFields(LogFolder(plan)) + "/map-%a.txt");
  job.command.push_back("--array=" + NumberRanges(plan.missing));
  job.command.push_back(job.file);
  Words map = Ours(options, {"map"});
  map.insert(map.end(), options.job.traces.begin(), options.job.traces.end());
  map.insert(map.end(), options.job.storage_words.begin(), options.job.storage_words.end());
  job.script = fmt::format(
      "{}exec {} --shard \"$SLURM_ARRAY_TASK_ID/{}\" --threads \"${{SLURM_CPUS_ON_NODE:-0}}\" -o "
      "{}\n",
      Opening(fmt::format(kAboutMap, plan.shards), job.command), ShellWords(map), plan.shards,
      ShellWord(PartFolder(plan)));
  return job;
}

BatchJob ReduceJob(const SlurmPlan& plan, const SlurmOptions& options) {
  BatchJob job{.file = plan.folder + "/reduce.sh", .script = "", .command = {}};
  job.command = Sbatch(plan, options, "reduce");
  job.command.push_back("--output=" + WithoutFields(LogFolder(plan)) + "/reduce.txt");
  job.command.push_back(job.file);
  const Words expect = {PartFolder(plan), "--expect", std::to_string(plan.shards)};
  Words reduce = Ours(options, {"reduce"}), missing = Ours(options, {"missing"});
  reduce.insert(reduce.end(), expect.begin(), expect.end());
  missing.insert(missing.end(), expect.begin(), expect.end());
  const Words shown = plan.map ? After(job.command, "ARRAY") : job.command;
  job.script =
      Opening(fmt::format(kAboutReduce, plan.shards), shown) +
      fmt::format(kReduce, fmt::arg("report", ShellWord(plan.report)),
                  fmt::arg("reduce", ShellWords(reduce)), fmt::arg("missing", ShellWords(missing)),
                  fmt::arg("log", ShellWord(LogFolder(plan))));
  return job;
}

// afterok would never run where one task of the array failed.
Words After(Words command, const std::string& array) {
  command.insert(command.end() - 1, "--dependency=afterany:" + array);
  return command;
}

}  // namespace stepscope
