// Says what origins cost, by replays.
#include "analyses/whatif_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyses/build.h"
#include "base/saturate.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/derived/replay/origins.h"
#include "report/humanize.h"

namespace stepscope::whatif {
namespace {

int64_t StepsSince(const JobGraph& graph, std::optional<int64_t> since) {
  return std::ranges::count_if(graph.steps, [&](int64_t step) { return !since || step >= *since; });
}

// ", most of it in gemm in Linear", ", most of it before aten::linear".
std::string SayUnits(const Facts& facts, const Origin& origin) {
  if (origin.of.name == kNoString) return {};
  const std::string name = SayMost(facts, {{origin.of.name, 1}});
  return fmt::format(", most of it {} {}", origin.of.kind == UnitKind::kBefore ? "before" : "in",
                     name);
}

// "Ranks 5 and 9 together hold the job up since step 3".
std::string SayWho(const JobGraph& graph, const Origin& origin) {
  std::vector<int64_t> ranks{graph.ranks[origin.rank].rank->rank};
  for (const uint32_t other : origin.with) ranks.push_back(graph.ranks[other].rank->rank);
  std::ranges::sort(ranks);
  const bool several = ranks.size() > 1;
  return Capitalized(SayRanks(ranks)) +
         (several ? " together hold the job up" : " holds the job up") +
         (origin.since ? fmt::format(" since step {}", *origin.since) : "");
}

std::string SayExcess(const Facts& facts, const Origin& origin) {
  const std::string than =
      origin.as_before
          ? std::string("before")
          : "on " + Plural(JobGraphOf(facts).work[origin.rank].peers.size() - 1, "rank") +
                " with the same work";
  const std::string whose =
      origin.with.empty()
          ? std::string("its")
          : fmt::format("rank {}'s", JobGraphOf(facts).ranks[origin.rank].rank->rank);
  return fmt::format("{} own work takes {} more per step than {}{}", whose,
                     HumanTime(static_cast<double>(origin.excess)), than, SayUnits(facts, origin));
}

}  // namespace

void AddOriginFindings(Report& report, const Facts& facts, double error) {
  const JobGraph& graph = JobGraphOf(facts);
  const Origins& origins = OriginsOf(facts);
  const auto mean = [&](const std::vector<int64_t>& lengths, const Origin& origin) {
    return static_cast<double>(MeanStep(graph, lengths, origin.since));
  };
  const bool known = report.status == Status::kOk;
  double before = 0;  // saved by those before
  for (const Origin& origin : origins.found) {
    const double saved = mean(origin.saved, origin), recorded = mean(origins.recorded, origin);
    const bool kernels = 2 * origin.of_devices > origin.excess;
    report.findings.push_back(
        {.message = fmt::format("{}: {}{} of {} per step.", SayWho(graph, origin),
                                origin.of_one_name ? "at least " : "", HumanTime(saved),
                                HumanTime(recorded)),
         .because =
             fmt::format("{}; a replay without that{} takes {} (± {})", SayExcess(facts, origin),
                         before > 0 ? ", and without what costs more," : "",
                         HumanTime(recorded - before - saved), HumanRatio(error)),
         .hint = kernels
                     ? "check clocks, temperature and power of the device, and whether the rank "
                       "has more work than others"
                     : "look at what the host of this rank does between launches: see `python`",
         .impact = ToInt64(saved * static_cast<double>(StepsSince(graph, origin.since))),
         .table = "changes",
         .cause = {CauseKind::kWait, graph.ranks[origin.rank].rank->rank},
         .nearness = Nearness::kPart,  // under what says why, if that is known
         .since = origin.since,
         .worth = known && !origin.of_one_name
                      ? std::optional(Worth{ToInt64(saved), ToInt64(recorded),
                                            ToInt64(error * recorded), origin.excess})
                      : std::nullopt});
    before += saved;
  }
}

// What others found of these causes is worth what a replay says.
void AddWorths(Report& report, const Facts& facts, std::span<const AskedChange> changes,
               double error) {
  const JobGraph& graph = JobGraphOf(facts);
  const Origins& origins = OriginsOf(facts);
  const auto worth_of = [&](int64_t saved, std::optional<int64_t> since, int64_t excess) {
    const int64_t recorded = MeanStep(graph, origins.recorded, since);
    return Worth{saved, recorded, ToInt64(error * static_cast<double>(recorded)), excess};
  };
  const auto time = [](int64_t ns) { return HumanTime(static_cast<double>(ns)); };
  const auto add = [&](std::string message, const Worth& worth, Cause cause) {
    report.findings.push_back(
        {.message = std::move(message),
         .because = fmt::format("a replay has an error of {}", time(worth.error)),
         .table = "changes",
         .cause = cause,
         .worth = worth,
         .only_worth = true});
  };
  for (const AskedChange& change : changes) {
    if (change.kind != ColumnKind::kInput) continue;
    const Worth worth = worth_of(change.Saved(facts), change.since, 0);
    add(fmt::format("With '{}' a step takes {} less, of {}.", change.text, time(worth.saved),
                    time(worth.step_time)),
        worth, {CauseKind::kInput, std::nullopt});
  }
}

}  // namespace stepscope::whatif
