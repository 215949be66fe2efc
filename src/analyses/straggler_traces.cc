// Reports what stragglers cost the job whose ranks were traced. It is asked by `stepscope whatif`
// alone: analyses of every run ask `whatif` instead, which finds where lateness began.
#include "analyses/build.h"
#include "analyses/straggler_report.h"
#include "facts/derived/replay/job_stragglers.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/paths/dependencies.h"
#include "report/humanize.h"

namespace stepscope {

const Wanted kStragglerNeeds = kDependencyNeeds;

namespace {

const Analysis kStragglerTraces = {.name = "whatif",
                                   .title = "What stragglers cost",
                                   .summary = "Steps with and without stragglers",
                                   .doc = "",
                                   .needs = kStragglerNeeds,
                                   .params = {}};

// What the comparison cannot see.
void AddLimits(Report& report, const JobStragglers& found, size_t ranks) {
  if (found.alone > 0) {
    report.status = Status::kPartial;
    const Phrase all = Plural(ranks, "rank");
    report.why = found.alone == static_cast<int64_t>(ranks)
                     ? Say("all of {ranks} have no rank with the same work to compare with: only "
                           "how their steps vary counts",
                           all)
                     : Say("{count} of {ranks} have no rank with the same work to compare with: "
                           "only how their steps vary counts",
                           found.alone, all);
  }
  if (found.unsized > 0) {
    report.notes.push_back({"unknown_size", found.unsized,
                            "transfers were kept as recorded: their size is not known", ""});
  }
}

}  // namespace

Report StragglerReportOf(const Facts& facts) {
  Report report = StartReport(kStragglerTraces, facts);
  if (report.status == Status::kUnavailable) return report;
  const JobGraph& graph = JobGraphOf(facts);
  if (graph.ranks.empty()) {
    MakeUnavailable(report, "nothing says which call launched an activity");
  } else if (graph.ranks.size() < 2) {
    MakeUnavailable(report, "one rank was given, and stragglers are ranks that others wait for");
  } else if (graph.steps.empty()) {
    MakeUnavailable(report, "no complete step was recorded of all ranks");
  }
  if (report.status == Status::kUnavailable) return report;
  const JobStragglers& found = JobStragglersOf(facts);
  report = StragglerReport(
      found.cost, {.no_delay = "unexplained delays",
                   .ideal = "the mean of its peers and steps, or the median of its transfers"});
  AddLimits(report, found, graph.ranks.size());
  return report;
}

}  // namespace stepscope
