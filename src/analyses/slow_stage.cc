// Writes the finding about the slow pipeline stage.
#include "analyses/slow_stage.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "analyses/build.h"
#include "analyses/late_words.h"
#include "facts/derived/lateness/stages.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace slow_stage {
namespace {

// Stages are never equal: what a stage may have beyond the others, over the span. Less counts where
// it came at a step.
constexpr double kLeastShare = 0.12;
constexpr double kLeastShareSince = 0.05;

Table StageTable(const Facts& facts, const std::vector<RankEffort>& efforts) {
  Table table{
      .key = "stages", .title = "Ranks by own time", .columns = ParticipantKeys(), .text_rows = 8};
  AddColumns(table, {TimeColumn("own", "own time"), TimeColumn("compute", "compute"),
                     TimeColumn("exposed", "exposed communication")});
  SetKinds(table, {{"compute", ColumnKind::kCompute}, {"exposed", ColumnKind::kCommunication}});
  for (size_t r = 0; r < efforts.size(); ++r) {
    std::vector<Cell> row = ParticipantCells(facts.collectives.ranks[r]);
    row.insert(row.end(), {efforts[r].own, efforts[r].compute, efforts[r].exposed});
    table.rows.push_back(std::move(row));
  }
  SortDescending(table, "own");
  return table;
}

std::optional<int64_t> SinceOf(const Facts& facts, const LateRank& late) {
  const StepChange* change = RiseOf(late.reason, facts, facts.collectives.ranks[late.rank]);
  return change == nullptr ? std::nullopt : std::optional(change->since);
}

// ns, at least 1, of the rank or the median of the others: with selected steps, these may begin
// earlier.
double LongerSpan(const RankEffort& own, const RankEffort& beyond) {
  const auto span = [](int64_t work, int64_t exposed) {
    return static_cast<double>(work) + static_cast<double>(exposed);
  };
  return std::max(
      {span(own.own, own.exposed), span(own.own - beyond.own, own.exposed - beyond.exposed), 1.0});
}

LateRank Explain(const Facts& facts, const std::vector<RankEffort>& efforts,
                 const std::vector<RankEffort>& beyond) {
  const SlowStage slow = FindSlowStage(efforts, beyond);
  LateRank late{.rank = slow.rank, .lost = slow.lost, .beyond = beyond[slow.rank]};
  late.reason = FindLateReason(facts, late, efforts[slow.rank].kernels, slow.lost);
  late.since = SinceOf(facts, late);
  TakeWork(facts, late);
  AddExcess(facts, late);
  AddFunction(facts, late);
  return late;
}

// It and those with as much more time of their own: all of a stage, where a host that is slow has
// one.
std::vector<int64_t> RanksOfStage(const Facts& facts, const LateRank& late,
                                  const std::vector<RankEffort>& beyond) {
  constexpr double kAsMuch = 0.8;
  std::set<int64_t> stage;
  for (size_t r = 0; r < beyond.size(); ++r) {
    if (static_cast<double>(beyond[r].own) >= kAsMuch * static_cast<double>(late.beyond.own))
      stage.insert(facts.collectives.ranks[r].rank);
  }
  return {stage.begin(), stage.end()};
}

Phrase SayStage(const Facts& facts, const LateRank& late, const std::vector<int64_t>& stage) {
  const Phrase since = late.since ? Say(" since step {first}", *late.since) : Phrase();
  if (stage.size() > 1) return Say("{ranks} are the slow stage{since}", SayRanks(stage), since);
  return Say("{who} is the slow stage{since}",
             SayParticipant(facts, facts.collectives.ranks[late.rank]), since);
}

// Whether other ranks can take over what it has more of.
bool MayBeBalanced(const LateRank& late) {
  return IsCompute(late.reason) && late.reason != LateReason::kCompute;
}

void AddFinding(Report& report, const Facts& facts, const LateRank& late,
                const std::vector<int64_t>& stage, double share) {
  const RankCollectives& rank = facts.collectives.ranks[late.rank];
  const bool several = stage.size() > 1;
  report.findings.push_back(
      {.message =
           Say("{stage}: {reason}, {share} of span.", Capitalized(SayStage(facts, late, stage)),
               SayLateReason(late, facts), HumanRatio(share)),
       .because = Say("{cause}; the others wait in sends and receives: outside of communication "
                      "{rank} takes {time} more than their median",
                      SayLateEvidence(late, facts), SayParticipant(facts, rank),
                      HumanTime(static_cast<double>(late.beyond.own))),
       .hint = MayBeBalanced(late)
                   ? Phrase("balance the stages: move layers to ranks with less own time")
                   : LateHint(late, facts),
       .impact = late.lost,
       .table = "stages",
       .cause = {CauseOf(late.reason), several ? std::nullopt : std::optional(rank.rank)},
       .nearness = late.reason == LateReason::kUnknown ? Nearness::kSymptom : Nearness::kCause,
       .extent = {.recordings = facts.RecordingsOfARank()},
       .since = late.since,
       .where = {.ranks = several ? stage : std::vector<int64_t>(),
                 .event = EventOf(late, facts)}});
}

}  // namespace
}  // namespace slow_stage

void AddSlowStage(Report& report, const Facts& facts) {
  const auto& [efforts, beyond] = EffortsOf(facts);
  report.tables.push_back(slow_stage::StageTable(facts, efforts));
  LateRank late = slow_stage::Explain(facts, efforts, beyond);
  const double span = slow_stage::LongerSpan(efforts[late.rank], beyond[late.rank]);
  const double share = static_cast<double>(late.lost) / span;
  const bool slow = share >= (late.since ? slow_stage::kLeastShareSince : slow_stage::kLeastShare);
  // What others take over adds to their own time: all then take the mean. What began at a step is
  // more work of all.
  if (!late.since && slow_stage::MayBeBalanced(late)) late.lost -= late.lost / std::ssize(efforts);
  if (slow) {
    slow_stage::AddFinding(report, facts, late, slow_stage::RanksOfStage(facts, late, beyond),
                           static_cast<double>(late.lost) / span);
  }
  if (!report.headline.empty()) return;
  report.headline = Say(
      "{verdict}: {who} has the most own time, {share} of span more than the median of the others.",
      slow ? "One stage is slow" : "No stage is slow",
      SayParticipant(facts, facts.collectives.ranks[late.rank]), HumanRatio(share));
}

}  // namespace stepscope
