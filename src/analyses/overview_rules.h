// Words the findings about parts of a step: what takes much of it, and what to do about that.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analyses/advice.h"
#include "analyses/overview_lead.h"
#include "facts/derived/python/frame_times.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "stepscope/phrase.h"
#include "stepscope/report.h"

namespace stepscope::overview {

inline constexpr std::string_view kOneTimeWork =
    "One-time work (graph capture, context creation, module loading, tuning)";

// A finding for a category with a large share of step time.
struct Rule {
  StepCategory category;
  std::string_view message;
  Advice hint;
};
// In the order in which they are looked at.
std::span<const Rule> Rules();

// What to do. Where the category does not recur, later steps are without it.
Phrase HintOf(const Rule& rule, const std::vector<RankSteps>& ranks, const FrameTimes& python,
              const Facts& facts);

// "Nothing is recorded in 95.0% of step time; the longest stretch, 940 µs, is between aten::mm and
// the end of the recording; Python was not recorded."
Phrase SayNothingRecorded(const Facts& facts, const std::vector<RankSteps>& ranks,
                          const Phrase& on_some = {});

// The first sentence. What Python did in time without operators was recorded where its frames were.
// `more`: what one rank runs more, where no function has much.
Phrase MessageOf(const Facts& facts, const Rule& rule, const std::vector<RankSteps>& ranks,
                 const FrameTimes& python, const Phrase& on_some, const Phrase& more,
                 const std::optional<Lead>& lead, Where& where);

}  // namespace stepscope::overview
