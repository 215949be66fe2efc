// Words a function that holds the training thread up, its steps, and its wait for another thread,
// which several analyses find.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/derived/python/other_threads.h"
#include "stepscope/phrase.h"
#include "stepscope/report.h"
#include "trace/frame_name.h"

namespace stepscope {

// "next_batch (data.py:5, in lock.acquire) waits 56.0% of step time for another thread, which runs
// read_shard (data.py:9): 38.0 ms per step."; "… of step time since step 6 …" where only these are
// to be mended.
Phrase SayThreadWait(const Facts& facts, const ThreadWait& wait);

// ", in steps 3 to 7", ", in step 9", ", in every 3rd step (3, 6 and 9)": where the function has
// all of its time in these steps of the rank that runs it most, which are no more than half, and
// which `where` then holds; or since when it takes longer (SayRise()); else empty.
Phrase SayStepsOf(const Facts& facts, const std::vector<RankSteps>& ranks, const FrameName& name,
                  Where& where);

// "thread 8644"; "another thread" where it has no name.
Phrase SayThread(const ConcurrentThread& beside);

// "99.8%": of the steps that count, in the function.
std::string ShareOfThread(const ConcurrentThread& beside);

// "the training thread goes on only 4.5 ms or more after 28 operators, ...; 255 ms per step of
// Python on another thread than the one that trains; ...".
Phrase SayThreadEvidence(const ConcurrentThread& beside);

// What to do about it.
Phrase MoveThread(const ConcurrentThread& beside);

// What to do about a function between operators; where it waits for another thread, about that.
Phrase SpeedUp(const Facts& facts, const FrameTimes::Leader& leader);

// What to do about an operator that calls Python (jax.pure_callback, tf.py_function), and the
// function that it runs, where that is known; empty: `op` is none by its name, nor is a function
// known.
Phrase SpeedUpCallback(const Facts& facts, StringId op,
                       const std::optional<FrameTimes::Leader>& function);

}  // namespace stepscope
