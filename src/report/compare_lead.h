// Says a comparison's first sentence: what step time changed by, and why.
#pragma once

#include <vector>

#include "report/compare_growth.h"
#include "report/compare_reach.h"
#include "report/compare_steps.h"
#include "stepscope/phrase.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

// A reason for longer or shorter steps, as the first sentence says it.
struct Lead {
  Phrase message;   // the sentence that tells it elsewhere: of a finding, where steps are longer
  Phrase clause;    // "detect_language (t.py:41) is new on rank 0 since step 6 (99.6 ms ...)"
  double time = 0;  // ns per step that it takes more, or less
  bool is_part = false;  // of a part of the mean step, which others may explain
};
struct Leads {
  std::vector<Lead> more, less;
};

// `change`: ns per step of a part of steps, on a rank or in the mean of all; negative: less. Of all
// ranks without a reason or single steps, no part leads: REQUIRES IsLead().
inline bool IsLead(const Reason& reason, Rank rank, const Reach& reach) {
  return rank || !reason.brief.empty() || !reach.when.empty();
}
Lead LeadOf(const Phrase& message, const Reason& reason, const CategoryChange& category, Rank rank,
            const Reach& reach, double change);

// The first sentence, and which leads it tells. Empty where no reason is known. Of findings it says
// the first ones in order, that take time which counts; where they are less than half of what steps
// changed by, that is said.
struct First {
  Phrase sentence;
  std::vector<Phrase> told;  // messages
  bool Tells(const Phrase& message) const;
};
First SayFirst(const ReportSet& compared, const StepComparison& steps, const Leads& leads);

}  // namespace stepscope::comparison
