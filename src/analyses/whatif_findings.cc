// Says what origins cost, by replays.
#include "analyses/whatif_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
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
std::string SayUnits(const Facts& facts, const OriginRank& late) {
  if (late.of.name == kNoString) return {};
  const std::string name = SayMost(facts, {{late.of.name, 1}});
  return fmt::format(", most of it {} {}", late.of.kind == UnitKind::kBefore ? "before" : "in",
                     name);
}

// " since step 3", " in steps 3, 6 and 9", " in 5 of 12 steps".
std::string SayWhen(const JobGraph& graph, const Origin& origin) {
  constexpr size_t kFew = 4;
  if (origin.since) return fmt::format(" since step {}", *origin.since);
  if (origin.in_steps.empty()) return {};
  if (origin.in_steps.size() > kFew)
    return fmt::format(" in {} of {} steps", origin.in_steps.size(), graph.steps.size());
  const auto first = std::span(origin.in_steps).first(origin.in_steps.size() - 1);
  return fmt::format(" in steps {} and {}", fmt::join(first, ", "), origin.in_steps.back());
}

// "Ranks 5 and 9 together hold the job up since step 3".
std::string SayWho(const JobGraph& graph, const Origin& origin) {
  std::vector<int64_t> ranks{graph.ranks[origin.late.rank].rank->rank};
  for (const OriginRank& other : origin.with) ranks.push_back(graph.ranks[other.rank].rank->rank);
  std::ranges::sort(ranks);
  const bool several = ranks.size() > 1;
  return Capitalized(SayRanks(ranks)) +
         (several ? " together hold the job up" : " holds the job up") + SayWhen(graph, origin);
}

std::string SayExcess(const Facts& facts, const OriginRank& late, bool several) {
  const JobGraph& graph = JobGraphOf(facts);
  const Phrase than =
      late.as_before
          ? Phrase("before")
          : "on " + Plural(graph.work[late.rank].peers.size() - 1, "rank") + " with the same work";
  const std::string whose =
      several ? fmt::format("rank {}'s", graph.ranks[late.rank].rank->rank) : std::string("its");
  const std::string since =
      several && late.since ? fmt::format(" since step {}", *late.since) : std::string();
  return fmt::format("{} own work takes {} more per step{} than {}{}", whose,
                     HumanTime(static_cast<double>(late.excess)), since, than,
                     SayUnits(facts, late));
}

// Of all of them, the one with most of it first.
std::string SayExcesses(const Facts& facts, const Origin& origin) {
  std::vector<OriginRank> ranks = origin.with;
  ranks.push_back(origin.late);
  std::ranges::stable_sort(ranks, std::ranges::greater{}, &OriginRank::excess);
  std::string all;
  for (const OriginRank& late : ranks)
    all += (all.empty() ? "" : "; ") + SayExcess(facts, late, ranks.size() > 1);
  return all;
}

// What a replay says, ns per step; `error`: a share of the step.
Worth WorthOf(double saved, double recorded, double error, double excess) {
  return {ToInt64(saved), ToInt64(recorded), ToInt64(error * recorded), ToInt64(excess)};
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
    const bool kernels = 2 * origin.late.of_devices > origin.late.excess;
    report.findings.push_back(
        {.message = fmt::format("{}: {}{} of {} per step{}.", SayWho(graph, origin),
                                origin.late.of_one_name ? "at least " : "", HumanTime(saved),
                                HumanTime(recorded), origin.in_steps.empty() ? "" : " on average"),
         .because =
             fmt::format("{}; a replay without that{} takes {} (± {})", SayExcesses(facts, origin),
                         before > 0 ? ", and without what costs more," : "",
                         HumanTime(recorded - before - saved), HumanRatio(error)),
         .hint = kernels
                     ? "check clocks, temperature and power of the device, and whether the rank "
                       "has more work than others"
                     : "look at what the host of this rank does between launches: see `python`",
         .impact = ToInt64(saved * static_cast<double>(StepsSince(graph, origin.since))),
         .table = "changes",
         .cause = {CauseKind::kWait, graph.ranks[origin.late.rank].rank->rank},
         .nearness = Nearness::kPart,  // under what says why, if that is known
         .since = origin.since,
         .worth = known && !origin.late.of_one_name
                      ? std::optional(WorthOf(saved, recorded, error,
                                              static_cast<double>(origin.late.excess)))
                      : std::nullopt});
    before += saved;
  }
}

void AddLinkFindings(Report& report, const Facts& facts, std::span<const AskedChange> changes,
                     double error) {
  constexpr double kLeastCost = 0.03;  // of a step, as of a rank
  const JobGraph& graph = JobGraphOf(facts);
  for (const AskedChange& change : changes) {
    if (change.link == nullptr) continue;
    const SlowLink& link = *change.link;
    const CollectiveGroup& group = facts.collectives.groups[link.group];
    const auto recorded =
        static_cast<double>(MeanStep(graph, OriginsOf(facts).recorded, change.since));
    const auto saved = static_cast<double>(change.Saved(facts));
    if (saved < std::max(kLeastCost, error) * recorded) continue;
    const int64_t steps = StepsSince(graph, change.since);
    const std::string of =
        group.members.empty() ? "" : fmt::format(" ({})", SayRanks(group.members));
    const std::string than =
        link.alike == 0 ? "before" : "on " + Plural(link.alike, "group") + " alike";
    report.findings.push_back(
        {.message =
             fmt::format("Transfers of group {}{} take {:.1f} times as long as {}{}: {} of {} "
                         "per step.",
                         group.label, of, link.times, than,
                         link.since ? fmt::format(" since step {}", *link.since) : "",
                         HumanTime(saved), HumanTime(recorded)),
         .because =
             fmt::format("{} takes {} once its last rank has come, {} {}; a replay without that "
                         "takes {} (± {})",
                         (*facts.names)[link.operation], HumanTime(link.now), than,
                         HumanTime(link.usual), HumanTime(recorded - saved), HumanRatio(error)),
         .hint =
             "check the links between these ranks: errors (nvidia-smi nvlink -e, ibstat, ethtool "
             "-S), other jobs on them, and the path that NCCL chose (NCCL_DEBUG=INFO)",
         .impact = ToInt64(saved * static_cast<double>(steps)),
         .table = "changes",
         .cause = {CauseKind::kCommunication, std::nullopt},
         .nearness = Nearness::kCause,
         .since = change.since,
         .worth = report.status == Status::kOk
                      ? std::optional(WorthOf(saved, recorded, error,
                                              link.excess / static_cast<double>(steps)))
                      : std::nullopt});
  }
}

// What others found of these causes is worth what a replay says.
void AddWorths(Report& report, const Facts& facts, std::span<const AskedChange> changes,
               double error) {
  const JobGraph& graph = JobGraphOf(facts);
  const Origins& origins = OriginsOf(facts);
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
    // Where messages have no partner, or the library's waits are guessed, links between ranks lack.
    const bool hidden = change.upper_bound && change.kind == ColumnKind::kCommunication;
    if (hidden && (facts.OnHost() || graph.unmatched_messages > 0)) continue;
    if (!hidden && change.kind != ColumnKind::kInput) continue;
    const int64_t recorded = MeanStep(graph, origins.recorded, change.since);
    const Worth worth =
        WorthOf(static_cast<double>(change.Saved(facts)), static_cast<double>(recorded), error, 0);
    add(fmt::format("With '{}' a step takes {} less, of {}.", change.text, time(worth.saved),
                    time(worth.step_time)),
        worth, {hidden ? CauseKind::kCommunication : CauseKind::kInput, std::nullopt});
  }
}

}  // namespace stepscope::whatif
