// The sentences a reader sees first.
#pragma once

#include <span>
#include <string>

#include "stepscope/report.h"

namespace stepscope {

// One or two sentences: the headline of the first report that answers, and the finding worth most.
std::string Verdict(std::span<const Report> reports);

}  // namespace stepscope
