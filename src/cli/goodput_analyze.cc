// stepscope goodput analyze: reports where the time of a job went.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/saturate.h"
#include "base/time_units.h"
#include "cli/answer.h"
#include "cli/goodput.h"
#include "cli/productivity_flags.h"
#include "cli/terminal.h"
#include "stepscope/goodput_walk.h"

namespace stepscope::cli {
namespace {

struct GoodputFlags {
  std::vector<std::string> events;
  std::string store, job, mode = "partition", at, window;
  double ideal_step_time_s = 0;
  int64_t most_steps = GoodputReportOptions().most_steps;
  std::vector<std::string> exclude;
  ProductivityFlags productivity;
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
  auto read = ReadProductivityFlags(flags.productivity);
  if (!read) return read;
  GoodputReportOptions options = std::move(*read);
  options.files = flags.events;
  options.store = flags.store;
  options.job = flags.job;
  if (flags.mode == "ml-goodput") options.mode = GoodputMode::kMlGoodput;
  options.ideal_step_time = RoundToInt64(flags.ideal_step_time_s * kSecond);
  options.most_steps = flags.most_steps;
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

void AddTraces(Command& command, GoodputFlags& flags) {
  command.Take("--traces", flags.traces);
  command.Take("--tokens-per-step", flags.walk.tokens_per_step)
      .Help("Tokens per step of all ranks, in --traces")
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
  command.Take("--ideal-step-time", flags->ideal_step_time_s).Range(1e-6, 1e9).Needs("--mode");
  command.Take("--most-steps", flags->most_steps).Range(1, 1e12).Needs("--mode");
  AddOutput(command, flags->output, "goodput.goodput_ratio<90%");
  AddProductivityFlags(command, flags->productivity);
  AddTraces(command, *flags);
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
