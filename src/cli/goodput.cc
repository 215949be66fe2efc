// stepscope goodput: how much of the time paid for became training progress.
#include "cli/goodput.h"

namespace stepscope::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  stepscope goodput report --events job.jsonl.gz              where all the time of a job went
  stepscope goodput import job.jsonl.gz --store ledger        keep its events in a folder
  stepscope goodput mfu --config config.json --tokens-per-second 1.2e6 --chips 512 --chip H100
  stepscope goodput model --mtbf 11135 --save-time 60s --restart-time 10m      what to expect
  stepscope goodput serve DIR        take events over HTTP, and answer Prometheus
  stepscope goodput send --store DIR --to http://HOST:9461      ship events there from elsewhere
  stepscope goodput watch DIR        jobs as they run
)";

}  // namespace

void AddGoodput(CLI::App& app, Command& chosen) {
  CLI::App* goodput =
      app.add_subcommand("goodput", "Say how much of the time paid for became training progress");
  goodput->footer(kExamples);
  goodput->require_subcommand(1);
  AddGoodputReport(*goodput, chosen);
  AddGoodputJobs(*goodput, chosen);
  AddGoodputImport(*goodput, chosen);
  AddGoodputExport(*goodput, chosen);
  AddGoodputCompact(*goodput, chosen);
  AddGoodputMfu(*goodput, chosen);
  AddGoodputModel(*goodput, chosen);
  AddGoodputServe(*goodput, chosen);
  AddGoodputSend(*goodput, chosen);
  AddGoodputWatch(*goodput, chosen);
}

}  // namespace stepscope::cli
