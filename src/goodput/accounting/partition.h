// Defines the query to an accounting and its answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/intervals.h"
#include "base/time_units.h"
#include "goodput/accounting/bucket.h"
#include "goodput/accounting/late_rank.h"
#include "goodput/events/event.h"
#include "stepscope/phrase.h"

namespace stepscope::goodput {

// Jobs that give no sign of life for so long have stopped, unless they recorded another limit.
inline constexpr int64_t kSilence = kHour;

struct PartitionQuery {
  // The current time, to which a running job extends. Absent or too early: its last event.
  std::optional<int64_t> at;
  std::optional<Interval> window;    // only this window; windows add up to the whole
  std::vector<Interval> exclusions;  // any order, may overlap
  bool periods = false;              // also fill Partition::periods
  // A job that gave no sign of life for so long has stopped, ns, unless it recorded another limit.
  // Absent: it runs.
  std::optional<int64_t> silence;
};

// The step that took longest beyond the usual, and the finished ones' only.
struct SlowStep {
  int64_t step = 0;
  int64_t beyond = 0;           // ns more than usual
  std::vector<int64_t> silent;  // ranks that gave no sign of life for most of it, unlike others
};

struct AttemptAccount {
  int64_t start = 0, end = 0;  // `end`: its last event
  bool ended = false;          // by a planned end
  bool running = false;
  bool preempted = false;
  bool in_process = false;
  bool new_job = false;  // the job before ended as planned; this one took its name
  std::optional<int64_t> first_step, last_step;
  int64_t steps = 0;
  std::string id;
  int64_t processes = 1;  // that recorded it
  Phrase cause;           // of its end, as the first process to go told it
  Phrase reason;          // the cause without ranks
  Phrase first_gone;      // "rank 2 on host-7": who went before the others
  Phrase behind;          // "rank 3 did not begin step 22"
  std::optional<LateRank> late_rank;
  std::optional<SlowStep> slowest;
  // ns from the begin of the longest span in which the attempt ended; 0: none, or it runs.
  int64_t open_time = 0;
  Bucket open_bucket = Bucket::kOther;
  int64_t after_steps = 0;  // ns without spans from the recorded end of the last step to its end
  std::string open_type;    // of a custom span
  BucketTimes times{};      // its part in the window
};

// An unplanned end of an attempt that another attempt followed.
struct Disruption {
  size_t attempt = 0;  // the attempt that ended
  int64_t time = 0;    // `end`: its last event
  bool announced = false;
  bool in_process = false;     // restarted in the same processes
  bool made_no_step = false;   // the attempt that ended had made none
  std::string text;            // the notice's message
  Phrase ended_by;             // the last word of the first process to go
  Phrase reason;               // the same without ranks
  Phrase first_gone;           // "rank 2 on host-7"
  bool by_two_clocks = false;  // `down` is by the clocks of two hosts, which nothing compares
  // Its cost; absent: unknown. `detect`, `queue` and `launch` are parts of `down`, known from
  // schedulers; the queue where both the request and the allocation are.
  int64_t down = 0;
  std::optional<int64_t> detect, queue, launch;
  int64_t start = 0;      // of the next attempt until its first step, without the restore
  int64_t restore = 0;    // reading the checkpoint
  int64_t startup = 0;    // the excess of the next attempt's first step
  int64_t recompute = 0;  // lost steps of the attempt
  int64_t hung = 0;       // in the step in which it ended, beyond the usual
  int64_t cost() const { return down + start + restore + startup + recompute + hung; }
};

// A stretch of time in one bucket.
struct Period {
  int64_t attempt = -1;  // index, also for the recovery after it; -1: before the first
  int64_t start = 0, end = 0;
  Bucket bucket = Bucket::kOther;
  friend bool operator==(const Period&, const Period&) = default;
};

struct SliceCount {
  int64_t time = 0;
  double active = 0, available = 0;  // shares of all slices
};

struct Partition {
  int64_t start = 0, end = 0;  // the window clipped to the job
  BucketTimes times{};
  std::vector<std::pair<std::string, int64_t>> custom;  // by type, the longest first
  int64_t async_loading = 0;  // of the whole job; overlaps steps, in no bucket
  int64_t disruptions = 0;    // in the window
  std::optional<int64_t> max_productive_step;
  bool running = false;  // the job has not ended
  // "running", "ended" as planned, "failed", "silent", or what the scheduler calls it; empty: no
  // events.
  std::string state;
  int64_t other_jobs = 0;  // processes of another job with the same name; not counted
  std::string other_job;   // the writer of one
  std::vector<AttemptAccount> attempts;
  std::vector<Disruption> disruption_list;
  std::optional<double> active_slices, available_slices;  // means over time
  std::optional<int64_t> open_step;                       // of a running job
  std::optional<int64_t> open_since;                      // its start
  // Of a running job: steps since the last recorded checkpoint, which a failure now would lose.
  // Absent: no checkpoint was recorded.
  std::optional<int64_t> steps_at_risk;
  // If requested: [start, end) in order, without gaps, none empty, neighbors joined.
  std::vector<Period> periods;
  int64_t suspended = 0;    // recovery after planned ends
  int64_t unaccounted = 0;  // total - sum of the buckets; not 0: a defect

  int64_t total() const { return end - start; }
  int64_t At(Bucket bucket) const { return times[static_cast<size_t>(bucket)]; }
  // productive / (total - excluded); absent if everything is excluded.
  std::optional<double> goodput() const {
    const int64_t counted = total() - At(Bucket::kExcluded);
    if (counted <= 0) return std::nullopt;
    return static_cast<double>(At(Bucket::kProductive)) / static_cast<double>(counted);
  }
};

}  // namespace stepscope::goodput
