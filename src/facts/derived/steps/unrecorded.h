// Finds the longest stretch of steps in which nothing was recorded, and what lies next to it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/string_table.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"

namespace stepscope {

struct Unrecorded {
  int64_t time = 0;  // ns of the longest stretch; 0: there is none
  // What ended last before it and began first after it: an operator, annotation, call or activity.
  // kNoString where the step begins or ends there, or nothing was recorded on that side.
  StringId before = kNoString, after = kNoString;
};

// Over the steps of all `ranks`: a stretch of the category kOther.
Unrecorded LongestUnrecorded(const Facts& facts, const std::vector<RankSteps>& ranks);

}  // namespace stepscope
