// Joins the devices of a rank where all of them are late: what is slow then is the rank.
#pragma once

#include <cstdint>
#include <vector>

#include "analyses/stragglers_suspects.h"
#include "facts/derived/lateness/step_blame.h"
#include "facts/facts.h"

namespace stepscope::stragglers {

// The devices of each rank with several that all take longer than those of others, by about as
// much; indexes into CollectiveFacts::ranks.
std::vector<std::vector<uint32_t>> DevicesOfLateRanks(const Facts& facts);

// What others waited for in each step, with the devices of each of `ranks` as its first.
StepBlame JoinedSteps(const StepBlame& steps, const std::vector<std::vector<uint32_t>>& ranks);

// The suspects with the devices of each of `ranks` as one, not explained. `steps`: JoinedSteps(),
// which must outlive it.
Blames JoinedBlames(const Blames& blames, const std::vector<std::vector<uint32_t>>& ranks,
                    const StepBlame& steps);

}  // namespace stepscope::stragglers
