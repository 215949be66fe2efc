// The accounting of one job: every nanosecond from its submission or start to now or its end
// belongs to exactly one bucket.
//
// Events come one at a time, in the order of their log, and each costs the same however long the
// job is. A question costs what attempts and overlays there are, and never a walk through steps.
// The rules:
//
// - An attempt begins with a job start, a new attempt id, a resume marker or a step number that
//   goes back. It lives until the last thing it finished. Attempts whose end nobody planned are
//   disruptions, and so are those that were told to go.
// - A step is kept if every later attempt that made steps began behind it; else it was wasted. The
//   open step of an attempt that died was wasted, unless the next one went on behind it; the open
//   step of a running job is in progress.
// - What lies over the course of an attempt (see Bucket) takes its time from what lies beneath.
//   Data loading counts before an attempt's first step; later it runs beside the steps.
// - What the first step took more than the mean of the attempt's others is startup.
// - From an attempt's last moment to the next start it is recovery, also after a planned end.
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
#include "goodput/events/oddities.h"

namespace stepscope::goodput {

class Accounting {
 public:
  void Add(const Event& event);

  // Of what a scheduler says: takes it as if it had come in its turn, before events that are later
  // and were added.
  void AddLate(const Event& event);

  // Settles what came out of order, therefore not const.
  Partition Ask(const Question& question = {});

  // What its future answers depend on, as bytes: an accounting that loads them goes on as this one
  // would. `later` has seen all these events and more. One step a minute is kept, and those at
  // which an attempt in it begins again; of very many overlays one a minute of each kind. That
  // changes no sum over the whole job. Windows become exact to a minute, and so does what is lost
  // when an attempt that is yet to come goes back to a step that was forgotten.
  std::string SaveThinned(const Accounting& later) const;
  bool Load(std::string_view bytes);  // false: they are damaged, and nothing is known

  const Oddities& oddities() const { return oddities_; }
  const StepClock& step_clock() const { return step_clock_; }
  const Scheduling& scheduling() const { return scheduling_; }
  int64_t tokens() const { return tokens_; }                // that the job said it worked on
  int64_t billion_flops() const { return billion_flops_; }  // that it said it did
  int64_t saves() const { return saves_; }                  // of checkpoints, completed
  bool empty() const { return attempts_.empty() && submitted_ == kUnknown; }

 private:
  // Begins of spans that wait for their ends. Only the current attempt has any.
  struct OpenSpans {
    std::array<int64_t, static_cast<size_t>(EventKind::kCount)> plain;  // by kind
    std::map<std::string, int64_t> custom, waits;                       // by type
    OpenSpans() { plain.fill(kUnknown); }
    // The begin that is open there, which is closed; unknown when there is none.
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
  int64_t requested_ = kUnknown, allocated_ = kUnknown;  // for the attempt to come
  int64_t newest_ = kUnknown;                            // the latest time in any event
  StepClock step_clock_;
  Scheduling scheduling_;
  int64_t tokens_ = 0, billion_flops_ = 0, saves_ = 0;
  Oddities oddities_;
};

}  // namespace stepscope::goodput
