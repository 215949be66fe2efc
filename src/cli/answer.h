// What the subcommands that answer about traces share: the options of a question, the options of
// output, asking, printing, and judging.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "stepscope/condition.h"
#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/session.h"

namespace stepscope::cli {

// What is set once for all analyses.
struct SettingsFlags {
  std::vector<std::string> params;
  std::string groups;  // a file
};
void AddSettings(CLI::App& command, SettingsFlags& settings);
Result<Settings> ReadSettings(const SettingsFlags& flags);

struct Question {
  std::vector<std::string> only;
  std::string steps = "all";
  std::vector<int64_t> ranks;
  SettingsFlags settings;
  int threads = 0;
};
void AddQuestion(CLI::App& command, Question& question);

void AddThreads(CLI::App& command, int& threads);

// What the page can show: runs, folders of runs, ledgers.
void AddShownPaths(CLI::App& command, std::vector<std::string>& paths);

struct OutputFlags {
  std::string format = "text";
  std::string file;
  bool brief = false;  // of text: only the beginning of each report
};
void AddOutput(CLI::App& command, OutputFlags& output, std::vector<std::string>& fail_on);

// Opens the traces, with progress on the terminal, and asks.
Result<ReportSet> Answer(const std::vector<std::string>& paths, const Question& question);

Result<std::vector<Condition>> ReadConditions(const std::vector<std::string>& given);

// Prints the answer, and which conditions hold to stderr; the exit code.
int PrintAndJudge(const ReportSet& answer, const OutputFlags& output,
                  const std::vector<Condition>& conditions);

// Prints the error; the exit code.
int Fail(const Error& error);

}  // namespace stepscope::cli
