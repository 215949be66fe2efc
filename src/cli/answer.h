// Adds the options of a question and of output, asks, prints and judges, for all commands that
// print reports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "stepscope/condition.h"
#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/session.h"
#include "stepscope/write.h"

namespace stepscope::cli {

// Settings of all analyses.
struct SettingsFlags {
  std::vector<std::string> params;
  std::string groups;  // a file
};
void AddSettings(Command& command, SettingsFlags& settings);
Result<Settings> ReadSettings(const SettingsFlags& flags);

// --plugin, which RunProgram() has heard before commands are made.
void AddPlugins(Command& command);

struct Question {
  std::vector<std::string> only;
  std::string steps = "all";
  std::vector<int64_t> ranks;
  SettingsFlags settings;
  int threads = 0;
  int64_t max_input = 0;
  int64_t most_names = AnalyzeOptions().most_names;
  bool quiet = false;                             // no progress on the terminal
  std::vector<std::string> storage_options = {};  // of URLs
  std::optional<RedactOptions> redact = {};
};
// Options that select what to answer from; AddSettings() and AddThreads() come with them.
void AddQuestion(Command& command, Question& question);
// The same but for which analyses are asked.
void AddSelection(Command& command, Question& question);

void AddThreads(Command& command, int& threads);
void AddMaxInput(Command& command, int64_t& max_input);

// What the page can show: runs, directories of runs, ledgers.
void AddShownPaths(Command& command, std::vector<std::string>& paths);

struct OutputFlags {
  std::string format;    // empty: by the suffix of the file
  std::string language;  // empty: that of the terminal, and English for programs
  std::string file;
  TextStyle::Extent extent = TextStyle::Extent::kUsual;  // of text
  Phrase more;                                           // the last line of a screen
  std::vector<std::string> fail_on;
};
// `condition` is the example of --fail-on: one that the command's reports can be judged by.
void AddOutput(Command& command, OutputFlags& output, std::string_view condition);

// Opens the traces, with progress on the terminal, and asks. `traces` gets Session::Traces().
Result<ReportSet> Answer(const std::vector<std::string>& paths, const Question& question,
                         std::vector<RankTrace>* traces = nullptr);

Result<std::vector<Condition>> ReadConditions(const OutputFlags& output);

// As given, else by the suffix of the file: "a.json" is JSON, and text where it says nothing.
// Fails for files that only another command or program writes: pages and workbooks.
Result<Format> FormatOf(const OutputFlags& output);
// Whether an answer can be written as it is asked, before there is one.
Result<void> CheckOutput(const OutputFlags& output);

void AddLanguage(Command& command, std::string& language);

// Prints the answer, and which conditions hold to stderr; returns the exit code.
int PrintAndJudge(ReportSet answer, const OutputFlags& output,
                  const std::vector<Condition>& conditions);

// Prints the answer or the error, and judges it; returns the exit code.
int PrintAndJudge(Result<ReportSet> answer, const OutputFlags& output);

// The answer, or the error where the question names what the input does not have.
Result<ReportSet> Found(Result<ReportSet> answer);

// Prints the error; returns the exit code.
int Fail(const Error& error);

}  // namespace stepscope::cli
