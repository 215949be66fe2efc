// Finds what other Python threads of a process run while its training thread waits for them, or
// works at the same time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/intervals.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"

namespace stepscope {

// The training thread waits in a function for a lock, as of a queue, and another thread of its
// process, which ends waits of half of that time or more (it puts into the queue, notifies,
// releases), works for half of that time or more.
struct ThreadWait {
  const RankActivity* rank = nullptr;
  FrameTimes::Leader waits;  // ns of the rank's steps, in which no device ran anything
  FrameTimes::Leader works;  // what the other thread ran meanwhile
  std::string thread;        // its name
  int64_t whole = 0;         // ns of the rank's steps
};
// The longest of all ranks in the steps to mend (StepsToMend). Nothing where none takes a twentieth
// of its rank's steps.
const std::optional<ThreadWait>& ThreadWaitOf(const Facts& facts);

// What calls an operator returns only long after it ended, as where it takes Python's lock again
// while another thread runs Python: that one gives it up after 5 ms (sys.getswitchinterval()).
struct LockWaits {
  int64_t count = 0;  // of 4.5 ms or more each
  int64_t time = 0;   // ns of the rank's steps
};

// Another thread runs Python while the training thread does not wait. Only one of them runs Python
// at a time, but what holds the lock at a moment is not recorded: that it slows the training thread
// is possible, not known.
struct ConcurrentThread {
  const RankActivity* rank = nullptr;
  FrameTimes::Leader works;  // the function with the most of `time`
  std::string thread;        // its name
  // Number of the first step that counts, where it runs hardly any Python before; else all count.
  std::optional<int64_t> since;
  int64_t steps = 0;  // that count
  int64_t time = 0;   // ns of these steps in Python, without what may free the lock: operators,
                      // waits, and calls of built-in functions from 1 ms on
  int64_t whole = 0;  // ns of these steps
  // Of the training thread, where they take a twentieth of its steps or more; else none. Only where
  // there are any, a thread counts that stays in one function of the user all the time, which may
  // as well sleep there.
  LockWaits locks;
};
// The one with the largest share. Nothing where none takes half of the steps that count.
std::optional<ConcurrentThread> FindConcurrentThread(const Facts& facts,
                                                     const std::vector<RankSteps>& ranks);

// That of the typical steps, where it runs on this rank since about this step; null: none does.
const ConcurrentThread* ThreadSince(const Facts& facts, int64_t rank, int64_t since);
// The same since this step or an earlier one.
const ConcurrentThread* ThreadBy(const Facts& facts, int64_t rank, int64_t step);

}  // namespace stepscope
