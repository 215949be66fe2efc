// Writes the sentences about ranks on hosts that do more work since a step, or in alternating
// steps.
#pragma once

#include <optional>

#include "facts/derived/lateness/work_rises.h"
#include "facts/derived/python/frame_times.h"
#include "facts/facts.h"
#include "stepscope/phrase.h"

namespace stepscope {

// "rank 1", "ranks 1 and 3", "all ranks".
Phrase SayRanksOf(const Facts& facts, const WorkRise& rise);

// "rank 1 spends 10.5 ms more per step".
Phrase SayMore(const Facts& facts, const WorkRise& rise);

// Of more calls of an operator, the function that makes them, where one does.
std::optional<FrameTimes::Leader> CallerOf(const Facts& facts, const WorkRise& rise);

// "aten::sort, called by Probe.take (probe.py:7)", "slow_transform (train.py:20)", "from
// aten::remainder to aten::linear"; where functions follow one another, each with its time and
// steps.
Phrase SayPlaceOf(const Facts& facts, const WorkRise& rise);

// "aten::layer_norm", "slow_transform (train.py:20)": what events are called; empty: not known. Of
// several functions the one with the most time.
Phrase EventOf(const Facts& facts, const WorkRise& rise);

// "make slow_transform (train.py:20) faster, ..."; empty where no function is known.
Phrase SpeedUp(const Facts& facts, const WorkRise& rise);

// ns of all its steps together; where functions follow one another, of these.
int64_t TotalOf(const Facts& facts, const WorkRise& rise);

// "median 0.3 ms in 6 steps before, 10.8 ms in 10 steps since, from aten::remainder to
// aten::linear".
Phrase SayWorkEvidence(const Facts& facts, const WorkRise& rise);

}  // namespace stepscope
