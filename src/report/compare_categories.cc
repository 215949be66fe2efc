// Implements the findings and leads of categories.
#include "report/compare_categories.h"

#include <algorithm>
#include <optional>

#include "base/saturate.h"
#include "report/compare_growth.h"
#include "report/compare_reach.h"
#include "report/compare_read.h"
#include "report/humanize.h"

namespace stepscope::comparison {
namespace {

constexpr double kMinShare = 0.03;  // of the longer step time

// Where others grew at least half as much, ranks wait longer in collectives because of that.
constexpr double kMakesWait = 0.5;

bool OthersGrew(const StepComparison& steps, const CategoryChange& collectives) {
  return std::ranges::any_of(steps.categories, [&](const CategoryChange& c) {
    return c.cause != CauseKind::kCommunication && !c.IsNoise() &&
           c.Change() >= kMakesWait * collectives.Change();
  });
}

// Waiting falls where something else does; of what fell by noise nothing is said.
void AddLeadsOfLess(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                    Leads& leads) {
  for (const CategoryChange& c : steps.categories) {
    if (-c.Change() < kMinShare * std::max(steps.a, steps.b) || c.IsNoise()) continue;
    const bool waits = c.cause == CauseKind::kCommunication;
    if (waits && (RanksDiffer(a, b) || !leads.less.empty())) continue;
    const Reason reason = ReasonOf(a, b, c.cause, std::nullopt, c.Change());
    if (!IsLead(reason, {}, {})) continue;
    // What is known of one rank is told with it.
    const bool told = std::ranges::any_of(leads.less, [&](const Lead& other) {
      return !reason.brief.empty() && other.clause.contains(reason.brief);
    });
    if (!told) leads.less.push_back(LeadOf({}, reason, c, {}, {}, c.Change()));
  }
}

}  // namespace

void AddCategoryFindings(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                         bool on_a_rank, bool more_collectives, Report& report, Leads& leads) {
  AddLeadsOfLess(a, b, steps, leads);
  for (const CategoryChange& c : steps.categories) {
    if (c.Change() < kMinShare * std::max(steps.a, steps.b) || c.IsNoise()) continue;
    // Of as many collectives, ranks wait longer in them: no cause where steps are as long.
    const bool same_collectives = c.cause == CauseKind::kCommunication && !more_collectives;
    if (same_collectives && steps.IsNoise() && !on_a_rank) continue;
    // Where one rank became slower, the others wait for it.
    const bool waits = c.cause == CauseKind::kCommunication &&
                       (on_a_rank || (same_collectives && OthersGrew(steps, c)));
    const Reason reason = ReasonOf(a, b, c.cause, std::nullopt, c.Change());
    const bool incomparable = c.cause == CauseKind::kCommunication && RanksDiffer(a, b);
    const Phrase message = Say("{category} grew by {time} per step{reason}.", Capitalized(c.part),
                               HumanTime(c.Change()), AfterColon(reason));
    const Reach reach = ReachOf(b, steps, c, {});
    if (!waits && !incomparable && IsLead(reason, {}, reach))
      leads.more.push_back(LeadOf(message, reason, c, {}, reach, c.Change()));
    report.findings.push_back(
        {.message = message,
         .because = SaySides(c.a, c.b) + "; " + SayPoints(c) + reason.because,
         .hint = HintOn(c, reason),
         .impact = ToInt64(c.Change()),
         .table = "categories",
         .cause = {waits ? CauseKind::kWait : c.cause},
         .nearness = on_a_rank || waits ? Nearness::kSymptom : Nearness::kPart,
         .extent = {.time = ToInt64(steps.b), .steps = 1},
         .at_most = incomparable ? Severity::kLow : Severity::kHigh});
  }
}

}  // namespace stepscope::comparison
