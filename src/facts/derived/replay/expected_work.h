// What the units of a rank would take if it did its work as others do, or as it did before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "facts/derived/replay/own_work.h"

namespace stepscope {

// ns of each of the rank's units: the median of its peers; as recorded where no peer has it.
std::vector<int64_t> ExpectedAsPeers(const std::vector<OwnWork>& work, uint32_t rank);

// ns of each unit: in the steps from `first` on (an index into JobGraph::steps), the median of the
// steps before, 0 of what few of them have; as recorded in those before. REQUIRES: first > 0.
std::vector<int64_t> ExpectedAsBefore(const OwnWork& work, size_t first);

}  // namespace stepscope
