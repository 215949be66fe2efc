// Where an answer is written: a file or standard output. That it can be is known before the work
// begins, and no input is ever written over.
#pragma once

#include <span>
#include <string>

#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope::cli {

// "" and "-" are standard output.
bool IsStandardOutput(const std::string& file);

// Fails where the file could not be written: its folder is missing or may not be written to, or a
// folder has its name.
Result<void> CheckOutput(const std::string& file);

// Writes `text`. Fails, with nothing written, if the file is one of the traces it was made from.
Result<void> WriteOutput(const std::string& text, const std::string& file,
                         std::span<const InputFile> inputs);

}  // namespace stepscope::cli
