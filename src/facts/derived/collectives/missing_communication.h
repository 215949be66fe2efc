// Says whether a job of several ranks shows no communication, and which kernels may be it.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

// A kernel that runs beside the computation: only on streams that are not their device's busiest,
// on few multiprocessors, as kernels that move data do.
struct CommunicationCandidate {
  StringId name = 0;
  int64_t time = 0;  // ns, of all its activities
};

struct MissingCommunication {
  // Ranks of the job, recorded or not, when it has several and no activity is known as
  // communication; else 0.
  int64_t world_size = 0;
  std::vector<CommunicationCandidate> candidates;  // by time, largest first

  // Whether the kernel is a candidate: no advice about computing may be for it.
  bool MayBe(StringId name) const;
};

const MissingCommunication& MissingCommunicationOf(const Facts& facts);

}  // namespace stepscope
