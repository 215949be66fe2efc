// Adds the findings of the step overview.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyses/overview_lead.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::overview {

inline constexpr double kModerately = 0.03;  // of a step: a threshold of the TensorFlow Profiler

// Over what impact in these steps was measured: the mean of the ranks.
Extent ExtentOf(const std::vector<RankSteps>& ranks);

// What a finding calls time that is spent once: "One-time work (graph capture, ...)",
// "Compilation".
std::string_view SayOnce(StepCategory category);

// One for each category with a large share of step time; where no steps are marked, only one for
// one-time work. `ranks` have typical steps only: a finding is about what steps cost again and
// again. The one about the function of `lead` is worded as that.
void AddFindings(const Facts& facts, const std::vector<RankSteps>& ranks, bool has_work,
                 const std::optional<Lead>& lead, Report& report);

// One where most compute is known to be in 32 bit. `sum` is that of the steps of `ranks`.
void AddPrecisionFinding(const Facts& facts, const std::vector<RankSteps>& ranks,
                         const StepBreakdown& sum, Report& report);

// Where the devices' records are missing, nothing that follows can be taken for what the devices
// did.
void AddMissingKernels(const Facts& facts, Report& report);

// A job of several ranks communicates. Where nothing is known as communication, it counts as
// compute, and the first sentence must say so.
void AddMissingCommunication(const Facts& facts, Report& report);

// Where nothing was recorded in half of the steps or more: a sentence with the longest such
// stretch, what was recorded next to it, and what was not recorded at all. Begins with a space;
// else empty, as where Python was recorded.
Phrase SayUnrecorded(const Facts& facts, const std::vector<RankSteps>& ranks);

}  // namespace stepscope::overview
