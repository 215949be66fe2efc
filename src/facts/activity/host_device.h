// Takes the processors of the host for the device of a job that has no accelerator.
//
// PyTorch over gloo, MPI or UCC: the outermost operators of each thread compute, the records that
// the library makes of its collectives ("gloo:all_reduce") and messages communicate, and each
// thread is a stream. JAX: the outermost operations of compiled programs compute ("dot.3"), or
// communicate ("all-reduce.2", "psum.5"); devices of the process are told apart where the recording
// says on which one each ran, and the threads that work for one are its streams.
#pragma once

#include <cstdint>

#include "base/string_table.h"
#include "facts/activity/rank_activity.h"

namespace stepscope {

// Whether the job computes on the host. That is known where the recording has no trace of an
// accelerator (activities, launches, properties or memory of a device, collectives or kernels of a
// library for accelerators) and names work that only processors do: collectives of gloo, MPI or
// UCC, kernels of oneDNN, or operations of JAX' programs on threads of XLA's client for processors.
// It is assumed where the recording names no such work, but operators ran, and the profiler looked
// for accelerators and found none (`lists_no_device`). All others may be of an accelerator whose
// activity was not recorded.
enum class OnHost : uint8_t { kUnknown, kAssumed, kKnown };
OnHost ComputesOnHost(const RankActivity& rank, const StringTable& names, bool lists_no_device);

// Fills in activities, streams, devices and collectives from the host's ranges, and sets
// rank.on_host. Operators that start collectives or wait for them ("c10d::send") communicate. Of an
// operator around one, what lies within is looked at, and what it does itself before it
// starts one. A message communicates while its thread waits for it: from the end of what the thread
// ran last. `group_size`: of the one process group there is; 0 where there are several: a
// collective does not say in which it was, but each group has threads of its own; -1: unknown.
// `names` gets the collectives' operations. Operators that load data, in a range that waits for the
// next batch, are no computing. REQUIRES: ComputesOnHost(rank), steps are final.
void TakeHostForDevice(RankActivity& rank, StringTable& names, int64_t group_size);

// Adds the collectives that a library recorded on the host, where a job with an accelerator has no
// others ("gloo:all_reduce" of tensors on GPUs): as communication, on streams behind those of the
// last device, one for each thread. Sets rank.host_communicates where there are any. `group_size`
// and REQUIRES as above.
void TakeHostCommunication(RankActivity& rank, StringTable& names, int64_t group_size);

// Takes back what TakeHostForDevice() filled in.
void TakeNoDevice(RankActivity& rank);

}  // namespace stepscope
