// Splits collectives into wait time for the last rank and transfer time.
#pragma once

#include "facts/collectives/collective_facts.h"

namespace stepscope {

// Splits every collective by the ranks' clocks as they stand in `facts.ranks`.
void SplitCollectives(CollectiveFacts& facts);

}  // namespace stepscope
