// Accounts for the time of one job: every nanosecond from its submission or start to now or its end
// is in exactly one bucket.
//
// Add() takes events in log order at constant cost. The cost of Query() grows with attempts and
// overlays, not with steps. The rules:
//
// - An attempt begins with a job start, a new attempt id, a resume marker or a step number that
//   goes back; of several recording processes, with a new process of the same rank (see lineup.h).
//   It lasts until its last event. An unplanned end is a disruption, and so is an end after a
//   preemption notice.
// - A step is kept if every later attempt with steps began after it; otherwise it is wasted
//   progress. The open step of a disrupted attempt is wasted, unless the next one continued after
//   it. The open step of a running job is in progress.
// - Overlays (see Bucket) take their time from the attempt's course. A step with a recorded end
//   lasts until it.
// - Startup is the excess of the first step over the mean of the attempt's others.
// - Recovery lasts from an attempt's end to the next start, also after a planned end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "goodput/accounting/attempt.h"
#include "goodput/accounting/bucket.h"
#include "goodput/accounting/lineup.h"
#include "goodput/accounting/partition.h"
#include "goodput/accounting/recording.h"
#include "goodput/accounting/scheduling.h"
#include "goodput/accounting/stalls.h"
#include "goodput/accounting/step_clock.h"
#include "goodput/events/event.h"
#include "goodput/events/notes.h"
#include "stepscope/sign_of_life.h"

namespace stepscope::goodput {

class Accounting {
 public:
  Accounting() = default;
  Accounting(const Accounting& other) { *this = other; }
  Accounting& operator=(const Accounting& other);
  Accounting(Accounting&&) = default;
  Accounting& operator=(Accounting&&) = default;

  void Add(const Event& event);

  // Adds a scheduler's event as if it had come in order, before later events already added.
  void AddLate(const Event& event);

  // Answers a query. Not const: lines recordings up and sorts overlays that arrived out of order.
  Partition Query(const PartitionQuery& query = {});

  // Serializes the state that later answers depend on; an accounting that loads it continues like
  // this one. `later` has seen all these events and more. Keeps one step per minute, the steps at
  // which an attempt in `later` begins, and of very many overlays one per minute and kind. Sums
  // over the whole job stay exact. Windows become exact to a minute, and so does wasted progress if
  // a later attempt goes back to a dropped step.
  std::string SaveThinned(const Accounting& later) const;
  bool Load(std::string_view bytes);  // false: damaged; the state is then empty

  // Call after each event of a job that is followed for long. Of the last `exact` steps, or twice
  // as many, all is kept; of those before, one per minute, and their overlays by minute and kind.
  // All sums stay exact. Windows that begin there become exact to a minute, and so does the
  // progress that an attempt lost which goes back further.
  void ThinOld(int64_t exact = kExactSteps);
  size_t kept() const;        // steps and overlays
  size_t kept_bytes() const;  // of these and of step times

  static constexpr int64_t kExactSteps = 4096;

  Notes note_counts() const;
  const StepClock& step_clock() const { return LinedUp().step_clock; }
  const Scheduling& scheduling() const { return scheduling_; }
  int64_t tokens() const { return tokens_; }                // tokens that the job recorded
  int64_t billion_flops() const { return billion_flops_; }  // FLOPs that it recorded
  int64_t saves() const { return totals_.saves; }           // completed checkpoint saves

  // The step that had begun last at that time, and its attempt (an index). Absent: none had, or the
  // time lies beyond the attempt. In a rollup only some steps of each attempt are known.
  struct StepPlace {
    size_t attempt = 0;
    int64_t step = 0;
  };
  std::optional<StepPlace> StepAt(int64_t time) const;

  std::vector<std::string> Writers() const;  // that recorded
  // When each rank that recorded told its last event, by rank; of a restarted one the last process.
  std::vector<SignOfLife> LastSigns() const;

  bool empty() const;

 private:
  // When schedulers were asked for chips and gave them.
  struct Moment {
    int64_t time = 0;
    enum What : uint8_t { kSubmitted, kRequested, kAllocated } what = kSubmitted;
  };

  Recording& RecordingOf(const Event& event);
  void AddMoment(const Event& event);
  const Lineup& LinedUp() const;
  std::optional<int64_t> Newest() const;  // the latest time in any event
  void Schedule(Lineup& lineup) const;
  void AddNotices(Lineup& lineup) const;
  void AddEnds(Lineup& lineup) const;
  std::string StateAt(int64_t now, const PartitionQuery& query) const;
  std::vector<int64_t> LiveEnds(int64_t now) const;
  std::vector<int64_t> StepLimits() const;
  void ThinFor(const Accounting& later);  // as SaveThinned says
  void Save(StateWriter& out);
  void LoadOneRecording(StateReader& in, size_t kinds);
  void LoadRecordings(StateReader& in, size_t kinds);
  void LoadMoments(StateReader& in);

  Recordings recordings_;  // in the order of their first events
  std::unordered_map<std::string, Recording*> by_writer_;
  Recording* latest_ = nullptr;
  JobTotals totals_;
  mutable std::optional<Lineup> lineup_;  // absent: events came since
  std::vector<SliceCount> slices_;
  std::vector<Moment> moments_;
  std::vector<Event> notices_;  // from schedulers, after events that are rolled up
  std::vector<Event> ends_;     // likewise: why a scheduler ended an attempt
  std::optional<int64_t>
      newest_;  // the latest time in events that are of no process, or were loaded
  Scheduling scheduling_;
  int64_t tokens_ = 0, billion_flops_ = 0;
  // States from schedulers.
  std::optional<int64_t> stopped_;
  std::string stopped_as_;
  std::optional<int64_t> silence_;  // the job's own limit, from the label "silence=2h"
};

}  // namespace stepscope::goodput
