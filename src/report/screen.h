// Draws the first screen of an answer: at most 45 lines of 100 columns, whatever the job.
#pragma once

#include <string>

#include "stepscope/report.h"
#include "stepscope/write.h"

namespace stepscope {

// `style.more` is its last line: where to see more. Texts that are longer than their place end in
// "…"; at less than 100 columns there may be a few lines more.
std::string ToScreen(const ReportSet& answer, const TextStyle& style);

}  // namespace stepscope
