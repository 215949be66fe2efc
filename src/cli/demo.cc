// stepscope demo: writes a synthetic job.
#include "stepscope/demo.h"

#include <fmt/format.h>

#include <memory>
#include <ranges>
#include <string>
#include <vector>

#include "base/time_units.h"
#include "cli/answer.h"
#include "cli/leaves_nothing.h"
#include "cli/root.h"

namespace stepscope::cli {
namespace {

int RunDemo(const std::string& folder, const DemoOptions& options) {
  const LeavesNothing if_ended;
  const auto summary = WriteDemo(folder, options);
  if (!summary) return Fail(summary.error());
  fmt::print("{} traces with {} events ({:.1f} MB of JSON) in {}\n", options.ranks, summary->events,
             static_cast<double>(summary->raw_bytes) / 1e6, folder);
  fmt::print(
      "Its faults are in {}/truth.json. To find them:\n"
      "  stepscope analyze {}\n",
      folder, folder);
  return kDone;
}

// For jobs of thousands of ranks: hosts of eight, and few events of each rank.
void MakeLight(DemoOptions& options) {
  const DemoOptions usual;
  options.stacks = false;
  if (options.layers == usual.layers) options.layers = 2;
  if (options.ranks_per_host == usual.ranks_per_host) options.ranks_per_host = 8;
}

}  // namespace

void AddDemo(Command& root) {
  struct Flags {
    std::string folder;
    DemoOptions options;
    double clock_spread_s = 0, graph_capture_s = 0;
    std::vector<int64_t> slow_ranks;
    bool light = false;
  };
  auto flags = std::make_shared<Flags>();
  DemoOptions& options = flags->options;
  Command& command = root.Sub("demo", "Write the traces of a synthetic job with known faults");
  command.Argument("DIR", flags->folder, "Directory to write: missing, empty, or an earlier demo");
  command.Take("--ranks", options.ranks).Value("N").Help("Number of ranks").Default("4");
  command.Take("--devices", options.devices);
  command.Take("--steps", options.steps).Value("N").Help("Number of training steps").Default("4");
  command.Take("--layers", options.layers).Help("Layers; more layers, more events").Default("24");
  command.Take("--seed", options.seed);
  command.Take("--slow-rank", flags->slow_ranks).Range(-1, 16383);
  command.Take("--slow-factor", options.slow_factor);
  command.Take("--slow-device", options.slow_device);
  command.Take("--slow-since", options.slow_since);
  command.Take("--exposed", options.exposed_fraction);
  command.Take("--host-gap", options.host_gap_fraction);
  command.Switch("--gap-in-python", options.gap_in_python);
  command.Take("--ranks-per-host", options.ranks_per_host);
  command.Take("--slow-host", options.slow_host);
  command.Take("--slow-link", options.slow_link);
  command.Take("--tp", options.tensor);
  command.Take("--pp", options.pipeline);
  command.Take("--ep", options.expert_groups);
  command.Take("--microbatches", options.microbatches);
  command.Take("--clock-spread", flags->clock_spread_s);
  command.Take("--graph-capture", flags->graph_capture_s);
  command.Switch("--unknown-library", options.unknown_library, true);
  command.Take("--min-raw-bytes", options.min_raw_bytes);
  command.Switch("--light", flags->light);
  command.Switch("--no-stacks", options.stacks, false);
  command.Switch("--no-compress", options.compress, false);
  command.Examples(
      {{"four ranks", "stepscope demo /tmp/job"},
       {"a slow rank to find", "stepscope demo /tmp/job --ranks 8 --slow-rank 5"},
       {"a slow device among four of one process",
        "stepscope demo /tmp/job --ranks 1 --devices 4 --slow-device 2"},
       {"a rank that slows down at step 6",
        "stepscope demo /tmp/job --steps 7 --slow-rank 1 --slow-since 6"},
       {"a large job: two slow ranks, a slow host, a slow link, and clocks that differ",
        "stepscope demo /tmp/large --ranks 1024 --light --slow-rank 17 --slow-rank 500 "
        "--slow-host 40 --slow-link 3 --clock-spread 0.002"},
       {"tensor, pipeline and expert groups, and a slow rank among them",
        "stepscope demo /tmp/parallel --ranks 64 --light --tp 4 --pp 4 --ep 2 --slow-rank 21"},
       {"large traces", "stepscope demo /tmp/big --ranks 2 --min-raw-bytes 2000000000"}});
  command.Runs([flags] {
    DemoOptions asked = flags->options;
    asked.clock_spread = Nanoseconds(flags->clock_spread_s);
    asked.graph_capture = Nanoseconds(flags->graph_capture_s);
    if (flags->light) MakeLight(asked);
    // A small job has no rank of the default number: then it is the last one, and alone none.
    if (!flags->slow_ranks.empty()) {
      asked.slow_rank = static_cast<int>(flags->slow_ranks.front());
      for (const int64_t rank : flags->slow_ranks | std::views::drop(1))
        asked.other_slow_ranks.push_back(static_cast<int>(rank));
    } else if (asked.slow_rank >= asked.ranks) {
      asked.slow_rank = asked.ranks > 1 || asked.slow_device >= 0 ? asked.ranks - 1 : -1;
    }
    return RunDemo(flags->folder, asked);
  });
}

}  // namespace stepscope::cli
