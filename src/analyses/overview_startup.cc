// Implements the sentences about warm-up.
#include "analyses/overview_startup.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "analyses/build.h"
#include "analyses/overview_findings.h"
#include "base/saturate.h"
#include "facts/derived/steps/before_steps.h"
#include "report/humanize.h"

namespace stepscope::overview {
namespace {

constexpr std::array kOnce = {StepCategory::kCompilation, StepCategory::kOneTime};

// Means of ranks, in ns.
struct Startup {
  int64_t recorded = 0;
  std::array<int64_t, kOnce.size()> before{};    // before the first complete step
  std::array<int64_t, kOnce.size()> in_first{};  // in a first step that is warm-up

  double Share(int64_t time) const {
    return static_cast<double>(time) / static_cast<double>(std::max<int64_t>(recorded, 1));
  }
};

// Nothing where steps were selected, or are not known.
Startup StartupOf(const Facts& facts, const std::vector<RankSteps>& ranks) {
  Startup startup;
  if (!facts.selected.empty()) return startup;
  const int64_t count = std::ssize(ranks);
  for (const RankSteps& rank : ranks) {
    const auto before = BeforeStepsOf(rank, *facts.names);
    if (!before) continue;
    startup.recorded += before->recorded / count;
    const auto add = [&](const StepBreakdown& part, auto& times) {
      for (size_t i = 0; i < kOnce.size(); ++i) times[i] += TimeOf(part, kOnce[i]) / count;
    };
    add(before->time, startup.before);
    if (BeginsWithWarmUp(rank)) add(rank.steps.front(), startup.in_first);
  }
  return startup;
}

std::string Time(int64_t ns) { return HumanTime(static_cast<double>(ns)); }

// What first steps did once, if that is most of what they take more than the median.
std::string_view ReasonOf(const std::vector<RankSteps>& ranks, const TypicalSteps& typical) {
  if (typical.queued == typical.warm_up) return "ran what was queued before the trace began";
  for (const StepCategory category : kOnce) {
    const bool is_most = std::ranges::any_of(ranks, [&](const RankSteps& rank) {
      if (!BeginsWithWarmUp(rank)) return false;
      const StepBreakdown& first = rank.steps.front();
      return 2 * TimeOf(first, category) >= first.Total() - typical.median;
    });
    if (is_most) return StepCategoryName(category);
  }
  return "warm-up";
}

}  // namespace

Phrase SayWarmUp(const std::vector<RankSteps>& ranks, const TypicalSteps& typical) {
  if (typical.warm_up == 0) return {};
  const std::string time = Time(typical.longest_warm_up);
  const std::string more = Time(typical.longest_warm_up - typical.median);
  const std::string_view reason = ReasonOf(ranks, typical);
  return typical.warm_up == 1
             ? Say("; first step of {time} left out: {reason}, {more} more", time, reason, more)
             : Say("; first steps of up to {time} left out: {reason}, {more} more", time, reason,
                   more);
}

Phrase SayBeforeSteps(const Facts& facts, const std::vector<RankSteps>& ranks) {
  constexpr double kMuch = 0.1;
  const Startup startup = StartupOf(facts, ranks);
  Phrase said;
  for (size_t i = 0; i < kOnce.size(); ++i) {
    if (startup.Share(startup.before[i]) < kMuch) continue;
    if (!said.empty()) said += ", ";
    said += Say("{time} of {category}", Time(startup.before[i]), StepCategoryName(kOnce[i]));
  }
  return said.empty() ? said : Say(" Before the first complete step: {times}.", said);
}

void AddStartupFinding(const Facts& facts, const std::vector<RankSteps>& ranks, Report& report) {
  constexpr double kMuch = 0.15;
  const Startup startup = StartupOf(facts, ranks);
  for (size_t i = 0; i < kOnce.size(); ++i) {
    const int64_t time = AddSaturated(startup.before[i], startup.in_first[i]);
    const CauseKind cause = CauseOf(kOnce[i]);
    const bool is_told = std::ranges::any_of(
        report.findings, [&](const Finding& f) { return f.cause.kind == cause; });
    if (is_told || startup.Share(time) < kMuch) continue;
    report.findings.push_back(
        {.message = Say("{what} is {share} of the trace.", SayOnce(kOnce[i]),
                        HumanRatio(startup.Share(time))),
         .because = Say("{time} of {total}, before the first complete step or in one that is left "
                        "out of step time",
                        Time(time), Time(startup.recorded)),
         .hint = Say(kRecordLater, facts),
         .impact = time,
         .table = "step_time",
         .cause = {cause},
         .nearness = Nearness::kPart,
         .extent = {startup.recorded}});
  }
}

}  // namespace stepscope::overview
