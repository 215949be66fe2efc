// stepscope map, merge, missing and reduce: a job with more traces than one machine reads.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/number_ranges.h"
#include "cli/answer.h"
#include "cli/inputs.h"
#include "cli/output_file.h"
#include "cli/root.h"
#include "cli/terminal.h"
#include "stepscope/partials.h"

namespace stepscope::cli {
namespace {

struct MapFlags {
  std::vector<std::string> paths;
  std::string shard = "auto";
  std::optional<int64_t> shards;
  std::vector<std::string> storage_options;
  MapOptions options;
  OutputFlags output;
};

std::optional<std::string> EnvironmentSays(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

int RunMap(const MapFlags& flags) {
  MapOptions options = flags.options;
  const auto shard = ReadShard(flags.shard, flags.shards, EnvironmentSays);
  if (!shard) return Fail(shard.error());
  options.shard = *shard;
  auto inputs = OpenInputs(flags.paths, flags.storage_options);
  if (!inputs) return Fail(inputs.error());
  options.storage = std::move(inputs->storage);
  ProgressLine line;
  options.on_progress = [&](const Progress& progress) { line.Show(progress); };
  auto mapped = MapRanks(inputs->paths, options);
  line.Clear();
  return PrintAndJudge(std::move(mapped), flags.output);
}

void AddMap(Command& root) {
  auto flags = std::make_shared<MapFlags>();
  Command& command = root.Sub("map", "Condense a share of a job's traces, for 'reduce'");
  command.Argument("PATH", flags->paths, "Traces: files, directories, or URLs");
  command.Take("--shard", flags->shard).Suggestions({"auto", "0/16"});
  command.Take("--shards", flags->shards);
  command.Take("--output", flags->options.folder)
      .Value("DIR")
      .Help("Directory of the partials, one for all shards")
      .Required();
  AddThreads(command, flags->options.threads);
  AddMaxInput(command, flags->options.max_input);
  AddStorageOptions(command, flags->storage_options);
  command.Take("--format", flags->output.format)
      .Choices({"text", "json", "csv", "markdown", "md"})
      .Default("text");
  command.Examples(
      {{"all traces on this machine", "stepscope map traces/ --shard 0/1 -o part"},
       {"the fourth of 16 shares", "stepscope map traces/ --shard 3/16 -o part"},
       {"from a bucket", "stepscope map 's3://bucket/run/*.json.gz' --shard 3/16 -o part"},
       {"as a task of a Slurm array", "stepscope map traces/ --shard auto -o part"},
       {"of an array submitted again for a few shards",
        "stepscope map traces/ --shard auto --shards 256 -o part"}});
  command.Notes(
      "A shard takes every N-th trace, and writes one file. It's done once: again with the same\n"
      "traces it does nothing. 'auto' asks the environment of Slurm, MPI or Kubernetes. URLs (s3,\n"
      "gs) are read where the Python package runs the command, with credentials of the\n"
      "environment.");
  command.Runs([flags] { return RunMap(*flags); });
}

struct MergeFlags {
  std::vector<std::string> paths;
  std::string file;
  OutputFlags output;
};

int RunMerge(const MergeFlags& flags) {
  if (const auto writable = CheckOutput(flags.file); !writable) return Fail(writable.error());
  return PrintAndJudge(MergePartials(flags.paths, flags.file), flags.output);
}

void AddMerge(Command& root) {
  auto flags = std::make_shared<MergeFlags>();
  Command& command = root.Sub("merge", "Join partials in one file, by rank");
  command.Argument("PATH", flags->paths, "Partials: files, or directories");
  command.Take("--output", flags->file).Help("File to write, such as all.ranks.parquet").Required();
  command.Take("--format", flags->output.format)
      .Choices({"text", "json", "csv", "markdown", "md"})
      .Default("text");
  command.Examples({{"all shards", "stepscope merge part/ -o all.ranks.parquet"},
                    {"merged files again",
                     "stepscope merge a.ranks.parquet b.ranks.parquet -o all.ranks.parquet"}});
  command.Notes("'reduce' reads many files as well as one: merging saves files, not time.");
  command.Runs([flags] { return RunMerge(*flags); });
}

struct MissingFlags {
  std::string folder;
  int64_t expect = 0;
};

int RunMissing(const MissingFlags& flags) {
  const auto missing = MissingShards(flags.folder, flags.expect);
  if (!missing) return Fail(missing.error());
  fmt::print("{}\n", fmt::join(*missing, ","));
  return missing->empty() ? kDone : kConditionHolds;
}

void AddMissing(Command& root) {
  auto flags = std::make_shared<MissingFlags>();
  Command& command = root.Sub("missing", "List the shards that have no partials yet");
  command.Argument("PATH", flags->folder, "Directory of partials");
  command.Take("--expect", flags->expect).Required();
  command.Examples({{"the shards to submit again", "stepscope missing part/ --expect 256"}});
  command.Notes(
      "Prints their numbers between commas, as 'sbatch --array=' takes them. Exit 1: some are\n"
      "missing.");
  command.Runs([flags] { return RunMissing(*flags); });
}

struct ReduceFlags {
  std::vector<std::string> paths;
  std::optional<int64_t> expect;
  Question question;
  OutputFlags output;
};

// The shards that are missing; none, where nobody said how many there are.
Result<std::vector<int64_t>> Missing(const ReduceFlags& flags) {
  if (!flags.expect) return std::vector<int64_t>();
  if (flags.paths.size() == 1) return MissingShards(flags.paths.front(), *flags.expect);
  return std::unexpected(Error{"shards are counted in one directory", "`count`",
                               "give the directory of all partials, or leave out `count`"});
}

// That an answer is of some ranks alone leads.
void SayMissing(ReportSet& answer, const std::vector<int64_t>& missing, int64_t count) {
  if (missing.empty()) return;
  const std::string which = NumberRanges(missing);
  answer.verdict =
      Say("{missing} of {count} shards are missing ({which}): their ranks are not in "
          "this answer. {verdict}",
          std::ssize(missing), count, Phrase::Name(which), answer.verdict);
  answer.run.notes.insert(answer.run.notes.begin(),
                          {"missing_shards", std::ssize(missing),
                           "shards have no partials: their ranks are not in this answer", which});
}

int RunReduce(const ReduceFlags& flags) {
  const auto conditions = ReadConditions(flags.output);
  if (!conditions) return Fail(conditions.error());
  if (const auto writable = CheckOutput(flags.output); !writable) return Fail(writable.error());
  const auto missing = Missing(flags);
  if (!missing) return Fail(missing.error());
  if (flags.expect && std::ssize(*missing) == *flags.expect)
    return Fail({fmt::format("all {} shards are missing", *flags.expect), flags.paths.front(),
                 "'stepscope map' makes them"});
  auto answer = Answer(flags.paths, flags.question);
  if (!answer) return Fail(answer.error());
  SayMissing(*answer, *missing, flags.expect.value_or(0));
  const int code = PrintAndJudge(*std::move(answer), flags.output, *conditions);
  return code == kDone && !missing->empty() ? kConditionHolds : code;
}

void AddReduce(Command& root) {
  auto flags = std::make_shared<ReduceFlags>();
  Command& command = root.Sub("reduce", "Report on all ranks from their partials");
  command.Argument("PATH", flags->paths, "Partials: directories, or files");
  command.Take("--expect", flags->expect)
      .Help("Number of shards: say first which are missing, and exit 1");
  AddQuestion(command, flags->question);
  AddStorageOptions(command, flags->question.storage_options);
  AddOutput(command, flags->output, "collectives.match_rate<90%");
  command.Examples({{"all ranks", "stepscope reduce part/"},
                    {"as JSON", "stepscope reduce part/ -o report.json"},
                    {"saying which shards are missing", "stepscope reduce part/ --expect 256"}});
  command.Notes(
      "The same as 'stepscope analyze': every command that opens traces opens partials.\n"
      "Analyses that need more than partials hold are left out.");
  command.Runs([flags] { return RunReduce(*flags); });
}

}  // namespace

void AddPartials(Command& root) {
  AddMap(root);
  AddMerge(root);
  AddMissing(root);
  AddReduce(root);
}

}  // namespace stepscope::cli
