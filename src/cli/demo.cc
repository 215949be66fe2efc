// stepscope demo: a job made up on the spot, to try things on.
#include "stepscope/demo.h"

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/terminal.h"

namespace stepscope::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  stepscope demo /tmp/job && stepscope analyze /tmp/job
  stepscope demo /tmp/job --ranks 8 --slow-rank 5 --slow-factor 1.4
  stepscope demo /tmp/big --ranks 2 --min-raw-bytes 2000000000
)";

int Run(const std::string& folder, const DemoOptions& options) {
  const auto summary = WriteDemo(folder, options);
  if (!summary) {
    PrintError(summary.error());
    return kCouldNot;
  }
  fmt::print("{} traces with {} events ({:.1f} MB of JSON) in {}\n", options.ranks, summary->events,
             static_cast<double>(summary->raw_bytes) / 1e6, folder);
  fmt::print(
      "What is wrong with the job is in {}/truth.json; to find out without looking:\n"
      "  stepscope analyze {}\n",
      folder, folder);
  return kDone;
}

}  // namespace

void AddDemo(CLI::App& app, Command& chosen) {
  auto folder = std::make_shared<std::string>();
  auto options = std::make_shared<DemoOptions>();
  CLI::App* command =
      app.add_subcommand("demo", "Write the traces of a made-up job with known faults to a folder");
  command->footer(kExamples);
  command->add_option("DIR", *folder, "The folder; it is made, or must hold nothing but a demo")
      ->required();
  const auto add = [&](const char* flag, auto& value, const char* message) {
    return command->add_option(flag, value, message)->capture_default_str();
  };
  add("--ranks", options->ranks, "How many ranks");
  add("--steps", options->steps, "How many training steps");
  add("--layers", options->layers, "How many layers the model has: more layers, more events");
  add("--seed", options->seed, "Same seed, same bytes");
  const CLI::Option* slow_rank =
      add("--slow-rank", options->slow_rank, "The rank with slow compute kernels; -1: none");
  add("--slow-factor", options->slow_factor, "How much longer its kernels take");
  add("--exposed", options->exposed_fraction, "Share of all-reduce time that nothing hides, 0..1");
  add("--host-gap", options->host_gap_fraction,
      "Share of each step in which the host is late, 0..1");
  add("--clock-spread", options->clock_spread, "By how many ns each rank's clock is wrong at most");
  add("--min-raw-bytes", options->min_raw_bytes, "Add steps until every trace has this many bytes");
  command->add_flag("!--no-stacks", options->stacks, "Leave Python stacks and shapes out");
  command->add_flag("!--no-compress", options->compress, "Write .json instead of .json.gz");
  command->callback([folder, options, slow_rank, &chosen] {
    // A small job has no such rank unless somebody asks: then it is the last one, and alone nobody
    // is slow.
    if (slow_rank->empty() && options->slow_rank >= options->ranks) {
      options->slow_rank = options->ranks > 1 ? options->ranks - 1 : -1;
    }
    chosen = [folder, options] { return Run(*folder, *options); };
  });
}

}  // namespace stepscope::cli
