// Folds who waits for whom into few groups of ranks, for a picture.
#pragma once

#include "hang/judge.h"
#include "stepscope/report.h"

namespace stepscope::hang {

// The table "wait_groups": one row for each group of ranks that wait in operations of one kind, and
// each group that they wait for. Roots stand alone, others with those that are as many waits away
// from a root. At most 64 rows, nearest to roots first. `ranks` and `waits_for` are those of the
// groups that wait and are awaited there, `from` and `to` all of the groups. A root that no wait
// leads to has a row with `waits_for` and `to` alone.
Table WaitGroupsTable(const Job& job, const Judgement& judgement);

}  // namespace stepscope::hang
