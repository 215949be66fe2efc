// Implements the findings and leads of categories.
#include "report/compare_categories.h"

#include <algorithm>
#include <optional>

#include "base/saturate.h"
#include "report/compare_growth.h"
#include "report/compare_reach.h"
#include "report/compare_read.h"
#include "report/humanize.h"
#include "report/lookup.h"

namespace stepscope::comparison {
namespace {

constexpr double kMinShare = 0.03;  // of the longer step time

// Where others grew at least half as much, ranks wait longer in collectives because of that.
constexpr double kMakesWait = 0.5;
constexpr double kMostWaits = 0.5;  // of what collectives take more

// The category that grew most, where ranks may wait because of it; null: none did.
const CategoryChange* CauseOfWaiting(const StepComparison& steps,
                                     const CategoryChange& collectives) {
  const CategoryChange* most = nullptr;
  for (const CategoryChange& c : steps.categories) {
    if (c.cause == CauseKind::kCommunication || c.IsNoise()) continue;
    if (c.Change() < kMakesWait * collectives.Change()) continue;
    if (most == nullptr || c.Change() > most->Change()) most = &c;
  }
  return most;
}

// ns per step that ranks wait for one another; nothing where that is not known.
std::optional<double> Waiting(const ReportSet& answer) {
  std::optional<double> waits;
  ForRows(answer, "breakdown", "parts", std::nullopt, [&](const Table& table, const Row& row) {
    if (Text(row, FindColumn(table, "key")) == "wait")
      waits = Number(row, FindColumn(table, "time"));
  });
  return waits;
}

// Whether most of what collectives take more may be waiting.
bool MayWait(const ReportSet& a, const ReportSet& b, const CategoryChange& collectives) {
  const auto before = Waiting(a), after = Waiting(b);
  return !after || *after - before.value_or(0) >= kMostWaits * collectives.Change();
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

bool AddCategoryFindings(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                         bool on_a_rank, CauseKind of_several, bool more_collectives,
                         Report& report, Leads& leads) {
  bool waits_for_cause = false;
  // For several ranks, that is a part of their cause.
  const CauseKind of_waiting = of_several == CauseKind::kNone ? CauseKind::kWait : of_several;
  AddLeadsOfLess(a, b, steps, leads);
  for (const CategoryChange& c : steps.categories) {
    if (c.Change() < kMinShare * std::max(steps.a, steps.b) || c.IsNoise()) continue;
    // Of as many collectives, ranks wait longer in them: no cause where steps are as long.
    const bool same_collectives = c.cause == CauseKind::kCommunication && !more_collectives;
    if (same_collectives && steps.IsNoise() && !on_a_rank) continue;
    const bool may_wait = same_collectives && MayWait(a, b, c);
    const CategoryChange* behind = may_wait ? CauseOfWaiting(steps, c) : nullptr;
    // Where one rank became slower, the others wait for it.
    const bool waits = c.cause == CauseKind::kCommunication && (on_a_rank || behind != nullptr);
    waits_for_cause |= behind != nullptr || (may_wait && on_a_rank);
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
         .cause = {on_a_rank && waits  ? of_waiting
                   : behind != nullptr ? behind->cause
                                       : c.cause},
         .nearness = on_a_rank || waits ? Nearness::kSymptom : Nearness::kPart,
         .extent = {.time = ToInt64(steps.b), .steps = 1},
         .at_most = incomparable ? Severity::kLow : Severity::kHigh});
  }
  return waits_for_cause;
}

}  // namespace stepscope::comparison
