// Adds options of what a job's own events do not tell: the scheduler's record, the chips, their
// price, and the model.
#pragma once

#include <string>

#include "cli/command.h"
#include "stepscope/goodput_report.h"
#include "stepscope/result.h"

namespace stepscope::cli {

struct ProductivityFlags {
  GoodputReportOptions options;  // what needs no reading
  ProgramOptions program;
  std::string model;  // a config.json
  double sequence = 0, peak_tflops = 0;
};
// Under the headings "Scheduler" and "Chips and MFU", the last of which stays open.
void AddProductivityFlags(Command& command, ProductivityFlags& flags);

// `flags.options` with the program, where a model was given. Fails if it cannot be read.
Result<GoodputReportOptions> ReadProductivityFlags(const ProductivityFlags& flags);

}  // namespace stepscope::cli
