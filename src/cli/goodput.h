// Adds the subcommands of `stepscope goodput` to the tree, as root.h does for commands.
#pragma once

#include "cli/command.h"

namespace stepscope::cli {

void AddGoodputAnalyze(Command& goodput);
void AddGoodputJobs(Command& goodput);
void AddGoodputImport(Command& goodput);
void AddGoodputExport(Command& goodput);
void AddGoodputCheck(Command& goodput);
void AddGoodputRepair(Command& goodput);
void AddGoodputCompact(Command& goodput);
void AddGoodputFleet(Command& goodput);
void AddGoodputPublish(Command& goodput);
void AddGoodputRename(Command& goodput);
void AddGoodputDelete(Command& goodput);
void AddGoodputMfu(Command& goodput);
void AddGoodputModel(Command& goodput);
void AddGoodputCollect(Command& goodput);
void AddGoodputSend(Command& goodput);
void AddGoodputWatch(Command& goodput);

}  // namespace stepscope::cli
