// Describes one attempt of a job as a scheduler sees it, and turns attempts into events.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "goodput/events/event.h"

namespace stepscope::goodput {

// Times are ns since the epoch; absent: not yet, or unknown.
struct Allocation {
  std::string job;                   // its name
  std::string id;                    // the scheduler's; the same for all attempts
  std::string state;                 // the scheduler's state
  std::optional<int64_t> submitted;  // of later attempts: time of the requeue
  std::optional<int64_t> eligible;   // earliest start: held or delayed by the user
  std::optional<int64_t> started;
  std::optional<int64_t> ended;
  int64_t paused = 0;  // ns between start and end while suspended by the user
  int64_t chips = 0;   // requested chips if known, else nodes
  bool preempted = false;
  bool comes_back = false;  // the job was requeued
  std::string cause;        // "NODE_FAIL": what ended it, if not the job itself; empty: unknown
  std::string outcome;      // "completed", "failed", "cancelled", "timed out"; empty: unknown
};

// Returns the events of one job's attempts in order. `source` names the scheduler ("slurm"). Each
// point in the course of an attempt is a writer with one event, so reading a job again adds only
// new events. A resources event without requested chips means that the user requests none now.
std::vector<Event> EventsOf(std::span<const Allocation> attempts, const std::string& source);

}  // namespace stepscope::goodput
