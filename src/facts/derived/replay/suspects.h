// Finds ranks whose own work takes longer than it should: far longer than on ranks with the same
// work, or longer than in their own earlier steps. Whether that costs the job anything is another
// question (origins.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "facts/derived/replay/job_graph.h"

namespace stepscope {

struct Suspect {
  uint32_t rank = 0;              // index into JobGraph::ranks
  size_t first = 0;               // the first step that is late, index into JobGraph::steps
  std::vector<int64_t> expected;  // of each of its units, ns
  std::vector<size_t> late;       // steps in which it is far beyond its peers; indices
  bool as_before = false;         // these are from its own earlier steps, not from its peers
  bool of_one_name = false;       // only these units should take less:
  WorkName of;
  bool of_all = false;  // all that it does takes longer, not most of it of one name
  int64_t excess = 0;   // ns, of all steps since
  // Half of its machine's ranks or more are suspects, as where the machine is slow: nothing is
  // known to be better until all of these are.
  bool of_machine = false;
};

// The largest excess first, eight machines and other ranks at most, sixteen ranks of a machine.
// `usual_step`: ns. n log n.
std::vector<Suspect> FindSuspects(const JobGraph& graph, const std::vector<OwnWork>& work,
                                  double usual_step);

// ns that a rank's units take beyond what is expected, of each step.
std::vector<int64_t> BeyondExpected(const JobGraph& graph, const OwnWork& work,
                                    const std::vector<int64_t>& expected);

}  // namespace stepscope
