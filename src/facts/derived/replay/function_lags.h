// Changes how long functions of Python's take in a replay.
#pragma once

#include <string_view>

#include "facts/derived/replay/job_lags.h"

namespace stepscope {

// What the training threads do in functions whose names have `pattern` (base/word_pattern.h), with
// all that these call, takes this share of its time, and so do transfers of collectives that all
// recorded members begin there; waits for devices and for ranks that come later stay. False if
// there is no such time.
bool ScaleFunctions(const Facts& facts, std::string_view pattern, double factor, ChangedLags& lags);

// Whether threads other than these run such a function.
bool OthersRunFunctions(const Facts& facts, std::string_view pattern);

}  // namespace stepscope
