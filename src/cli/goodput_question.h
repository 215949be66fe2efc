// Holds the options that say what `stepscope goodput analyze` reports on, for the command and for
// Python, whose keyword arguments they are.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/productivity_flags.h"
#include "stepscope/goodput_walk.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope::cli {

struct GoodputQuestion {
  std::vector<std::string> events;
  std::string store, job, mode = "partition", at, window;
  double ideal_step_time_s = 0;
  int64_t most_steps = GoodputReportOptions().most_steps;
  int64_t max_input = 0;
  std::vector<std::string> exclude;
  ProductivityFlags productivity;
  std::vector<std::string> traces;
  std::string watched, hang;
  WalkOptions walk;
  std::stop_token stop;
};

// Which events count and how, and what events do not tell; between the two a command has its own
// options. `question` outlives the command.
void AddGoodputEvents(Command& command, GoodputQuestion& question);
void AddGoodputContext(Command& command, GoodputQuestion& question);

// Fails where an option cannot be read, and as GoodputReport() and GoodputWalk().
Result<ReportSet> AnswerGoodput(const GoodputQuestion& question);

// A question as words, without those of the command: {"--events", "job.jsonl", "--at", "now"}.
// Fails on what `stepscope goodput analyze` does not know, and on how it would print.
Result<void> ReadGoodputQuestion(const std::vector<std::string>& words, GoodputQuestion& question);

}  // namespace stepscope::cli
