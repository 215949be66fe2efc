// Implements the comparison of ranks.
#include "report/compare_ranks.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "base/saturate.h"
#include "report/columns.h"
#include "report/compare_rank_groups.h"
#include "report/compare_reach.h"
#include "report/compare_sides.h"
#include "report/humanize.h"

namespace stepscope::comparison {
namespace {

constexpr double kMinShare = 0.03;       // of the longer step time
constexpr double kRankByChance = 0.003;  // of the pairs of equal runs, in a category
constexpr size_t kFewOthers = 3;         // ranks, of which each is named
constexpr double kStandsOut = 0.5;       // of a rank's change, that the others must not share
constexpr double kOthersToo = 0.1;       // of it, from which on theirs is told

std::vector<int64_t> RanksInBoth(const StepComparison& steps) {
  std::vector<int64_t> both;
  std::ranges::set_intersection(steps.in_a.Ranks(), steps.in_b.Ranks(), std::back_inserter(both));
  return both;
}

double ChangeOf(const StepComparison& steps, const std::string& key, int64_t rank) {
  return steps.in_b.Mean(key, rank) - steps.in_a.Mean(key, rank);
}

// The rank whose time in a category changed most beyond the median change of the others.
struct Outlier {
  std::optional<int64_t> rank;
  const CategoryChange* category = nullptr;
  double change = 0, others = 0;  // ns per step; negative: less
  double beyond = 0;              // what it changed by more than the others, at most its change
  bool all = false;               // every rank changed that way, and not by little
};

enum class Way : int8_t { kMore = 1, kLess = -1 };

// Of the other ranks in each step.
Series MedianOfOthers(const StepSamples& steps, const std::string& key, int64_t rank,
                      const std::vector<int64_t>& ranks) {
  std::vector<int64_t> others = ranks;
  std::erase(others, rank);
  return MedianOfRanks(steps, key, others);
}

// Whether what may be noise is left out.
enum class Noise : uint8_t { kLeftOut, kKept };

// Of one category.
Outlier OutlierIn(const CategoryChange& category, const std::vector<int64_t>& ranks,
                  const StepComparison& steps, Way way, Noise noise) {
  const double sign = static_cast<double>(way);
  std::vector<std::pair<double, int64_t>> changes;  // in the way that is asked for
  for (const int64_t rank : ranks)
    changes.emplace_back(sign * ChangeOf(steps, category.key, rank), rank);
  std::ranges::sort(changes);
  const auto [most, rank] = changes.back();
  const double others = changes[(changes.size() - 2) / 2].first;  // the largest left out
  // Where the others changed in the other way, it did not change by that.
  const double beyond = std::min(most - others, most);
  if (beyond <= kStandsOut * most) return {};
  const auto alike = std::ranges::count_if(
      changes, [&](const auto& change) { return change.first >= kStandsOut * most; });
  if (2 * alike >= std::ssize(changes) && changes.size() > 2) return {};  // it is one of many
  // Of more ranks, one stands out by chance more often.
  const bool changed =
      noise == Noise::kKept || ExcessChanged(steps.in_a.Values(category.key, rank),
                                             MedianOfOthers(steps.in_a, category.key, rank, ranks),
                                             steps.in_b.Values(category.key, rank),
                                             MedianOfOthers(steps.in_b, category.key, rank, ranks),
                                             kRankByChance / static_cast<double>(ranks.size()));
  if (!changed) return {};
  const bool all = changes.size() > 2 && changes.front().first >= kOthersToo * most;
  return {rank, &category, sign * most, sign * others, beyond, all};
}

Outlier FindOutlier(const std::vector<int64_t>& ranks, const StepComparison& steps, Way way,
                    Noise noise = Noise::kLeftOut) {
  Outlier worst;
  for (const CategoryChange& category : steps.categories) {
    // Waiting in collectives is due to other ranks.
    if (category.cause == CauseKind::kCommunication || category.cause == CauseKind::kNone) continue;
    if (category.key.empty()) continue;
    const Outlier own = OutlierIn(category, ranks, steps, way, noise);
    if (own.beyond > worst.beyond) worst = own;
  }
  return worst.beyond < kMinShare * std::max(steps.a, steps.b) ? Outlier{} : worst;
}

Table RankTable(const std::vector<int64_t>& ranks, const StepComparison& steps) {
  Table table{.key = "ranks",
              .title = "Ranks, mean step",
              .columns = {KeyColumn("rank", "rank")},
              .text_rows = 8};
  const Column columns[] = {TimeColumn("time", "step time"),
                            TimeColumn("device_compute", "compute"),
                            Detail(TimeColumn("input", "input"))};
  for (const Column& column : columns) {
    std::ranges::move(Sides(column), std::back_inserter(table.columns));
  }
  for (const int64_t rank : ranks) {
    auto& row = table.rows.emplace_back();
    row.emplace_back(rank);
    for (const Column& column : columns) {
      std::ranges::move(SideCells(ToInt64(steps.in_a.Mean(column.key, rank)),
                                  ToInt64(steps.in_b.Mean(column.key, rank)), column.unit),
                        std::back_inserter(row));
    }
  }
  return table;
}

// "Rank 2 takes 304 ms less unrecorded time per step than before: load (data.py:7) no longer runs."
// Of what the others do too: "..., the others 41.7 ms more"; of what all do: "All ranks take more
// device compute per step than before, rank 4 46.7 ms and the others 13.9 ms".
Phrase SayOutlier(const Outlier& outlier, const Reason& reason) {
  const int64_t rank = outlier.rank.value_or(0);
  const bool less = outlier.change < 0;
  const std::string time = HumanTime(std::abs(outlier.change));
  const Phrase &category = outlier.category->part, why = AfterColon(reason);
  if (outlier.all) {
    const std::string theirs = HumanTime(std::abs(outlier.others));
    return less ? Say("All ranks take less {category} per step than before, rank {rank} {time} and "
                      "the others {others}{why}.",
                      category, rank, time, theirs, why)
                : Say("All ranks take more {category} per step than before, rank {rank} {time} and "
                      "the others {others}{why}.",
                      category, rank, time, theirs, why);
  }
  Phrase others;
  if (outlier.others / outlier.change >= kOthersToo) {
    const std::string theirs = HumanTime(std::abs(outlier.others));
    others =
        less ? Say(", the others {time} less", theirs) : Say(", the others {time} more", theirs);
  }
  return less ? Say("Rank {rank} takes {time} less {category} per step than before{others}{why}.",
                    rank, time, category, others, why)
              : Say("Rank {rank} takes {time} more {category} per step than before{others}{why}.",
                    rank, time, category, others, why);
}

// "rank 0 changed by 170 ms, rank 1 by 6.30 ms"; of many others, the median.
Phrase SayOthers(const Outlier& outlier, const std::vector<int64_t>& ranks,
                 const StepComparison& steps) {
  if (ranks.size() - 1 > kFewOthers)
    return Say("the other ranks changed by {time} (median)", HumanTime(outlier.others));
  Phrase text;
  for (const int64_t rank : ranks) {
    if (rank == outlier.rank) continue;
    const std::string change = HumanTime(ChangeOf(steps, outlier.category->key, rank));
    text += text.empty() ? Say("rank {rank} changed by {time}", rank, change)
                         : ", " + Say("rank {rank} by {time}", rank, change);
  }
  return text;
}

// " Within noise, rank 1 differs most in input: 22.1 ms before, 29.9 ms after (+35.5%)."; empty
// where none does. Of what changed on all ranks together beyond noise, that is not said.
Phrase SayWithinNoise(const std::vector<int64_t>& ranks, const StepComparison& steps) {
  const Outlier most = FindOutlier(ranks, steps, Way::kMore, Noise::kKept);
  if (!most.rank) return {};
  const CategoryChange& of = *most.category;
  const Phrase sides =
      SaySides(steps.in_a.Mean(of.key, most.rank), steps.in_b.Mean(of.key, most.rank));
  return of.IsNoise()
             ? Say(" Within noise, rank {rank} differs most in {category}: {sides}.", *most.rank,
                   of.part, sides)
             : Say(" Rank {rank} differs most in {category}: {sides}.", *most.rank, of.part, sides);
}

// Whether most of what a rank takes more is waiting for others in Python, as for a collective.
bool Waits(const ReportSet& a, const ReportSet& b, const Outlier& more) {
  constexpr double kMost = 0.5;
  const CauseKind cause = more.category->cause;
  return cause == CauseKind::kHost && MoreWaiting(a, b, more.rank) >= kMost * more.change;
}

// ", 171 ms more since step 6"; empty where all steps take more.
Phrase SayReach(const Reach& reach) {
  return reach.when.empty() ? Phrase()
                            : Say(", {time} more{when}", HumanTime(reach.level), reach.when);
}

}  // namespace

RankChange AddRankChange(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                         Report& report, Leads& leads) {
  const std::vector<int64_t> ranks = RanksInBoth(steps);
  if (ranks.size() < 2) return {};
  report.tables.push_back(RankTable(ranks, steps));
  RankChange said;
  const auto reason_of = [&](const Outlier& outlier) {
    return ReasonOf(a, b, outlier.category->cause, outlier.rank, outlier.change);
  };
  const Outlier less = FindOutlier(ranks, steps, Way::kLess);
  if (less.rank) {
    const Reason reason = reason_of(less);
    said.less = SayOutlier(less, reason);
    leads.less.push_back(LeadOf(said.less, reason, *less.category, less.rank, {}, less.change));
  }
  const Outlier more = FindOutlier(ranks, steps, Way::kMore);
  if (const auto group = more.rank ? std::nullopt : FindRankGroup(ranks, steps)) {
    AddRankGroup(a, b, steps, *group, report, leads);
    said.beyond = group->beyond;
    said.of_several = group->category->cause;
    // A small part of what steps changed by is no news beside these.
    if (std::abs(less.change) < kStandsOut * group->change) said.less = {};
    return said;
  }
  if (!more.rank || Waits(a, b, more)) {
    if (!less.rank && !more.rank && steps.IsNoise()) said.within = SayWithinNoise(ranks, steps);
    return said;
  }
  said.beyond = more.beyond;
  const CategoryChange& category = *more.category;
  const Reason reason = reason_of(more);
  const Reach reach = ReachOf(b, steps, category, more.rank);
  const Phrase message = SayOutlier(more, reason);
  if (less.rank) said.more = message;
  leads.more.push_back(LeadOf(message, reason, category, more.rank, reach, more.change));
  report.findings.push_back(
      {.message = message,
       .because = SaySides(steps.in_a.Mean(category.key, more.rank),
                           steps.in_b.Mean(category.key, more.rank)) +
                  SayReach(reach) + "; " + SayOthers(more, ranks, steps) + reason.because,
       .hint = more.all ? HintOn(category, reason)
                        : Say("on rank {rank}: {hint}", *more.rank, HintOn(category, reason)),
       .impact = ToInt64(more.beyond),
       .table = "ranks",
       .cause = {category.cause, more.rank},
       .nearness = Nearness::kCause});
  return said;
}

}  // namespace stepscope::comparison
