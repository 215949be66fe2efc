// Marks the kernel sequences that an operator launches most often.
#pragma once

#include <cstdint>
#include <string>

#include "base/string_table.h"
#include "export/marks.h"
#include "facts/activity/rank_activity.h"

namespace stepscope {

struct PatternChoice {
  std::string operator_name;  // part of the operator's or annotation's name; empty: no patterns
  int64_t min_length = 3;     // in kernels
  int64_t top = 5;            // the most frequent ones
};

// Marks operators, what runs in them and what they launch. As in the analysis kernel_sequences an
// operator has no other such one around it. Returns how many sequences were marked.
int64_t MarkPatterns(const RankActivity& rank, const StringTable& names,
                     const PatternChoice& choice, EventMarks& marks);

}  // namespace stepscope
