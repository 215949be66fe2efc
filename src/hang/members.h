// Infers which ranks are members of groups that dumps do not name the members of.
//
// Members with a dump share the group's name. Of the others some can be told: all groups of one
// description (all "tp" groups) part the ranks of a job in one pattern.
#pragma once

#include <cstdint>

#include "hang/job.h"

namespace stepscope::hang {

// Sets members and `perhaps` of groups, and the ranks of the job: up to `world_size`, or to the
// highest that is known.
void InferMembers(Job& job, int64_t world_size);

}  // namespace stepscope::hang
