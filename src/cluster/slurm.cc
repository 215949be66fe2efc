// Plans an array of shards and the job after it, and submits them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/ascii.h"
#include "base/file_writer.h"
#include "base/read_file.h"
#include "base/system_error.h"
#include "base/url_word.h"
#include "cluster/run_command.h"
#include "cluster/shards_there.h"
#include "cluster/slurm_scripts.h"
#include "stepscope/cluster.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostOfAnySlurm = 4'000'000;  // of MaxArraySize

// How many tasks an array can have: numbers are below MaxArraySize. Where nothing says it, sbatch
// will.
int64_t MostTasks() {
  const auto ran = RunCommand({"scontrol", "show", "config"});
  constexpr std::string_view kName = "MaxArraySize";
  const std::string text = ran ? ran->out : "";
  const size_t at = text.find(kName);
  if (at == text.npos) return kMostOfAnySlurm;
  const size_t begin = text.find_first_not_of(" =", at + kName.size());
  int64_t most = 0;
  if (begin != text.npos) std::from_chars(text.data() + begin, text.data() + text.size(), most);
  return most > 0 ? most : kMostOfAnySlurm;
}

// All paths as tasks can use them.
Result<SlurmOptions> WithAbsolutePaths(SlurmOptions options) {
  auto traces = AbsolutePaths(options.job.traces);
  if (!traces) return std::unexpected(traces.error());
  if (const auto place = CheckIsPlace(options.job.folder); !place)
    return std::unexpected(place.error());
  auto folder = AbsolutePath(options.job.folder);
  if (!folder) return std::unexpected(folder.error());
  auto report =
      AbsolutePath(options.job.report.empty() ? *folder + "/report.txt" : options.job.report);
  if (!report) return std::unexpected(report.error());
  options.job.traces = *std::move(traces);
  options.job.folder = *std::move(folder);
  options.job.report = *std::move(report);
  return options;
}

// The text of the file; empty where there is none.
std::string TextOf(const std::string& path) {
  const auto text = ReadFileIfThere(path);
  return text ? text->value_or("") : "";
}

// Which traces the job has: a line for each, after the version that maps them.
Result<void> List(const ClusterJob& job, SlurmPlan& plan) {
  const auto traces = TracesOf(job);
  if (!traces) return std::unexpected(traces.error());
  plan.traces = std::ssize(*traces);
  plan.listed = "stepscope " STEPSCOPE_VERSION "\n" + ListingOf(*traces);
  const std::string before = TextOf(TracesFile(plan));
  plan.changed = !before.empty() && before != plan.listed;
  return {};
}

// The number that is there already stays.
Result<int64_t> CountShards(const ClusterJob& job, const SlurmPlan& plan) {
  if (plan.changed) return ShardsOf(job.shards, plan.traces, MostTasks());
  const auto there = ShardsThere(PartFolder(plan));
  if (!there) return std::unexpected(there.error());
  const auto asked = job.shards ? job.shards : *there;
  const auto shards = ShardsOf(asked, plan.traces, MostTasks());
  if (!shards || !*there || **there == *shards) return shards;
  return std::unexpected(Error{
      fmt::format("the directory has partials of {} shards, not of {}", **there, *shards),
      PartFolder(plan), fmt::format("ask for {} shards, or choose another directory", **there)});
}

Result<void> WriteFiles(const SlurmPlan& plan) {
  for (const std::string& folder : {PartFolder(plan), LogFolder(plan)}) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
      return std::unexpected(SystemError("cannot make the directory", error.value(), folder));
  }
  if (plan.changed) RemoveShards(PartFolder(plan));
  auto written = WriteFile(TracesFile(plan), plan.listed);
  if (written && plan.map) written = WriteFile(plan.map->file, plan.map->script);
  if (written) written = WriteFile(plan.reduce.file, plan.reduce.script);
  return written;
}

std::string LinesOf(const std::string& text) {
  std::string lines(Trimmed(text));
  std::ranges::replace(lines, '\n', ' ');
  return lines;
}

// The job's id: "12" of "12;cluster".
Result<std::string> Submit(const std::vector<std::string>& command) {
  const auto ran = RunCommand(command);
  if (!ran) {
    Error error = ran.error();
    error.hint = "submit where Slurm's commands are, or print the scripts with `dry_run`";
    return std::unexpected(std::move(error));
  }
  std::string id(Trimmed(ran->out));
  id = id.substr(0, id.find(';'));
  const bool is_id = !id.empty() && std::ranges::all_of(id, IsDigit);
  if (ran->code == 0 && is_id) return id;
  const std::string said = LinesOf(ran->err + " " + ran->out);
  return std::unexpected(Error{said.empty() ? "sbatch failed and said nothing" : said,
                               command.back(),
                               "it is sbatch that says so; its options follow '--'"});
}

// Whether jobs of the last time are in the queue; nobody knows where squeue does not answer.
Result<void> CheckEnded(const SlurmPlan& plan) {
  const std::string ids(Trimmed(TextOf(JobsFile(plan))));
  if (ids.empty() || !std::ranges::all_of(ids, [](char c) { return IsDigit(c) || c == ','; }))
    return {};
  const auto ran = RunCommand({"squeue", "--noheader", "--jobs=" + ids, "--format=%A"});
  if (!ran || ran->code != 0 || Trimmed(ran->out).empty()) return {};
  std::string apart = ids;
  std::ranges::replace(apart, ',', ' ');
  return std::unexpected(
      Error{"jobs that were submitted before have not ended", plan.folder,
            fmt::format("wait for them (squeue --jobs={}), or end them (scancel {})", ids, apart)});
}

}  // namespace

Result<SlurmPlan> PlanSlurm(const SlurmOptions& given) {
  const auto options = WithAbsolutePaths(given);
  if (!options) return std::unexpected(options.error());
  const ClusterJob& job = options->job;
  SlurmPlan plan{.folder = job.folder, .report = job.report};
  if (const auto listed = List(job, plan); !listed) return std::unexpected(listed.error());
  const auto shards = CountShards(job, plan);
  if (!shards) return std::unexpected(shards.error());
  plan.shards = *shards;
  plan.missing =
      plan.changed ? AllShards(plan.shards) : ShardsMissing(PartFolder(plan), plan.shards);
  if (!plan.missing.empty()) plan.map = MapJob(plan, *options);
  plan.reduce = ReduceJob(plan, *options);
  return plan;
}

Result<SlurmIds> SubmitSlurm(const SlurmPlan& plan) {
  if (auto ended = CheckEnded(plan); !ended) return std::unexpected(ended.error());
  if (auto written = WriteFiles(plan); !written) return std::unexpected(written.error());
  SlurmIds ids;
  if (plan.map) {
    auto map = Submit(plan.map->command);
    if (!map) return std::unexpected(map.error());
    ids.map = *std::move(map);
  }
  auto reduce = Submit(plan.map ? After(plan.reduce.command, ids.map) : plan.reduce.command);
  if (!reduce && plan.map) RunCommand({"scancel", ids.map});
  if (!reduce) return std::unexpected(reduce.error());
  ids.reduce = *std::move(reduce);
  const std::string all = plan.map ? ids.map + "," + ids.reduce : ids.reduce;
  if (auto written = WriteFile(JobsFile(plan), all + "\n"); !written)
    return std::unexpected(written.error());
  return ids;
}

}  // namespace stepscope
