// From what a job did to the parameters of the model.
#pragma once

#include <cstdint>

#include "goodput/model/model.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// Sums over a job, as an accounting in which every second has one owner gives them. Seconds.
struct Measured {
  double wall_s = 0;        // from the start of the job to its end
  double productive_s = 0;  // steps that counted
  int64_t interruptions = 0;
  int64_t announced = 0;         // of these: with a checkpoint in the time between notice and end
  double emergency_saves_s = 0;  // blocked by those checkpoints
  int64_t saves = 0;             // regular ones, completed
  double saves_s = 0;            // blocked by them
  double persist_s = 0;     // from the end of each to durable, summed; 0 where that is not known
  double reschedule_s = 0;  // queue and allocation after interruptions
  double restart_s = 0;     // detection, start, restore, compilation after interruptions
};

// Means over the job. What failures cut off, intervals and restarts, is taken into account as the
// model's process has it. Spares are not seen: their restarts are in the mean of all. Fails where
// there was no interruption or no save to take a mean of, or the sums contradict one another.
Result<Parameters> ParametersOf(const Measured& job);

}  // namespace stepscope::goodput
