// Links operators of backward to those of forward that they are the gradients of: autograd gives
// both one sequence number, which counts on each thread of forward. Of several forward operators
// with one number the last one made it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/intervals.h"
#include "facts/facts.h"

namespace stepscope {

// Of each of HostOps::autograd the range of its forward operator; kNoRange: it is of forward, or
// that was not recorded.
std::vector<int32_t> ForwardOfBackward(const HostOps& host);

// ns in operators of backward, on all threads, whose forward operators this thread began in these
// stretches.
int64_t BackwardOf(const HostOps& host, uint32_t thread, const IntervalSet& stretches);

}  // namespace stepscope
