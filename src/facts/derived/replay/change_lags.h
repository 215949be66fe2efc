// Makes the changes that people ask for: what each edge and transfer of the graph then takes.
#pragma once

#include <span>

#include "facts/derived/replay/job_change.h"
#include "facts/derived/replay/job_lags.h"

namespace stepscope {

// All changes together; factors on the same time multiply.
AskedLags LagsWith(const Facts& facts, std::span<const JobChange> changes);

}  // namespace stepscope
