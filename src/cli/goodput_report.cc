// stepscope goodput report: where the time of a job went.
#include <memory>
#include <string>
#include <vector>

#include "cli/answer.h"
#include "cli/goodput.h"
#include "cli/terminal.h"
#include "stepscope/goodput_walk.h"

namespace stepscope::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  stepscope goodput report --events job.jsonl.gz              where all the time went
  stepscope goodput report --store ledger --job NAME          of a job in a ledger
  stepscope goodput report --events job.jsonl --at now        of a job that still runs
  stepscope goodput report --events job.jsonl --window 1780000000..1780003600
  stepscope goodput report --events job.jsonl --exclude 1780000000..1780086400     a planned pause
  stepscope goodput report --events export.json --format json -o goodput.json
  stepscope goodput report --events job.jsonl --mode ml-goodput     what that library would say
  stepscope goodput report --events job.jsonl --scheduler sacct.txt --scheduler-job 4711 \
      --config config.json --chip H100 --price-per-chip-hour 2.5      and what was lost in money
  stepscope goodput report --events job.jsonl --fail-on 'goodput.goodput_ratio<0.9'

Events are JSON lines as ml-goodput-measurement caches them, or Cloud Logging exports; plain or
gzip. Times are seconds since the epoch.
)";

struct GoodputFlags {
  std::vector<std::string> events;
  std::string store, job, mode = "partition", at, window;
  std::vector<std::string> exclude;
  GoodputReportOptions options;  // what needs no reading
  std::string model_config;
  ProgramOptions program;
  double sequence = 0;
  std::vector<std::string> traces;
  WalkOptions walk;
  OutputFlags output;
  std::vector<std::string> fail_on;
};

Result<GoodputReportOptions> ToOptions(const GoodputFlags& flags) {
  GoodputReportOptions options = flags.options;
  options.files = flags.events;
  options.store = flags.store;
  options.job = flags.job;
  if (!flags.model_config.empty()) {
    const auto shape = ReadModelConfig(flags.model_config);
    if (!shape) return std::unexpected(shape.error());
    options.program = flags.program;
    options.program->shape = *shape;
    if (flags.sequence > 0) options.program->shape.sequence = flags.sequence;
  }
  if (flags.mode == "ml-goodput") options.mode = GoodputMode::kMlGoodput;
  if (!flags.at.empty()) {
    const auto at = ParseGoodputTime(flags.at);
    if (!at) return std::unexpected(at.error());
    options.at = *at;
  }
  if (!flags.window.empty()) {
    const auto window = ParseGoodputInterval(flags.window);
    if (!window) return std::unexpected(window.error());
    options.window = *window;
  }
  for (const std::string& text : flags.exclude) {
    if (!options.exclusions) options.exclusions.emplace();
    if (text == "none") continue;
    const auto exclusion = ParseGoodputInterval(text);
    if (!exclusion) return std::unexpected(exclusion.error());
    options.exclusions->push_back(*exclusion);
  }
  return options;
}

int Run(const GoodputFlags& flags) {
  const auto conditions = ReadConditions(flags.fail_on);
  if (!conditions) return Fail(conditions.error());
  const auto options = ToOptions(flags);
  if (!options) return Fail(options.error());
  ProgressLine line;
  WalkOptions walk = flags.walk;
  walk.on_progress = [&](const Progress& progress) { line.Show(progress); };
  const auto answer =
      flags.traces.empty() ? GoodputReport(*options) : GoodputWalk(*options, flags.traces, walk);
  line.Clear();
  if (!answer) return Fail(answer.error());
  return PrintAndJudge(*answer, flags.output, *conditions);
}

// What is not in the job's own events.
void AddProductivity(CLI::App& command, GoodputFlags& flags) {
  GoodputReportOptions& options = flags.options;
  command
      .add_option(
          "--scheduler", options.scheduler_files,
          "What a scheduler printed: sacct -D -X --parsable2, scontrol show job, or kubectl "
          "get events -o json")
      ->type_name("FILE");
  command.add_option("--scheduler-job", options.scheduler_job, "The job's name or id there")
      ->option_text("NAME");
  command
      .add_option("--utc-offset", options.utc_offset,
                  "Seconds by which Slurm's times are east of UTC; else: this machine's zone")
      ->option_text("S");
  command.add_option("--chips-per-pod", options.chips_per_pod, "Chips of a pod of Kubernetes")
      ->check(CLI::Range(1, 1'000'000))
      ->option_text("N [1]");
  command
      .add_option("--pods", options.pods, "Pods the job needs; else: as many as there ever were")
      ->check(CLI::Range(0, 10'000'000))
      ->option_text("N");
  command
      .add_option("--config", flags.model_config,
                  "The model's config.json, for program goodput: 'stepscope goodput mfu --help'")
      ->type_name("FILE");
  command.add_option("--sequence", flags.sequence, "Tokens in a sequence, if not the config's")
      ->option_text("N");
  command
      .add_option("--tokens-per-second", flags.program.tokens_per_second,
                  "While it makes steps; else: from the job's events of work")
      ->option_text("N");
  command
      .add_option("--traces", flags.traces,
                  "Traces of some of its steps: where the time of a step goes")
      ->type_name("PATH");
  command
      .add_option("--tokens-per-step", flags.walk.tokens_per_step,
                  "Of all ranks: with --traces, their step time tells the tokens per second")
      ->option_text("N");
  command.add_option("--chip", flags.program.chip, "Which chips: H100, 'TPU v5p', ...")
      ->option_text("NAME");
  command.add_option("--dtype", flags.program.dtype, "Of matrix products: bf16, fp8, ...")
      ->option_text("TYPE [bf16]");
  command.add_option("--chips", options.chips, "How many; else: what the scheduler gave")
      ->option_text("N");
  command
      .add_option("--price-per-chip-hour", options.price_per_chip_hour,
                  "What a chip costs in an hour, in any money")
      ->option_text("N");
}

}  // namespace

void AddGoodputReport(CLI::App& goodput, Command& chosen) {
  auto flags = std::make_shared<GoodputFlags>();
  CLI::App* command = goodput.add_subcommand("report", "Say where the time of a job went");
  command->footer(kExamples);
  CLI::Option* events =
      command
          ->add_option("--events", flags->events, "Files of events, in order (.jsonl, .json, .gz)")
          ->type_name("FILE");
  command
      ->add_option("--store", flags->store,
                   "A ledger instead of files: a folder, or postgresql://...")
      ->option_text("LEDGER")
      ->excludes(events);
  command->add_option("--job", flags->job, "The job, where the events are of several")
      ->option_text("NAME");
  command
      ->add_option("--mode", flags->mode,
                   "partition: every nanosecond in one bucket; ml-goodput: the numbers of "
                   "ml-goodput-measurement 0.2.3, quirks included")
      ->option_text("MODE [partition]")
      ->check(CLI::IsMember({"partition", "ml-goodput"}));
  command
      ->add_option("--at", flags->at,
                   "Until when a running job runs: seconds, or now; later events do not count. "
                   "Else: its last event")
      ->option_text("TIME");
  command->add_option("--window", flags->window, "Only the time from A to B")->option_text("A..B");
  command
      ->add_option("--exclude", flags->exclude,
                   "Do not count the time from A to B; may be given several times")
      ->option_text("A..B")
      ->allow_extra_args(false);
  AddProductivity(*command, *flags);
  AddOutput(*command, flags->output, flags->fail_on);
  command->callback([flags, &chosen] { chosen = [flags] { return Run(*flags); }; });
}

}  // namespace stepscope::cli
