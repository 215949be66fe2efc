// Words the waits for the absent ranks that most is waited for.
#include "analyses/stragglers_absent.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "analyses/advice.h"
#include "analyses/build.h"
#include "facts/derived/collectives/absent_ranks.h"
#include "facts/derived/collectives/exposed_waits.h"
#include "report/humanize.h"

namespace stepscope {
namespace stragglers_absent {
namespace {

constexpr double kMinShare = 0.05;  // of span: how long collectives take usually is an estimate

std::string Time(int64_t ns) { return HumanTime(static_cast<double>(ns)); }

Phrase SayAbsent(const AbsentWait& wait) {
  if (!wait.absent.empty()) return SayRanks(wait.absent);
  return Say("{count} of the ranks", wait.absent_count);
}

// "Ranks 1 and 3 wait together 2.0 ms per step".
Phrase SayWait(const CollectiveFacts& c, const AbsentWait& wait, const Phrase& time) {
  const Phrase ranks = Capitalized(SayRanks(wait.waiting));
  if (wait.waiting.size() == 1) return Say("{rank} waits {time}", ranks, time);
  const bool together = std::ranges::all_of(
      wait.matches, [&](uint32_t match) { return c.matches[match].count == wait.waiting.size(); });
  return together ? Say("{ranks} wait together {time}", ranks, time)
                  : Say("{ranks} wait {time}", ranks, time);
}

// The steps that most of the devices have.
int64_t CountSteps(const Facts& facts) {
  int64_t most = 0;
  for (const DeviceFacts& device : facts.devices)
    most = std::max<int64_t>(most, std::ranges::count_if(device.by_step, &Occupancy::any));
  return most;
}

int64_t CountStepsSince(const Facts& facts, int64_t since) {
  std::set<int64_t> steps;
  for (const RankActivity& rank : facts.ranks) {
    for (const Step& step : rank.steps) {
      if (step.number >= since) steps.insert(step.number);
    }
  }
  return std::ssize(steps);
}

// "up to 40.7 ms per step since step 6": the rank that came last is not known, nor when.
Phrase SayTime(const Facts& facts, std::optional<int64_t> since, int64_t each) {
  const int64_t steps = since ? CountStepsSince(facts, *since) : CountSteps(facts);
  const Phrase most = Say("up to {time}", Time(steps > 0 ? each / steps : each));
  if (since) return Say("{time} per step since step {since}", most, *since);
  return steps > 0 ? Say("{time} per step", most) : most;
}

// The collective with the longest wait, and the steps in which they wait, where these are not all.
Where WhereOf(const Facts& facts, const AbsentWait& wait) {
  const CollectiveFacts& c = facts.collectives;
  Where where;
  std::set<int64_t> steps;
  int64_t longest = -1;
  for (const uint32_t match : wait.matches) {
    const CollectivePart& part = c.Parts(c.matches[match]).front();
    const RankActivity& rank = facts.ranks[part.recording];
    const Activity& activity = rank.activities[part.activity];
    if (activity.step != kNoStep)
      steps.insert(rank.steps[static_cast<size_t>(activity.step)].number);
    const int64_t together = TogetherIn(c, c.matches[match]);
    if (together <= longest) continue;
    longest = together;
    where.event = OperatorNameOf(facts, activity.name);
  }
  if (std::ssize(steps) < CountStepsSince(facts, INT64_MIN))
    where.steps = {steps.begin(), steps.end()};
  return where;
}

// `each`: ns that each of them waits.
void AddFinding(Report& report, const Facts& facts, const AbsentWait& wait,
                std::optional<int64_t> since, int64_t each, double share) {
  const Phrase absent = SayAbsent(wait), waiting = SayRanks(wait.waiting);
  const Phrase last = wait.waiting.size() > 1 ? Say("the last of {ranks}", waiting) : waiting;
  const bool one = wait.absent_count == 1;
  const auto calls = std::ssize(wait.matches);
  report.findings.push_back(
      {.message = Say("{waits} in collectives of groups where {absent} {why}, {share} of span.",
                      SayWait(facts.collectives, wait, SayTime(facts, since, each)), absent,
                      SayWhyAbsent(facts, wait.absent, wait.absent_count), HumanRatio(share)),
       .because =
           Say("after {last} had arrived, {calls} took {time} on average vs {usual} "
               "expected; {absent} may be late: only {traces} would tell",
               last, Plural(static_cast<size_t>(calls), "collective"), Time(wait.together / calls),
               Time(wait.usual / calls), absent, one ? "its trace" : "their traces"),
       .hint = Say("{include}, and look at what {each} does before these collectives",
                   SayAddRanks(facts, wait.absent, absent), one ? "it" : "each"),
       .impact = each,
       .table = "ranks",
       .cause = {CauseKind::kWait,
                 wait.absent.size() == 1 ? std::optional(wait.absent.front()) : std::nullopt},
       .nearness = Nearness::kCause,
       .extent = {.recordings = facts.RecordingsOfARank()},
       .since = since,
       .where = WhereOf(facts, wait)});
}

}  // namespace
}  // namespace stragglers_absent

int64_t AddWaitForAbsent(Report& report, const Facts& facts, int64_t span) {
  ExposedWaits exposed(facts);
  const AbsentWait* most = nullptr;
  int64_t longest = 0;
  for (const AbsentWait& wait : AbsentWaitsOf(facts).of_absent) {
    const int64_t each = exposed.Of(wait) / std::ssize(wait.waiting);
    if (each <= longest) continue;
    most = &wait;
    longest = each;
  }
  if (most == nullptr) return 0;
  const std::optional<int64_t> since = AbsentSince(facts, *most);
  const AbsentWait wait = since ? WaitSince(facts, *most, *since) : *most;
  longest = exposed.Of(wait) / std::ssize(wait.waiting);
  const double share = std::min(static_cast<double>(longest) / static_cast<double>(span), 1.0);
  if (share < stragglers_absent::kMinShare) return 0;
  stragglers_absent::AddFinding(report, facts, wait, since, longest, share);
  return longest;
}

}  // namespace stepscope
