// Words a function that holds the training thread up, and its wait for another thread, which
// several analyses find.
#pragma once

#include <optional>
#include <vector>

#include "facts/derived/python/other_threads.h"
#include "stepscope/phrase.h"

namespace stepscope {

// "next_batch (data.py:5, in lock.acquire) waits 56.0% of step time for another thread, which runs
// read_shard (data.py:9): 38.0 ms per step."
Phrase SayThreadWait(const Facts& facts, const ThreadWait& wait,
                     const std::vector<RankSteps>& ranks);

// What to do about a function between operators; where it waits for another thread, about that.
Phrase SpeedUp(const Facts& facts, const FrameTimes::Leader& leader);

// What to do about an operator that calls Python (jax.pure_callback, tf.py_function), and the
// function that it runs, where that is known; empty: `op` is none by its name, nor is a function
// known.
Phrase SpeedUpCallback(const Facts& facts, StringId op,
                       const std::optional<FrameTimes::Leader>& function);

}  // namespace stepscope
