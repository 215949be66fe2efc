// Joins what processes recorded into the attempts of the job.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "goodput/accounting/attempt.h"
#include "goodput/accounting/recording.h"
#include "goodput/accounting/step_clock.h"
#include "goodput/events/notes.h"

namespace stepscope::goodput {

using Recordings = std::vector<std::unique_ptr<Recording>>;

struct Lineup {
  std::vector<JointAttempt> attempts;  // by their starts
  // Attempts whose clock was moved, and courses that several processes tell.
  std::vector<std::unique_ptr<Attempt>> copies;
  Notes note_counts;
  std::optional<int64_t> newest;  // the latest time that a process told
  // Recordings of another job that has the same name; not in `attempts`.
  std::vector<const Recording*> others;
  // What other programs than the job's processes told, such as schedulers and Orbax: it belongs to
  // whatever attempt runs then.
  std::vector<Attempt*> loose;
  StepClock step_clock, usual;                  // of the leaders' steps
  std::optional<int64_t> submitted;             // of the first attempt
  std::optional<int64_t> requested, allocated;  // for an attempt after the last
};

Lineup LineUp(const Recordings& recordings);

}  // namespace stepscope::goodput
