// Prices what other analyses found, by replays.
#include "analyses/whatif_worths.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyses/build.h"
#include "analyses/changes.h"
#include "analyses/thread_wait.h"
#include "base/intervals.h"
#include "base/robust.h"
#include "base/saturate.h"
#include "facts/derived/python/along_windows.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/derived/replay/replay_error.h"
#include "facts/derived/steps/step_categories.h"
#include "report/humanize.h"

namespace stepscope::whatif {

int64_t StepsSince(const JobGraph& graph, std::optional<int64_t> since) {
  return std::ranges::count_if(graph.steps, [&](int64_t step) { return !since || step >= *since; });
}

Worth WorthOf(double saved, double recorded, double error, double excess) {
  return {ToInt64(saved), ToInt64(recorded), ToInt64(error * recorded), ToInt64(excess)};
}

namespace {

// A function, for whoever names it; or of its own, where nobody does.
Finding FindingOfFunction(const Facts& facts, const AskedChange& change, const Worth& worth) {
  constexpr double kMuch = 0.1;  // of a step: else nobody need know
  const FrameTimes::Leader& leader = *change.function;
  const std::string less = HumanTime(static_cast<double>(worth.saved)),
                    of = HumanTime(static_cast<double>(worth.step_time));
  const bool much =
      static_cast<double>(worth.saved) >= kMuch * static_cast<double>(worth.step_time);
  const Phrase function = SayLeader(leader);
  Finding finding{
      .message =
          change.since ? Say("Without {function} a step takes {less} less, of {time} since step "
                             "{step}.",
                             function, less, of, *change.since)
          : StepsAreMarked(facts)
              ? Say("Without {function} a step takes {less} less, of {time}.", function, less, of)
              : Say("Without {function} the recording takes {less} less, of {time}.", function,
                    less, of),
      .hint = SpeedUp(facts, leader),
      .impact = ToInt64(static_cast<double>(worth.saved) *
                        static_cast<double>(StepsSince(JobGraphOf(facts), change.since))),
      .where = {.event = Phrase::Name(LabelOf(leader.name))},
      .at_most = much ? Severity::kHigh : Severity::kLow};
  if (leader.ranks.size() == 1) finding.where.ranks = leader.ranks;
  return finding;
}

// "called 3× per step on rank 1, 9.33 ms each (median)": of the rank that calls it, or the first.
Phrase SayCallsOf(const Facts& facts, const FrameTimes::Leader& leader) {
  const int64_t rank =
      leader.ranks.empty() ? RankStepsOf(facts).front().rank->rank : leader.ranks.front();
  const RankSteps* own = StepsOfRank(facts, rank);
  if (own == nullptr) return {};
  const IntervalSet windows = UnionOf(WindowsOf(*own));
  const AnywhereInWindows in_steps(windows);
  std::vector<double> times;
  for (const Interval& call : CallsOf(facts, *own->rank, leader.name)) {
    if (in_steps.Holds(call.start)) times.push_back(static_cast<double>(call.end - call.start));
  }
  if (times.empty()) return {};  // it began before them
  const double per_step =
      static_cast<double>(times.size()) / static_cast<double>(own->steps.size());
  const std::string each = HumanTime(Median(std::move(times)));
  const Phrase on = HasOneRank(facts) ? Phrase() : Say(" on rank {rank}", rank);
  return StepsAreMarked(facts) ? Say("called {count}× per step{on_rank}, {time} each (median)",
                                     HumanCount(per_step), on, each)
                               : Say("called {count}×{on_rank}, {time} each (median)",
                                     HumanCount(per_step), on, each);
}

// What others found of a rank, of input or of communication.
Finding FindingOfOthers(const AskedChange& change, const Worth& worth, Cause cause) {
  const auto time = [](int64_t ns) { return HumanTime(static_cast<double>(ns)); };
  return {.message = Say("With '{change}' a step takes {less} less, of {time}.",
                         Phrase::Name(change.text), time(worth.saved), time(worth.step_time)),
          .cause = cause};
}

}  // namespace

void AddWorths(Report& report, const Facts& facts, std::span<const AskedChange> changes) {
  const JobGraph& graph = JobGraphOf(facts);
  for (const AskedChange& change : changes) {
    // Where messages have no partner, or the library's waits are guessed, links between ranks lack.
    const bool hidden = change.upper_bound && change.kind == ColumnKind::kCommunication;
    if (hidden && (facts.OnHost() || graph.unmatched_messages > 0)) continue;
    const bool of_input = change.kind == ColumnKind::kInput;
    if (!hidden && !change.rank && !of_input && !change.function) continue;
    if (ShorterThanBefore(facts, change.lengths, change.since)) continue;
    const int64_t recorded = RecordedStep(facts, change.since);
    const double error = ReplayErrorOf(facts).OfPrice(change.since);
    const auto saved = static_cast<double>(change.Saved(facts));
    // Of a function at least what that saves was taken away.
    const Worth worth =
        WorthOf(saved, static_cast<double>(recorded), error, change.function ? saved : 0);
    Finding finding = change.function ? FindingOfFunction(facts, change, worth)
                                      : FindingOfOthers(change, worth,
                                                        {change.rank ? CauseKind::kWait
                                                         : hidden    ? CauseKind::kCommunication
                                                                     : CauseKind::kInput,
                                                         change.rank});
    finding.because =
        change.function && worth.error == 0
            ? SayCallsOf(facts, *change.function)
            : Say("a replay has an error of {time}", HumanTime(static_cast<double>(worth.error)));
    finding.table = "changes";
    // Of all ranks it is what was there before the rise, too.
    if (change.rank || change.function) finding.since = change.since;
    finding.extent = ExtentOfSteps(facts);
    finding.worth = worth;
    finding.only_worth = true;
    report.findings.push_back(std::move(finding));
  }
}

}  // namespace stepscope::whatif
