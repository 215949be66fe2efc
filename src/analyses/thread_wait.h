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

}  // namespace stepscope
