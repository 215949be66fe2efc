// The options that say what the chips of running jobs can do: with them there is MFU.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "stepscope/program_goodput.h"
#include "stepscope/result.h"

namespace stepscope::cli {

struct ProgramFlags {
  std::string model;  // a config.json
  double sequence = 0;
  double peak_tflops = 0;
  ProgramOptions options;
};
void AddProgramFlags(CLI::App& command, ProgramFlags& flags);

// Absent where none was given.
Result<std::optional<ProgramOptions>> ReadProgramFlags(const ProgramFlags& flags);

}  // namespace stepscope::cli
