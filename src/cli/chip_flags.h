// Adds options of a job's model and chips, from which MFU follows.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"
#include "stepscope/program_goodput.h"
#include "stepscope/result.h"

namespace stepscope::cli {

struct ChipFlags {
  std::string model;  // a config.json
  double sequence = 0;
  double peak_tflops = 0;
  ProgramOptions options;
};
void AddChipFlags(Command& command, ChipFlags& flags);

// Absent where none was given.
Result<std::optional<ProgramOptions>> ReadChipFlags(const ChipFlags& flags);

}  // namespace stepscope::cli
