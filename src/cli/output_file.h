// Writes an answer to a file or standard output. Checks that it can before the work begins, and
// never writes over an input.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/write.h"

namespace stepscope::cli {

// "" and "-" are standard output.
bool IsStandardOutput(const std::string& file);

// Fails if the file cannot be written: its directory is missing or not writable, or it is one.
Result<void> CheckOutput(const std::string& file);

// Fails, with nothing written, if the file is one of the traces that were read.
Result<void> CheckNotInput(const std::string& file, std::span<const InputFile> inputs);

// Writes `text`. Fails, with nothing written, if the file is one of the traces it was made from.
Result<void> WriteOutput(const std::string& text, const std::string& file,
                         std::span<const InputFile> inputs);

// Whether the name is one of a directory: it ends in '/'.
bool NamesDirectory(const std::string& file);

// Writes each text to a file of its name in `directory`, which is made where it is missing.
Result<void> WriteOutputs(const std::vector<NamedText>& texts, const std::string& directory,
                          std::span<const InputFile> inputs);

}  // namespace stepscope::cli
