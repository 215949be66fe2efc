// Joins the snapshots of continuous profiling (ingest/rank_name.h) into one run: windows of the
// rank that recorded them.
#pragma once

#include <vector>

#include "session/load_file.h"
#include "stepscope/report.h"

namespace stepscope {

// Whether both are snapshots of one process, and `next` records a time again that `previous` has,
// as where a server keeps what was fetched. REQUIRES: `previous` began first.
bool RepeatsSnapshot(const LoadedFile& previous, const LoadedFile& next);

// Lets the numbers of steps go on from window to window where each snapshot numbers its own from 0,
// as those that nothing marks. Ranks keep the same numbers. REQUIRES: windows are numbered.
void NumberStepsOn(std::vector<LoadedFile>& files);

// Notes how many snapshots were joined, and how much time between them nobody recorded. REQUIRES:
// by rank and window.
void NoteSnapshots(const std::vector<LoadedFile>& files, RunInfo& info);

}  // namespace stepscope
