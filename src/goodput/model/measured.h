// Derives the model's parameters from sums over a job.
#pragma once

#include <cstdint>

#include "goodput/model/model.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// Sums over a job in seconds, from an accounting with exclusive buckets.
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

// Returns means over the job. Accounts for intervals and restarts that failures cut off, as the
// model does. Spares are not separated: their restarts are in the mean. Without interruptions the
// failure rate and the times of restarts are 0; without saves the save time and the interval are 0.
// Fails if the sums contradict each other.
Result<Parameters> ParametersOf(const Measured& job);

}  // namespace stepscope::goodput
