// Finds the ranks where lateness began, and what each costs the job.
//
// Ranks whose own work takes longer than it should are suspected (suspects.h). What that costs is a
// replay in which its units take what they should: the excess of a rank that waits anyway costs
// nothing. Of several, the one that costs most is taken out first, and the rest is asked again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "facts/derived/replay/job_critical.h"

namespace stepscope {

// A rank whose own work takes longer than it should.
struct OriginRank {
  uint32_t rank = 0;             // index into JobGraph::ranks
  std::optional<int64_t> since;  // number of the step; absent: in all, or at no clear step
  bool as_before = false;        // it is compared with its earlier steps, not with other ranks
  int64_t excess = 0;            // ns per step since then
  int64_t of_devices = 0;        // of it: kernels and copies
  WorkName of;                   // of the units with most of it; no name: nothing takes longer
  bool of_one_name = false;      // only these units were changed: it costs at least this
};

struct Origin {
  OriginRank late;
  // Others that are as late, of which it needs all to cost this; and those of its machine.
  std::vector<OriginRank> with;
  std::optional<int64_t> since;   // of the first of them; absent as there
  std::vector<int64_t> in_steps;  // their numbers, where it is late in some only; else empty
  // Of each of JobGraph::steps, ns; with those before taken out. Of a job's only rank, compared
  // with its earlier steps, at most what the step takes longer than their median.
  std::vector<int64_t> saved;
  std::vector<int64_t> alone;  // the same with nothing before taken out
  std::string change;          // what was asked, as job_change.h reads it
  // ns that each of JobGraph::members waits less, with those before taken out; messages: 0.
  std::vector<int64_t> waits_saved;
  // What bounds the job without it and those before, since the first step that any of them is late
  // in.
  CriticalPathOfJob path;
};

inline constexpr double kLeastCost = 0.03;  // of a step

struct Origins {
  std::vector<int64_t> recorded;  // of each of JobGraph::steps, how long it takes
  // The most costly first. Each saves kLeastCost and more than a replay errs by: at the median
  // since then, by 2.5 standard errors, and something in three of four steps; or so until another
  // is late, too, if it is far beyond its peers in all steps; or on average, if
  // that is saved in three steps or more in which the rank is far beyond its peers. Of processors,
  // which are busy with other things now and then, these must be four or more at regular intervals.
  std::vector<Origin> found;
  // Ranks whose own work takes longer, but without that steps are not so much shorter: they wait
  // for others anyway.
  std::vector<Origin> harmless;

  // The one that is about this rank, alone or with others; null: none is.
  const Origin* Of(const JobGraph& graph, int64_t rank) const;
};

const Origins& OriginsOf(const Facts& facts);

}  // namespace stepscope
