// Says whether a job of several ranks shows no communication, and which kernels may be it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

// A kernel that runs beside the computation: only on streams that are not their device's busiest,
// on few multiprocessors, as kernels that move data do.
struct CommunicationCandidate {
  StringId name = 0;
  int64_t time = 0;  // ns, of all its activities
};

// The rank on which the same kernels take longer than on the others.
struct LongerRank {
  int64_t rank = 0;
  double share = 0;             // more than what they take on the others, the median
  std::vector<int64_t> others;  // ascending
};

struct MissingCommunication {
  // Ranks of the job, recorded or not, when it has several and no activity is known as
  // communication; else 0. Where no trace tells how many there are, at least this many:
  // the numbers of the recorded ranks may leave some out.
  int64_t world_size = 0;
  bool size_told = false;
  std::vector<CommunicationCandidate> candidates;  // by time, largest first
  // Where all ranks have as many steps, and one computes a tenth longer than the others, in most
  // of its steps and for a twentieth of them or more: in at least two kernels, candidates aside,
  // that run as often on all. What waits for it does so on the others, in one kernel more than on
  // it.
  std::optional<LongerRank> longer;

  // Whether the kernel is a candidate: no advice about computing may be for it.
  bool MayBe(StringId name) const;
};

const MissingCommunication& MissingCommunicationOf(const Facts& facts);

}  // namespace stepscope
