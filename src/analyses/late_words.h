// Writes the sentences about why a rank is later than the others, and what to do about it.
#pragma once

#include <string_view>

#include "analyses/late_rank.h"
#include "facts/facts.h"
#include "stepscope/phrase.h"

namespace stepscope {

// "more operators (aten::layer_norm)", "time between operators (slow_transform (train.py:20))".
Phrase SayWork(const Facts& facts, const WorkRise& rise);

std::string_view LateReasonName(LateReason reason, const Facts& facts);
// The same with the operator: "more operators (aten::layer_norm)"; or "unknown cause".
Phrase SayLateReason(const LateRank& late, const Facts& facts);
// "76.9 ms more in all than the median of the others between operators; Python meanwhile: ...".
Phrase SayLateEvidence(const LateRank& late, const Facts& facts);
// The operator or function that its work takes longer in; empty: not known.
Phrase EventOf(const LateRank& late, const Facts& facts);
// What to try.
Phrase LateHint(LateReason reason, const Facts& facts);
Phrase LateHint(const LateRank& late, const Facts& facts);
Phrase LateHint(const WorkRise& work, const Facts& facts);

}  // namespace stepscope
