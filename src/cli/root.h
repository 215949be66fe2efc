// Builds the tree of all commands. Each file adds one command: its options, examples, and function.
#pragma once

#include <memory>

#include "cli/command.h"

namespace stepscope::cli {

// "stepscope" with all its subcommands.
std::unique_ptr<Command> Root();

void AddAnalyze(Command& root);
void AddBrief(Command& root);
void AddShow(Command& root);
void AddTable(Command& root);
void AddQuery(Command& root);
void AddWhatif(Command& root);
void AddHang(Command& root);
void AddMemory(Command& root);
void AddCompare(Command& root);
void AddMcp(Command& root);
void AddSkill(Command& root);
void AddExport(Command& root);
// map, merge, missing and reduce.
void AddPartials(Command& root);
void AddCluster(Command& root);
void AddRedact(Command& root);
void AddServe(Command& root);
void AddReport(Command& root);
void AddList(Command& root);
void AddExplain(Command& root);
void AddDemo(Command& root);
void AddWatch(Command& root);
void AddCapture(Command& root);
void AddGoodput(Command& root);
// These print what the whole tree holds.
void AddCompletions(Command& root);
void AddMan(Command& root);

}  // namespace stepscope::cli
