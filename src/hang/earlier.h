// Finds operations that ended although their members called different things.
#pragma once

#include <cstdint>
#include <vector>

#include "hang/job.h"

namespace stepscope::hang {

// A mismatch that did not stop the job there: all that called it finished it.
struct Earlier {
  size_t group = 0;
  const DumpOperation* usual = nullptr;  // what most have, or the lowest ranks of equally many
  const DumpOperation* other = nullptr;
  std::vector<int64_t> ranks;   // that have `other`
  std::vector<int64_t> usuals;  // that have `usual`
};

// Of each group the first operation that differs, as far as dumps keep what is finished.
std::vector<Earlier> FindEarlier(const Job& job);

}  // namespace stepscope::hang
