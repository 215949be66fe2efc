// Takes the processors of the host for the device of a job that has no accelerator.
//
// PyTorch over gloo, MPI or UCC: the outermost operators of each thread compute, the records that
// the library makes of its collectives ("gloo:all_reduce") communicate, and each thread is a
// stream.
#pragma once

#include "base/string_table.h"
#include "facts/activity/rank_activity.h"

namespace stepscope {

// Whether the recording says that the job computes on the host: it has no trace of an accelerator
// (activities, launches, properties of a device, collectives of a library for accelerators), and it
// names work that only processors do: collectives of gloo, MPI or UCC, or kernels of oneDNN. A
// recording that has neither may be of an accelerator whose activity was not recorded.
bool ComputesOnHost(const RankActivity& rank, const StringTable& names);

// Fills in activities, streams, devices and collectives from the host's ranges, and sets
// rank.on_host. Operators around a collective are no computing: those within are looked at
// instead. `group_size`: of the one process group there is, or -1 where there are several, since a
// collective does not say in which it was. `names` gets the collectives' operations. REQUIRES:
// ComputesOnHost(rank), steps are final.
void TakeHostForDevice(RankActivity& rank, StringTable& names, int64_t group_size);

}  // namespace stepscope
