// Computes scheduling goodput: the share of requested time in which a job had all its chips,
// healthy.
//
//   job's scheduling goodput = time with all requested chips allocated and healthy / time wanted
//
// Time is wanted from submission to end, except while the user held or paused the job. A
// synchronous job makes no progress with a part of its chips; for an elastic one `share` weights
// each moment by the part it had. Definition: facts of "ML Productivity Goodput" (Google Cloud,
// 2024) and of MPG (arXiv 2502.06982), whose scheduling goodput is the same over a fleet's
// chip-time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "goodput/accounting/partition.h"
#include "goodput/events/event.h"
#include "goodput/events/state_bytes.h"

namespace stepscope::goodput {

// Adds up to the time from the job's first event to now or its end.
struct SchedulingTimes {
  int64_t all_up = 0;     // ns with all chips, healthy
  int64_t unhealthy = 0;  // with all chips, of which some were not healthy
  int64_t partial = 0;    // with a part of the chips
  int64_t waiting = 0;    // with none
  int64_t paused = 0;     // not wanted: held or suspended by the user
  double share = 0;       // ns, each weighed by healthy / requested

  int64_t wanted() const { return all_up + unhealthy + partial + waiting; }
  std::optional<double> goodput() const {
    if (wanted() <= 0) return std::nullopt;
    return static_cast<double>(all_up) / static_cast<double>(wanted());
  }
  std::optional<double> elastic_goodput() const {
    if (wanted() <= 0) return std::nullopt;
    return share / static_cast<double>(wanted());
  }
};

// Takes the events of one job in any order and ignores all but the scheduler's. Memory and query
// cost grow with allocation changes, not with steps.
class Scheduling {
 public:
  void Add(const Event& event);

  // Whether the events hold allocations; without them there is no answer.
  bool known() const { return !changes_.empty(); }

  // Times until `now` or the job's end, the earlier one; within `window`, if given.
  SchedulingTimes Query(int64_t now, const std::optional<Interval>& window = {}) const;

  int64_t most_requested() const;  // chips; 0: none were

  std::optional<int64_t> first() const;  // time of the earliest event

  void Save(StateWriter& out) const;
  void Load(StateReader& in);

 private:
  struct Change {
    int64_t time = 0;
    int64_t requested = 0, allocated = 0, healthy = 0;
  };
  std::vector<Change> changes_;  // in order of arrival
};

}  // namespace stepscope::goodput
