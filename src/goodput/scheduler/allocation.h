// What a scheduler says of one attempt of a job, and the events it stands for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "goodput/events/event.h"

namespace stepscope::goodput {

// Times are ns since the epoch; kUnknown: not yet, or not said.
struct Allocation {
  std::string job;               // its name
  std::string id;                // the scheduler's; the same for all attempts
  std::string state;             // in the scheduler's words
  int64_t submitted = kUnknown;  // of later attempts: when it was put back into the queue
  int64_t eligible = kUnknown;   // from when on it may run: held, or begun later, by its user
  int64_t started = kUnknown;
  int64_t ended = kUnknown;
  int64_t paused = 0;  // ns between start and end in which the user had it stopped
  int64_t chips = 0;   // asked for: accelerators where the scheduler knows them, else nodes
  bool preempted = false;
  bool comes_back = false;  // the job went back into the queue
};

// The events of one job's attempts, in their order. `source` names the scheduler ("slurm"). A
// writer is the place in the life of an attempt, and says one thing: a later look at the same
// job adds only what is new. A resources event with nothing requested says that the user wants
// nothing just now.
std::vector<Event> EventsOf(std::span<const Allocation> attempts, const std::string& source);

}  // namespace stepscope::goodput
