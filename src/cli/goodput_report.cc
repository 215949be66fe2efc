// stepscope goodput report: where the time of a job went.
#include "stepscope/goodput_report.h"

#include <memory>
#include <string>
#include <vector>

#include "cli/answer.h"
#include "cli/goodput.h"

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
  stepscope goodput report --events job.jsonl --fail-on 'goodput.goodput_ratio<0.9'

Events are JSON lines as ml-goodput-measurement caches them, or Cloud Logging exports; plain or
gzip. Times are seconds since the epoch.
)";

struct GoodputFlags {
  std::vector<std::string> events;
  std::string store, job, mode = "partition", at, window;
  std::vector<std::string> exclude;
  OutputFlags output;
  std::vector<std::string> fail_on;
};

Result<GoodputReportOptions> ToOptions(const GoodputFlags& flags) {
  GoodputReportOptions options{.files = flags.events, .store = flags.store, .job = flags.job};
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
  if (flags.events.empty() && flags.store.empty()) {
    return Fail({"there are no events to report on", "",
                 "name files with --events, or a ledger with --store"});
  }
  const auto conditions = ReadConditions(flags.fail_on);
  if (!conditions) return Fail(conditions.error());
  const auto options = ToOptions(flags);
  if (!options) return Fail(options.error());
  const auto answer = GoodputReport(*options);
  if (!answer) return Fail(answer.error());
  return PrintAndJudge(*answer, flags.output, *conditions);
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
  command->add_option("--store", flags->store, "A ledger's folder, instead of files")
      ->option_text("DIR")
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
  AddOutput(*command, flags->output, flags->fail_on);
  command->callback([flags, &chosen] { chosen = [flags] { return Run(*flags); }; });
}

}  // namespace stepscope::cli
