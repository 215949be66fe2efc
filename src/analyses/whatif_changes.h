// Asks replays what changes of a job are worth: those of a user, and a list that is always asked.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/derived/python/frame_times.h"
#include "facts/derived/replay/job_critical.h"
#include "facts/derived/replay/origins.h"
#include "facts/derived/replay/slow_links.h"
#include "report/columns.h"
#include "stepscope/phrase.h"

namespace stepscope::whatif {

struct AskedChange {
  std::string text;              // as facts/derived/replay/job_change.h reads it
  std::optional<int64_t> since;  // number of the first step that counts; absent: all
  std::vector<int64_t> lengths;  // ns, of each of JobGraph::steps
  ColumnKind kind = ColumnKind::kNone;
  bool upper_bound = false;        // nobody can change so much: it tells how much there is to gain
  Phrase assumption = {};          // of a formula; empty: none
  const SlowLink* link = nullptr;  // that it mends
  // That others wait for most, or that does more since a step, though no origin was found there.
  std::optional<int64_t> rank;
  std::optional<FrameTimes::Leader> function;  // that it leaves out
  // Of one of the user's program that each rank runs about as much as the others: ns of a rank's
  // mean step, with all that it calls.
  std::optional<int64_t> on_all;
  Phrase in_steps = {};    // ", in steps 3 to 5": where it runs in some only
  CriticalPathOfJob path;  // what bounds the job then

  int64_t Saved(const Facts& facts) const;
};

struct AskedChanges {
  std::vector<AskedChange> list;
  // The rank that others wait for most, if it is clearly slower and no other does the same work, so
  // that nobody knows how long its own should take.
  std::optional<int64_t> without_peers;
};

// The first of JobGraph::steps that a mean counts, an index: that of number `since`; where that is
// absent, all count, but for a first one that on any rank is warm-up (BeginsWithWarmUp) or
// truncated. Slow ones count: what makes them slow is worth something.
size_t FirstOfMean(const Facts& facts, std::optional<int64_t> since);

// How many of these are slow on any rank.
size_t CountSlow(const Facts& facts, std::optional<int64_t> since);

// How long these steps took, ns: what `breakdown` says of them (TypicalStepsOf), where none is slow
// and the job's steps are those of its ranks; else the mean from the end of one, on all ranks, to
// that of the next.
int64_t RecordedStep(const Facts& facts, std::optional<int64_t> since);

// The mean of these, ns; of lengths that differ from those recorded, for what a change saves.
int64_t MeanStep(const Facts& facts, const std::vector<int64_t>& lengths,
                 std::optional<int64_t> since);

// Steps that a change leaves shorter than those before the one since which it counts.
struct ShorterSteps {
  int64_t before = 0;  // ns, the median
  int64_t since = 0;   // ns, the mean with the change

  int64_t Difference() const { return before - since; }
};

// Of `lengths`, those since this step, where that is more than a replay may err by, on processors,
// and steps since then take longer than those before.
// Then something else takes less since then. Ranks that wait leave processors to the others on
// their machine, and would not with the change: what it saves is at most what a replay says.
std::optional<ShorterSteps> ShorterThanBefore(const Facts& facts,
                                              const std::vector<int64_t>& lengths,
                                              std::optional<int64_t> since);

// Those that `set` names, first together, then each; then the standard ones, by what they save:
// ranks where lateness began, groups with slow links, input and links; and upper bounds last. Or
// what of `set` concerns nothing in the recording, and why. REQUIRES: JobGraph::steps is not empty,
// and ReadJobChanges can read `set`.
std::expected<AskedChanges, Phrase> AskChanges(const Facts& facts, std::string_view set);

}  // namespace stepscope::whatif
