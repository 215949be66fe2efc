// Answers the questions of `stepscope whatif`, one file each.
#pragma once

#include <string>
#include <vector>

#include "cli/answer.h"

namespace stepscope::cli {

// --straggler: what stragglers cost; returns the exit code.
int RunWhatifStraggler(const std::vector<std::string>& paths, int threads,
                       const OutputFlags& output);

}  // namespace stepscope::cli
