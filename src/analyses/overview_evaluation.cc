// Sums the runs of evaluation over ranks.
#include "analyses/overview_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analyses/build.h"
#include "analyses/overview_findings.h"
#include "base/saturate.h"
#include "facts/derived/steps/step_categories.h"
#include "report/humanize.h"

namespace stepscope::overview {
namespace {

struct Sums {
  int64_t ranks = 0;
  int64_t time = 0, recorded = 0;  // ns, of all ranks
  int64_t runs = 0, calls = 0;
  StringId function = kNoString;  // with the most time
};

Sums SumOf(const Facts& facts) {
  Sums sums;
  std::map<StringId, int64_t> times;
  for (const RankActivity& rank : facts.ranks) {
    const auto whole = WholeRecording(rank);
    if (rank.evaluations.empty() || !whole) continue;
    ++sums.ranks;
    sums.recorded = AddSaturated(sums.recorded, whole->end - whole->start);
    for (const EvaluationRun& run : rank.evaluations) {
      const int64_t time = run.end - run.start;
      sums.time = AddSaturated(sums.time, time);
      int64_t& own = times[run.function];
      own = AddSaturated(own, time);
      sums.calls = AddSaturated(sums.calls, run.calls);
      ++sums.runs;
    }
  }
  if (times.empty()) return sums;
  sums.function =
      std::ranges::max_element(times, {}, [](const auto& of_one) { return of_one.second; })->first;
  return sums;
}

}  // namespace

std::string AddEvaluation(const Facts& facts, Report& report) {
  if (!facts.selected.empty()) return "";
  const Sums sums = SumOf(facts);
  if (sums.ranks == 0) return "";
  const int64_t ranks = sums.ranks;
  const int64_t time = sums.time / ranks, runs = sums.runs / ranks, calls = sums.calls / ranks;
  report.metrics.push_back(
      {"evaluation_time", "evaluation between steps", time, Unit::kNanoseconds, true});
  report.metrics.push_back({"evaluation_runs", "evaluations", runs, Unit::kCount, true});
  report.metrics.push_back({"evaluation_ratio", "evaluation, % of the trace",
                            Ratio(sums.time, sums.recorded), Unit::kRatio, true});
  const double share =
      static_cast<double>(sums.time) / static_cast<double>(std::max<int64_t>(sums.recorded, 1));
  if (share < kModerately) return "";
  const std::string said =
      fmt::format("{} in {}: {} of the trace", HumanTime(static_cast<double>(time)),
                  Plural(static_cast<size_t>(runs), "run"), HumanRatio(share));
  if (sums.function == kNoString)
    return fmt::format(" Forward passes without training (evaluation, generation) take {}.", said);
  return fmt::format(" Evaluation between steps takes {} ({} of {}).", said,
                     Plural(static_cast<size_t>(calls), "call"), (*facts.names)[sums.function]);
}

}  // namespace stepscope::overview
