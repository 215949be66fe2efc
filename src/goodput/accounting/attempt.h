// Holds the events of one attempt and computes the course of its time.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/intervals.h"
#include "goodput/accounting/late_rank.h"
#include "goodput/accounting/overlays.h"
#include "goodput/accounting/step_times.h"
#include "goodput/events/event.h"
#include "stepscope/phrase.h"

namespace stepscope::goodput {

// Begins of spans that have not ended.
struct OpenSpans {
  std::map<EventKind, int64_t> plain;  // few are open at once, and there are many attempts
  std::map<std::string, int64_t> custom, waits;  // by type

  // Closes an open begin and returns its time; absent if none is open.
  std::optional<int64_t> Close(const Event& end);
  void Open(const Event& begin);
  void Move(int64_t by);  // all times
  std::optional<int64_t> Of(EventKind kind) const;

  void Save(StateWriter& out) const;
  void Load(StateReader& in, size_t kinds);  // `kinds`: as many as were saved
};

// Steps of a rank that are kept to compare it with others, from the first on.
inline constexpr int64_t kSampledSteps = 16;

// A finished step that may have taken longer than usual.
struct LongStep {
  int64_t start = 0, end = 0;
  int64_t made = 1;  // steps in it, if not all are recorded
};

// Keeps the later of both times.
inline void TakeLater(int64_t time, std::optional<int64_t>& latest) {
  if (!latest || time > *latest) latest = time;
}

// An attempt as one process recorded it.
struct Attempt {
  std::string id;              // as recorded
  int64_t start = 0;           // not before the start of the previous attempt
  int64_t last = 0;            // time of its last event
  std::optional<int64_t> end;  // time of a planned end
  bool started = false;        // a start was recorded
  bool lives = false;          // more than notices and checkpoints, which other programs may tell
  bool in_process = false;     // restarted in the same process: no start was recorded
  std::optional<int64_t> notice;  // time of its preemption notice
  std::string notice_text;
  std::optional<int64_t> left;  // time of the process's last word, and how it ended
  std::string last_word;

  StepTimes steps;                  // times never go back, and none is before `start`
  int64_t lasting_steps = 0;        // steps with a successor and a duration above 0
  bool first_lasts = false;         // whether the first step is one of them
  std::optional<int64_t> step_end;  // of the last step
  int64_t ended_steps = 0;  // of those told since it was loaded, but for the first: with an end
  int64_t ended_time = 0;   // ns of these from start to end
  std::optional<int64_t> saved;    // last step in a checkpoint
  std::optional<int64_t> resumed;  // time of its resume marker
  StepTime told;                   // the last step told, also if it is not in `steps`
  int64_t counted_on = 0;          // is added to the number of a step, where numbers began anew
  int64_t blocked = 0;             // time of spans since the last step
  Interval silence;                // the longest between two of its events since it was loaded
  std::vector<LongStep> long_steps;
  Overlays overlays;
  OpenSpans open;
  int64_t async_loading = 0;  // data loading that overlaps steps; in no bucket
  // Its last event when ThinOld() was at work last, and the time before last that it was thinned
  // to, without moves of its clock.
  int64_t settled = kUnknown, thinned = kUnknown;

  void Move(int64_t by);  // all times
  // Of a checkpoint that holds all steps up to `step`, as its process counts them. kUnknown: its
  // event does not say, so that the steps at risk stay those of the last one that does.
  void TakeSaved(int64_t step);

  void Save(StateWriter& out);
  void Load(StateReader& in, size_t kinds);
};

// An attempt of the job: the course is that of its leader, the rest is of all its processes.
struct JointAttempt {
  // What a process recorded of the course, on its own clock.
  struct Part {
    const Attempt* recorded = nullptr;
    int64_t moved = 0;  // by how much its times are moved
  };

  Attempt* lead = nullptr;    // tells the course
  std::vector<Part> parts;    // of `lead`: several where one log breaks off and others go on
  bool from_library = false;  // no recorder wrote it
  int64_t start = 0, last = 0;
  std::optional<int64_t> end;
  bool in_process = false;
  bool new_job = false;         // the job before ended as planned; this one took its name
  bool by_other_clock = false;  // no host has its start and the end of the attempt before
  std::optional<int64_t> notice;
  std::string notice_text;
  std::optional<int64_t> requested, allocated;  // from the scheduler, before it began
  int64_t processes = 1;
  Phrase cause;   // of its end, if it is known
  Phrase reason;  // the cause without ranks
  Phrase first_gone;
  Phrase behind;  // "rank 3 did not begin step 22": who was behind the others at its end
  std::optional<LateRank> late_rank;
  // The longest silence of each rank.
  struct Silence {
    int64_t rank = 0;
    Interval time;
  };
  std::vector<Silence> silences;
  std::optional<int64_t> waited_since;  // others are in a step that `lead` did not begin

  const StepTimes& steps() const { return lead->steps; }
  // True if the end was unplanned or followed a preemption notice.
  bool disrupted() const { return !end || notice; }
};

// The limit if no later attempt made a step.
inline constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// What the accounting of one attempt needs to know about the others.
struct Surroundings {
  int64_t until = 0;         // its end, from LiveEnd()
  bool running = false;      // it goes on
  int64_t limit = kNoLimit;  // later attempts redid its steps from here on
};

// The attempt's end if the next one began at `next`; `now` if it is the last one.
int64_t LiveEnd(const JointAttempt& attempt, std::optional<int64_t> next, int64_t now);

// A part of the attempt's course in one bucket, without overlays.
struct CoursePart {
  int64_t start = 0, end = 0;
  Bucket bucket = Bucket::kOther;
};

// The course from the attempt's start to its end: at most 8 parts, in order, without gaps, none
// empty. `pieces` are the overlays, exclusions included; the first step's excess is measured
// without them.
std::vector<CoursePart> Course(const JointAttempt& attempt, const Surroundings& around,
                               std::span<const Overlays::Piece> pieces);

// The last productive step, if any.
std::optional<int64_t> LastProductiveStep(const JointAttempt& attempt, const Surroundings& around);

// Time in [start, end) without overlays.
int64_t Uncovered(int64_t start, int64_t end, std::span<const Overlays::Piece> pieces);

// The time in [start, end) by which `uncovered` ns without overlay have passed.
int64_t ReachOf(int64_t uncovered, int64_t start, int64_t end,
                std::span<const Overlays::Piece> pieces);

// The first piece that ends after `time`.
size_t FirstPieceAfter(std::span<const Overlays::Piece> pieces, int64_t time);

}  // namespace stepscope::goodput
