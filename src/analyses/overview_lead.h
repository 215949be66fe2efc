// Says first, of a job whose processes compute on processors, in which function its time is.
#pragma once

#include <optional>
#include <vector>

#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "stepscope/report.h"
#include "trace/frame_name.h"

namespace stepscope::overview {

struct Lead {
  Phrase message;  // a sentence
  // That it names, where less than a quarter of its time is in operators, and it waits for no
  // thread.
  std::optional<FrameName> function;
  bool of_operators = false;  // half of the time is in operators
};

// "62.0% of step time is in detokenize (serve.py:31), 41.0 ms per step.", or for which thread the
// function waits. Nothing where devices, compilation or collectives decide how long steps are, or
// no function or operator takes a tenth of them. Of the steps to mend (StepsToMend).
std::optional<Lead> FindLead(const Facts& facts);

// That another thread runs Python throughout, as a possible cause of slow steps: the first sentence
// where there is no lead and waits for the lock were seen, else the last. Nothing where devices
// decide how long steps are.
void AddConcurrentThread(const Facts& facts, const std::vector<RankSteps>& ranks,
                         const std::optional<Lead>& lead, Report& report);

}  // namespace stepscope::overview
