// Finds which rank each wait in a collective is due to: where a replay finds the origins of
// lateness, what it does not wait without them is theirs, however many ranks pass it on.
#pragma once

#include <vector>

#include "facts/derived/collectives/wait_causes.h"

namespace stepscope {

// As WaitCausesOf(), which is the same where no origin was found.
const std::vector<WaitCause>& WaitOriginsOf(const Facts& facts);

}  // namespace stepscope
