// Infers which ranks are members of groups that dumps do not name the members of.
//
// Members with a dump share the group's name. Another rank is a member only where that follows: it
// is in no other group of the description (a rank is in one "tp" group), and no more such ranks
// are left than the group lacks.
#pragma once

#include <cstdint>

#include "hang/job.h"

namespace stepscope::hang {

// Sets the ranks of the job, and of groups members, `perhaps`, `lacks_unknown` and `shared`. A rank
// that no dump and no `world_size` knows of becomes neither a member nor a rank of the job.
void InferMembers(Job& job, int64_t world_size);

}  // namespace stepscope::hang
