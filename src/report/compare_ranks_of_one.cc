// Implements what is told of ranks that only one run has.
#include "report/compare_ranks_of_one.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "base/saturate.h"
#include "report/compare_read.h"
#include "report/findings.h"
#include "report/humanize.h"
#include "report/lookup.h"

namespace stepscope::comparison {
namespace {

// Of ranks that the other run does not have, what takes time that counts; of each the first.
std::vector<const Finding*> FindingsOfOthers(const ReportSet& whole, const ReportSet& other) {
  const std::set<int64_t> known = RanksRead(other);
  std::set<int64_t> told;
  std::vector<const Finding*> found;
  for (const Finding* finding : FindingsInOrder(whole)) {
    const auto rank = finding->cause.rank;
    if (!rank || known.contains(*rank) || finding->per_step <= 0) continue;
    if (finding->severity == Severity::kLow || !told.insert(*rank).second) continue;
    found.push_back(finding);
  }
  return found;
}

Phrase SaySince(const Finding& finding) {
  return finding.since ? Say(" since step {step}", *finding.since) : Phrase();
}

// Over all steps of the run, where it is not in all of them.
double PerStep(const ReportSet& whole, const Finding& finding) {
  const auto now = static_cast<double>(finding.per_step);
  if (!finding.since) return now;
  double all = 0, since = 0;
  ForRows(whole, "overview", "steps", finding.cause.rank, [&](const Table& table, const Row& row) {
    ++all;
    const auto step = FindColumn(table, "step");
    if (Number(row, step) >= static_cast<double>(*finding.since)) ++since;
  });
  return all > 0 ? now * since / all : now;
}

// What it costs now, as its own run says.
std::string TimeOf(const Finding& finding) {
  return HumanTime(static_cast<double>(finding.per_step));
}

void AddLeadOfBefore(const ReportSet& whole, const Finding& finding, Leads& leads) {
  leads.less.push_back(
      {.message = {},
       .clause =
           Say("rank {rank}, which only the run before has, held it up by {time} per step{since}",
               *finding.cause.rank, TimeOf(finding), SaySince(finding)),
       .time = PerStep(whole, finding)});
}

double AddFindingOfAfter(const ReportSet& whole, const Finding& finding, Report& report,
                         Leads& leads) {
  const double per_step = PerStep(whole, finding);
  const int64_t rank = *finding.cause.rank;
  const std::string time = TimeOf(finding);
  const Phrase since = SaySince(finding),
               message =
                   Say("Rank {rank}, which only the run after has, holds it up by {time} per "
                       "step{since}.",
                       rank, time, since);
  report.findings.push_back(
      {.message = message,
       .because = Say("the run after alone: {finding} {why}", finding.message, finding.because),
       .hint = finding.hint,
       .impact = ToInt64(per_step),
       .cause = finding.cause,
       .nearness = Nearness::kCause,
       .extent = {.time = ToInt64(MetricOf(whole, "overview", "step_time_mean")), .steps = 1}});
  leads.more.push_back(
      {.message = message,
       .clause =
           Say("rank {rank}, which only the run after has, holds it up by {time} per step{since}",
               rank, time, since),
       .time = per_step});
  return per_step;
}

}  // namespace

double AddRanksOfOneRun(const RunsToCompare& runs, Report& report, Leads& leads) {
  double most = 0;
  if (runs.all_before == nullptr || runs.all_after == nullptr) return most;
  const ReportSet &before = *runs.all_before, &after = *runs.all_after;
  for (const Finding* finding : FindingsOfOthers(before, after))
    AddLeadOfBefore(before, *finding, leads);
  for (const Finding* finding : FindingsOfOthers(after, before))
    most = std::max(most, AddFindingOfAfter(after, *finding, report, leads));
  return most;
}

}  // namespace stepscope::comparison
