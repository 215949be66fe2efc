// What is asked of an accounting, and its answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "goodput/accounting/bucket.h"
#include "goodput/events/event.h"

namespace stepscope::goodput {

struct Interval {
  int64_t start = 0, end = 0;  // ns since the epoch, [start, end)
  friend bool operator==(const Interval&, const Interval&) = default;
};

struct Question {
  // Now: until then a running job runs. Without it, or when it is earlier: its last event.
  std::optional<int64_t> at;
  std::optional<Interval> window;    // only this part; parts add up to the whole
  std::vector<Interval> exclusions;  // any order, may overlap
  bool periods = false;              // also what happened when: Partition::periods
};

struct AttemptAccount {
  int64_t start = 0, end = 0;  // its last moment
  bool ended = false;          // as planned
  bool running = false;
  bool preempted = false;
  bool in_process = false;
  std::optional<int64_t> first_step, last_step;
  int64_t steps = 0;
  std::string id;
  BucketTimes times{};  // what of it lies in the window
};

// One time that an attempt stopped without a plan and another one followed.
struct Disruption {
  size_t attempt = 0;  // the one that stopped
  int64_t time = 0;    // its last moment
  bool announced = false;
  bool in_process = false;    // the processes lived on
  bool made_no_step = false;  // the attempt that stopped had made none
  std::string text;           // what the notice said
  // What it cost; absent: not known. `detect`, `queue` and `launch` are parts of the time down,
  // known when schedulers spoke.
  int64_t down = 0;
  std::optional<int64_t> detect, queue, launch;
  int64_t start = 0;      // of the next attempt until its first step, without the restore
  int64_t restore = 0;    // of which reading the checkpoint
  int64_t startup = 0;    // the excess of the next attempt's first step
  int64_t recompute = 0;  // steps of the attempt that were lost
  int64_t cost() const { return down + start + restore + startup + recompute; }
};

// A stretch of time that belongs to one bucket.
struct Period {
  int64_t attempt = -1;  // index; that of the time down after it, too; -1: before the first
  int64_t start = 0, end = 0;
  Bucket bucket = Bucket::kOther;
  friend bool operator==(const Period&, const Period&) = default;
};

struct SliceCount {
  int64_t time = 0;
  double active = 0, available = 0;  // share of all slices
};

struct Partition {
  int64_t start = 0, end = 0;  // all that was asked about: the window clipped to the job
  BucketTimes times{};
  std::vector<std::pair<std::string, int64_t>> custom;  // by type, the longest first
  int64_t async_loading = 0;  // of the whole job: beside the steps, in no bucket
  int64_t disruptions = 0;    // in the window
  std::optional<int64_t> max_productive_step;
  bool running = false;  // the job did not end
  std::vector<AttemptAccount> attempts;
  std::vector<Disruption> disruption_list;
  std::optional<double> active_slices, available_slices;  // means over time
  std::optional<int64_t> open_step;                       // of a running job
  // Of a running job: how many steps its current attempt has made since the last checkpoint it
  // told of, all that would be lost now. Absent: it told of none.
  std::optional<int64_t> steps_at_risk;
  // If asked for: [start, end) in order, without a gap, none empty, as few as can be.
  std::vector<Period> periods;
  int64_t suspended = 0;    // of the recovery what came after a planned end
  int64_t unaccounted = 0;  // total - sum of the buckets: 0, or the accounting is wrong

  int64_t total() const { return end - start; }
  int64_t At(Bucket bucket) const { return times[static_cast<size_t>(bucket)]; }
  // productive / (total - excluded); absent when nothing is left.
  std::optional<double> goodput() const {
    const int64_t counted = total() - At(Bucket::kExcluded);
    if (counted <= 0) return std::nullopt;
    return static_cast<double>(At(Bucket::kProductive)) / static_cast<double>(counted);
  }
};

}  // namespace stepscope::goodput
