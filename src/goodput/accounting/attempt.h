// Holds the events of one attempt and computes the course of its time.
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
  // From the scheduler, before the attempt began.
  int64_t requested = kUnknown;
  int64_t allocated = kUnknown;

  std::string id;
  int64_t start = 0;          // not before the start of the previous attempt
  int64_t last = 0;           // time of its last event
  int64_t end = kUnknown;     // time of a planned end
  bool in_process = false;    // restarted in the same processes: no start was recorded
  int64_t notice = kUnknown;  // time of its preemption notice
  std::string notice_text;

  StepTimes steps;              // times never go back, and none is before `start`
  int64_t lasting_steps = 0;    // steps with a successor and a duration above 0
  bool first_lasts = false;     // whether the first step is one of them
  int64_t step_end = kUnknown;  // of the last step
  int64_t saved = kUnknown;     // last step in a checkpoint
  Overlays overlays;
  int64_t async_loading = 0;  // data loading that overlaps steps; in no bucket

  void Save(StateWriter& out);
  void Load(StateReader& in);

  // True if the end was unplanned or followed a preemption notice.
  bool disrupted() const { return end == kUnknown || notice != kUnknown; }
};

// The limit if no later attempt made a step.
inline constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// What the accounting of one attempt needs to know about the others.
struct Surroundings {
  int64_t until = 0;         // its end, from LiveEnd()
  bool last = false;         // it is the last attempt
  int64_t limit = kNoLimit;  // later attempts redid its steps from here on
};

// The attempt's end if the next one began at `next`; `now` if it is the last one.
int64_t LiveEnd(const Attempt& attempt, std::optional<int64_t> next, int64_t now);

// A part of the attempt's course in one bucket, without overlays.
struct CoursePart {
  int64_t start = 0, end = 0;
  Bucket bucket = Bucket::kOther;
};

// The course from the attempt's start to its end: at most 8 parts, in order, without gaps, none
// empty. `pieces` are the overlays, exclusions included; the first step's excess is measured
// without them.
std::vector<CoursePart> Course(const Attempt& attempt, const Surroundings& around,
                               std::span<const Overlays::Piece> pieces);

// The last productive step, if any.
std::optional<int64_t> LastProductiveStep(const Attempt& attempt, const Surroundings& around);

// Time in [start, end) without overlays.
int64_t Uncovered(int64_t start, int64_t end, std::span<const Overlays::Piece> pieces);

// The first piece that ends after `time`.
size_t FirstPieceAfter(std::span<const Overlays::Piece> pieces, int64_t time);

}  // namespace stepscope::goodput
