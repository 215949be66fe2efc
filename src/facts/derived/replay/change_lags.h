// Makes the changes that people ask for: what each edge and transfer of the graph then takes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "facts/derived/replay/job_change.h"
#include "facts/derived/replay/job_lags.h"

namespace stepscope {

struct AskedLags {
  ChangedLags lags;
  // The change that nothing in the recording is concerned by, and why; empty: there is none.
  std::string absent;
  int64_t saved_by_formula = 0;  // ns per step, beside what the lags save
  // What was assumed where a change is more than other durations; empty: nothing.
  std::string assumption;
};

// All changes together; factors on the same time multiply.
AskedLags LagsWith(const Facts& facts, std::span<const JobChange> changes);

}  // namespace stepscope
