// Turns the status of NCCL's RAS service into what a job's ranks would have left: how many
// operations each enqueued in each communicator.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "hang/job.h"
#include "ingest/flight/rank_dump.h"
#include "ingest/ras/ras_status.h"
#include "stepscope/report.h"

namespace stepscope::hang {

struct RasJob {
  // By rank of the job, of members that answered. Where members of a communicator enqueued
  // different numbers of collectives, those with more wait for those with fewer.
  std::vector<RankDump> dumps;
  std::map<int64_t, RasMark> marks;  // of all members that something is wrong with
  // Ranks of the job are those of the largest communicator, if it has all processes; else they are
  // not known, and there are neither dumps nor marks.
  bool ranks_known = false;
  // Several statuses of different times have the same counts: the job does not move.
  bool steady = false;
};

RasJob JobOfRas(std::span<const RasStatus> statuses);

// The table "communicators": what is wrong in each, of the newest status.
Table CommunicatorsTable(std::span<const RasStatus> statuses);

}  // namespace stepscope::hang
