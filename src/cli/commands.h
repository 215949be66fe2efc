// The subcommands: each adds its options to the parser and knows how to run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

namespace stepscope::cli {

inline constexpr int kDone = 0;
inline constexpr int kConditionHolds = 1;  // of --fail-on
inline constexpr int kCouldNot = 2;

// What to run once the command line is parsed; returns the exit code. The options it reads live in
// it.
using Command = std::function<int()>;

// Each adds one subcommand to `app` and puts into `chosen` what to run if it is the one given.
void AddAnalyze(CLI::App& app, Command& chosen);
void AddCompare(CLI::App& app, Command& chosen);
void AddExport(CLI::App& app, Command& chosen);
void AddServe(CLI::App& app, Command& chosen);
void AddReport(CLI::App& app, Command& chosen);
void AddList(CLI::App& app, Command& chosen);
void AddExplain(CLI::App& app, Command& chosen);
void AddDemo(CLI::App& app, Command& chosen);
void AddGoodput(CLI::App& app, Command& chosen);
void AddCompletions(CLI::App& app, Command& chosen);

}  // namespace stepscope::cli
