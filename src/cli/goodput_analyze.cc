// stepscope goodput analyze: reports where the time of a job went.
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "cli/answer.h"
#include "cli/goodput.h"
#include "cli/terminal.h"
#include "stepscope/goodput_walk.h"

namespace stepscope::cli {
namespace {

struct GoodputFlags {
  std::vector<std::string> events;
  std::string store, job, mode = "partition", at, window;
  std::vector<std::string> exclude;
  GoodputReportOptions options;  // what needs no reading
  std::string model;
  ProgramOptions program;
  double sequence = 0, peak_tflops = 0;
  std::vector<std::string> traces;
  WalkOptions walk;
  OutputFlags output;
};

// The error about an option's value, with both.
std::unexpected<Error> Wrong(Error error, std::string_view option, const std::string& value) {
  error.where = std::string(option) + " " + value;
  return std::unexpected(std::move(error));
}

Result<GoodputReportOptions> ToOptions(const GoodputFlags& flags) {
  GoodputReportOptions options = flags.options;
  options.files = flags.events;
  options.store = flags.store;
  options.job = flags.job;
  if (!flags.model.empty()) {
    const auto shape = ReadModelConfig(flags.model);
    if (!shape) return std::unexpected(shape.error());
    options.program = flags.program;
    options.program->shape = *shape;
    options.program->peak_flops = flags.peak_tflops * 1e12;
    if (flags.sequence > 0) options.program->shape.sequence = flags.sequence;
  }
  if (flags.mode == "ml-goodput") options.mode = GoodputMode::kMlGoodput;
  if (!flags.at.empty()) {
    const auto at = ParseGoodputTime(flags.at);
    if (!at) return Wrong(at.error(), "--at", flags.at);
    options.at = *at;
  }
  if (!flags.window.empty()) {
    const auto window = ParseGoodputInterval(flags.window);
    if (!window) return Wrong(window.error(), "--window", flags.window);
    options.window = *window;
  }
  for (const std::string& text : flags.exclude) {
    if (!options.exclusions) options.exclusions.emplace();
    if (text == "none") continue;
    const auto exclusion = ParseGoodputInterval(text);
    if (!exclusion) return Wrong(exclusion.error(), "--exclude", text);
    options.exclusions->push_back(*exclusion);
  }
  return options;
}

int RunGoodputAnalyze(const GoodputFlags& flags) {
  const auto options = ToOptions(flags);
  if (!options) return Fail(options.error());
  ProgressLine line;
  WalkOptions walk = flags.walk;
  walk.on_progress = [&](const Progress& progress) { line.Show(progress); };
  auto answer =
      flags.traces.empty() ? GoodputReport(*options) : GoodputWalk(*options, flags.traces, walk);
  line.Clear();
  return PrintAndJudge(std::move(answer), flags.output);
}

// A time that may be negative, in s: "-5h", "5h30m".
Option& TakeOffset(Command& command, std::string_view name, std::optional<int64_t>& into) {
  Option& option = command.TakeEach(name, [&into](const std::string& text) -> Result<void> {
    const bool west = text.starts_with('-');
    const auto time = ReadDuration(std::string_view(text).substr(west ? 1 : 0));
    if (!time) return std::unexpected(time.error());
    into = std::llround(west ? -*time : *time);
    return {};
  });
  option.arity = Option::Arity::kOne;
  return option;
}

// Options of what is not in the job's own events.
void AddProductivity(Command& command, GoodputFlags& flags) {
  GoodputReportOptions& options = flags.options;
  command.Group("Scheduler");
  command.Take("--scheduler", options.scheduler_files);
  command.Take("--scheduler-job", options.scheduler_job).Needs("--scheduler");
  TakeOffset(command, "--utc-offset", options.utc_offset).Needs("--scheduler");
  command.Take("--chips-per-pod", options.chips_per_pod).Range(1, 1'000'000).Needs("--scheduler");
  command.Take("--pods", options.pods).Range(0, 10'000'000).Needs("--scheduler");
  command.Group("Chips and MFU");
  command.Take("--chips", options.chips).Range(1, 1e9).Default("from --scheduler");
  command.Take("--price-per-chip-hour", options.price_per_chip_hour).Range(0, 1e9);
  command.Take("--chip", flags.program.chip).Needs("--model");
  command.Take("--peak-tflops", flags.peak_tflops).Range(1e-9, 1e9).Needs("--model");
  command.Take("--dtype", flags.program.dtype).Needs("--model");
  command.Take("--model", flags.model);
  command.Take("--sequence-length", flags.sequence).Range(1, 1e15).Needs("--model");
  command.Take("--tokens-per-second", flags.program.tokens_per_second)
      .Default("from events of work")
      .Range(1e-9, 1e18)
      .Needs("--model");
  command.Take("--traces", flags.traces);
  command.Take("--tokens-per-step", flags.walk.tokens_per_step)
      .Help("Tokens per step of all ranks, in --traces")
      .Range(1e-9, 1e18)
      .Needs("--traces")
      .Needs("--model");
}

}  // namespace

void AddGoodputAnalyze(Command& goodput) {
  auto flags = std::make_shared<GoodputFlags>();
  Command& command = goodput.Sub("analyze", "Report where the time of a job went");
  command.Take("--events", flags->events);
  command.Take("--store", flags->store).Excludes("--events");
  command.Take("--job", flags->job);
  command.Take("--at", flags->at);
  command.Take("--window", flags->window);
  command.Take("--exclude", flags->exclude);
  command.Take("--mode", flags->mode).Choices({"partition", "ml-goodput"});
  AddOutput(command, flags->output, "goodput.goodput_ratio<90%");
  AddProductivity(command, *flags);
  const std::string events = "stepscope goodput analyze --events job.jsonl ";
  command.Examples(
      {{"a job's log", "stepscope goodput analyze --events job.jsonl.gz"},
       {"a job of a ledger", "stepscope goodput analyze --store ledger --job NAME"},
       {"a running job", events + "--at now"},
       {"one hour", events + "--window 1780000000..1780003600"},
       {"without a planned pause", events + "--exclude 1780000000..1780086400"},
       {"numbers of ml-goodput-measurement 0.2.3", events + "--mode ml-goodput"},
       {"with queueing, MFU and cost",
        events + "--scheduler sacct.txt --scheduler-job 4711 --model config.json --chip H100 "
                 "--price-per-chip-hour 2.5"},
       {"exit 1 if goodput is below 90%", events + "--fail-on 'goodput.goodput_ratio<90%'"}});
  command.Notes(
      "Events are JSON lines of ml-goodput-measurement or of a recorder, or Cloud Logging "
      "exports;\n"
      "plain or gzip. --scheduler reads sacct -D -X --parsable2, scontrol show job, and kubectl "
      "get\n"
      "events -o json. 'stepscope report LEDGER' writes the same as HTML.");
  command.Runs([flags] { return RunGoodputAnalyze(*flags); });
}

}  // namespace stepscope::cli
