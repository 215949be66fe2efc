// Marks kernels as communication that the call of a collective launched, whatever their names.
//
// Frameworks and libraries put a range around the launch of a collective that is named after the
// call: "nccl:all_reduce" of PyTorch's process groups, "ncclAllReduce" of NCCL itself. A kernel is
// communication if the innermost annotation around its launch is such a range, and its own name
// does not say that it computes: a call may also copy and cast.
#pragma once

#include "trace/trace.h"

namespace stepscope {

// A note has the number of kernels. Kernels of a graph stay as they are: one launch stands for all.
// To be called once, when all events are there. Linear but for sorting, and one look at each name
// where no range is a collective's.
void MarkKernelsOfCollectiveCalls(Trace& trace);

}  // namespace stepscope
