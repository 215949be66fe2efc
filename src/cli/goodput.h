// The subcommands of `stepscope goodput`: each adds itself to the parser, as those in commands.h
// do.
#pragma once

#include "cli/commands.h"

namespace stepscope::cli {

void AddGoodputReport(CLI::App& goodput, Command& chosen);
void AddGoodputJobs(CLI::App& goodput, Command& chosen);
void AddGoodputImport(CLI::App& goodput, Command& chosen);
void AddGoodputExport(CLI::App& goodput, Command& chosen);
void AddGoodputCompact(CLI::App& goodput, Command& chosen);
void AddGoodputMfu(CLI::App& goodput, Command& chosen);
void AddGoodputModel(CLI::App& goodput, Command& chosen);
void AddGoodputServe(CLI::App& goodput, Command& chosen);
void AddGoodputSend(CLI::App& goodput, Command& chosen);
void AddGoodputWatch(CLI::App& goodput, Command& chosen);

}  // namespace stepscope::cli
