// Tells whether a rank is late because it begins its first step later than the others.
#pragma once

#include <cstdint>
#include <optional>

#include "facts/facts.h"
#include "stepscope/phrase.h"

namespace stepscope {

// Why is not in the steps at hand: it happened before them.
struct LateStart {
  int64_t step = 0;  // the number of the first
  int64_t late = 0;  // ns that the rank begins it after the median of the others
};

// `rank`: index into CollectiveFacts::ranks. Nothing where it does not begin late by at least
// `least` ns, or that is not known.
std::optional<LateStart> FindLateStart(const Facts& facts, uint32_t rank, int64_t least);

// "begins step 8, the first selected, 3.71 s after the others".
Phrase SayLateStart(const LateStart& start, const Facts& facts);
Phrase SayLateStartEvidence(const LateStart& start);
Phrase LateStartHint(const LateStart& start, const Facts& facts);

}  // namespace stepscope
