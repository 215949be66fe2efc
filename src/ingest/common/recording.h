// One of the recordings that a file holds.
#pragma once

#include <vector>

#include "stepscope/rank_trace.h"
#include "stepscope/report.h"
#include "trace/trace.h"

namespace stepscope {

struct Recording {
  Trace trace;
  std::vector<Note> notes;  // beside the trace's own, of kinds that only its format has
  RankTrace source;         // of a partial: the trace that it was made of
};

}  // namespace stepscope
