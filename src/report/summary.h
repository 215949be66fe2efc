// Chooses what the first screen of an answer says: whose job it is, the verdict, the first causes,
// where a step goes, which ranks differ, and what could not be seen.
//
// It knows only reports, most of all `breakdown`, and those of two runs as Compare() sets them side
// by side. Strings are raw: writers make them printable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/summary_ranks.h"
#include "stepscope/report.h"

namespace stepscope {

struct SummaryCause {
  const Report* report = nullptr;  // whose it is
  const Finding* finding = nullptr;
  Phrase worth;  // "1.59 ms of 6.65 ms per step", "up to 1.2 s (30.0%)"; empty: not a time
};

// What a screen says of a cause. `told`: whether the verdict on it has said the message already, so
// that why it is so comes first.
struct SaidCause {
  Phrase head, because;
};
SaidCause SayCause(const Finding& finding, bool told);

// A part of a step.
struct SummaryPart {
  Phrase title;
  std::optional<int64_t> before;  // ns, mean of the steps before a change
  int64_t now = 0;                // ns, mean of the steps since then, or of all
};

struct SummaryParts {
  Phrase title;                        // "A step, mean of 8 ranks"
  Phrase before;                       // "steps 0..1", "b_fsdp"; empty: step time did not change
  Phrase now;                          // "steps 2..4"
  std::optional<int64_t> time_before;  // ns
  int64_t time = 0;                    // ns of all parts
  std::vector<SummaryPart> parts;
};

struct Summary {
  Phrase subject;  // "job: 8 ranks on 2 hosts, 5 steps, PyTorch on H100, dp 2 x tp 4"
  Phrase verdict;
  std::vector<SummaryCause> causes;  // at most three
  size_t more = 0;                   // findings that are not among them
  SummaryParts step;                 // no parts: nothing is known
  SummaryRanks ranks;
  std::vector<Phrase> unseen;  // sentences: what was not recorded or is not complete
};

// "1.59 ms per step since step 9" as a replay says, "up to 4.94 ms per step (10.8%)"; empty: it is
// not a time.
Phrase SayWorth(const Finding& finding);

// As in the summary.
Phrase SubjectOf(const ReportSet& answer);

// `answer` outlives the summary.
Summary Summarize(const ReportSet& answer);

}  // namespace stepscope
