// One attempt of a job: what it said, and the course of its time.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "goodput/accounting/overlays.h"
#include "goodput/accounting/step_times.h"
#include "goodput/events/event.h"

namespace stepscope::goodput {

struct Attempt {
  // Known from the scheduler, before the attempt began.
  int64_t requested = kUnknown;
  int64_t allocated = kUnknown;

  std::string id;
  int64_t start = 0;          // not before the start of the attempt before
  int64_t last = 0;           // it was alive then
  int64_t end = kUnknown;     // it ended as planned
  bool in_process = false;    // the processes lived on: no start was recorded
  int64_t notice = kUnknown;  // of its preemption
  std::string notice_text;

  StepTimes steps;              // times never go back, and none is before `start`
  int64_t lasting_steps = 0;    // of those with a successor: how many took any time
  bool first_lasts = false;     // whether the first is one of them
  int64_t step_end = kUnknown;  // of the last step
  int64_t saved = kUnknown;     // the last step that a checkpoint holds
  Overlays overlays;
  int64_t async_loading = 0;  // data loading beside the steps: in no bucket, it delays nobody

  void Save(StateWriter& out);
  void Load(StateReader& in);

  // Whether the job met with something: not ended as planned, or told to go.
  bool disrupted() const { return end == kUnknown || notice != kUnknown; }
};

// No attempt after this one made a step.
inline constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// What the accounting of one attempt needs to know about the others.
struct Surroundings {
  int64_t until = 0;         // its last moment, as LiveEnd() says
  bool last = false;         // no attempt came after it
  int64_t limit = kNoLimit;  // its steps from here on were done again by later attempts
};

// The attempt's last moment, when the next one began at `next`, or `now` when it is the last one.
int64_t LiveEnd(const Attempt& attempt, std::optional<int64_t> next, int64_t now);

// A stretch of the attempt's course, before anything is laid over it.
struct Stretch {
  int64_t start = 0, end = 0;
  Bucket bucket = Bucket::kOther;
};

// The course from the attempt's start to its last moment: stretches without a gap, in order, none
// empty, at most 8. `pieces` are what lies over it, exclusions included: the first step's excess
// is measured without them.
std::vector<Stretch> Course(const Attempt& attempt, const Surroundings& around,
                            std::span<const Overlays::Piece> pieces);

// The last step that counts as productive; none when there is none.
std::optional<int64_t> LastProductiveStep(const Attempt& attempt, const Surroundings& around);

// Of [start, end) what nothing lies over.
int64_t Uncovered(int64_t start, int64_t end, std::span<const Overlays::Piece> pieces);

// The first piece that ends after `time`.
size_t FirstPieceAfter(std::span<const Overlays::Piece> pieces, int64_t time);

}  // namespace stepscope::goodput
