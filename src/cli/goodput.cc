// stepscope goodput: how much of the time paid for became training progress.
#include "cli/goodput.h"

namespace stepscope::cli {

void AddGoodput(CLI::App& app, Command& chosen) {
  CLI::App* goodput =
      app.add_subcommand("goodput", "Say how much of the time paid for became training progress");
  goodput->require_subcommand(1);
  AddGoodputModel(*goodput, chosen);
}

}  // namespace stepscope::cli
