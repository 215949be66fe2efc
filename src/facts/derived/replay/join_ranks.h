// Joins the dependencies of all ranks into one graph.
#pragma once

#include "facts/derived/replay/job_graph.h"

namespace stepscope {

// Linear but for sorting the moments of each rank.
const JobGraph& JobGraphOf(const Facts& facts);

}  // namespace stepscope
