// Accounts for the time of one job: every nanosecond from its submission or start to now or its end
// is in exactly one bucket.
//
// Add() takes events in log order at constant cost. The cost of Query() grows with attempts and
// overlays, not with steps. The rules:
//
// - An attempt begins with a job start, a new attempt id, a resume marker or a step number that
//   goes back. It lasts until its last event. An unplanned end is a disruption, and so is an end
//   after a preemption notice.
// - A step is kept if every later attempt with steps began after it; otherwise it is wasted
//   progress. The open step of a disrupted attempt is wasted, unless the next one continued after
//   it. The open step of a running job is in progress.
// - Overlays (see Bucket) take their time from the attempt's course. Data loading counts only
//   before an attempt's first step; later it overlaps the steps.
// - Startup is the excess of the first step over the mean of the attempt's others.
// - Recovery lasts from an attempt's end to the next start, also after a planned end.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "goodput/accounting/attempt.h"
#include "goodput/accounting/bucket.h"
#include "goodput/accounting/partition.h"
#include "goodput/accounting/scheduling.h"
#include "goodput/accounting/step_clock.h"
#include "goodput/events/event.h"
#include "goodput/events/notes.h"

namespace stepscope::goodput {

class Accounting {
 public:
  void Add(const Event& event);

  // Adds a scheduler's event as if it had come in order, before later events already added.
  void AddLate(const Event& event);

  // Answers a query. Not const: sorts overlays that arrived out of order.
  Partition Query(const PartitionQuery& query = {});

  // Serializes the state that later answers depend on; an accounting that loads it continues like
  // this one. `later` has seen all these events and more. Keeps one step per minute, the steps at
  // which an attempt in `later` begins, and of very many overlays one per minute and kind. Sums
  // over the whole job stay exact. Windows become exact to a minute, and so does wasted progress if
  // a later attempt goes back to a dropped step.
  std::string SaveThinned(const Accounting& later) const;
  bool Load(std::string_view bytes);  // false: damaged; the state is then empty

  const Notes& note_counts() const { return note_counts_; }
  const StepClock& step_clock() const { return step_clock_; }
  const Scheduling& scheduling() const { return scheduling_; }
  int64_t tokens() const { return tokens_; }                // tokens that the job recorded
  int64_t billion_flops() const { return billion_flops_; }  // FLOPs that it recorded
  int64_t saves() const { return saves_; }                  // completed checkpoint saves

  // The step that had begun last at that time, and its attempt (an index). Absent: none had, or the
  // time lies beyond the attempt. In a rollup only some steps of each attempt are known.
  struct StepPlace {
    size_t attempt = 0;
    int64_t step = 0;
  };
  std::optional<StepPlace> StepAt(int64_t time) const;

  bool empty() const { return attempts_.empty() && submitted_ == kUnknown; }

 private:
  // Begins of open spans; only the current attempt has any.
  struct OpenSpans {
    std::array<int64_t, static_cast<size_t>(EventKind::kCount)> plain;  // by kind
    std::map<std::string, int64_t> custom, waits;                       // by type
    OpenSpans() { plain.fill(kUnknown); }
    // Closes an open begin and returns its time; kUnknown if none is open.
    int64_t Close(const Event& end);
    void Open(const Event& begin);
  };

  std::vector<int64_t> LiveEnds(int64_t now) const;
  std::vector<int64_t> StepLimits() const;
  void Save(StateWriter& out);

  Attempt& Begin(int64_t time, bool in_process = false);
  Attempt& AttemptOf(const Event& event);
  bool IsCurrent(const Attempt& attempt) const { return &attempt == &attempts_.back(); }

  void AddJobStart(const Event& event);
  void AddJobEnd(const Event& event, Attempt& attempt);
  void AddStep(const Event& event, Attempt& attempt);
  bool IsLate(const Event& event, const Attempt& attempt);
  void AppendStep(const Event& event, Attempt& attempt);
  void AddStepEnd(const Event& event, Attempt& attempt);
  void AddSpanEnd(const Event& event, Attempt& attempt);
  void AddCheckpoint(const Event& event, Attempt& attempt);
  void AddResources(const Event& event);
  void AddToAttempt(const Event& event, Attempt& attempt);
  void Lay(Attempt& attempt, int64_t start, int64_t end, Bucket bucket, uint8_t label = 0);
  uint8_t LabelOf(std::string type);

  std::vector<Attempt> attempts_;
  std::unordered_map<std::string, size_t> by_id_;
  OpenSpans open_;
  std::vector<std::string> labels_;  // of custom types
  std::vector<SliceCount> slices_;
  int64_t submitted_ = kUnknown;
  int64_t requested_ = kUnknown, allocated_ = kUnknown;  // for the next attempt
  int64_t newest_ = kUnknown;                            // the latest time in any event
  StepClock step_clock_;
  Scheduling scheduling_;
  int64_t tokens_ = 0, billion_flops_ = 0, saves_ = 0;
  Notes note_counts_;
};

}  // namespace stepscope::goodput
