// Finds which rank each wait in a collective is due to: where a replay finds the origins of
// lateness, what it does not wait without them is theirs, however many ranks pass it on.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/derived/collectives/wait_causes.h"

namespace stepscope {

// As WaitCausesOf(), which is the same where no origin was found.
const std::vector<WaitCause>& WaitOriginsOf(const Facts& facts);

// ns that all others wait because of each participant, by these; indexes are those of
// CollectiveFacts::ranks.
std::vector<int64_t> CausedWaitsOf(const Facts& facts);

}  // namespace stepscope
