// One of the recordings that a file holds.
#pragma once

#include <vector>

#include "stepscope/report.h"
#include "trace/trace.h"

namespace stepscope {

struct Recording {
  Trace trace;
  std::vector<Note> notes;  // beside the trace's own, of kinds that only its format has
};

}  // namespace stepscope
