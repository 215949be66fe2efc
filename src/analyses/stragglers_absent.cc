// Words the waits for the absent ranks that most is waited for.
#include "analyses/stragglers_absent.h"

#include <algorithm>
#include <string>
#include <string_view>

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

void AddFinding(Report& report, const Facts& facts, const AbsentWait& wait, int64_t each,
                double share) {
  const int64_t steps = CountSteps(facts);
  const Phrase absent = SayAbsent(wait);
  const Phrase time = steps > 0 ? Say("{time} per step", Time(each / steps)) : Phrase(Time(each));
  const bool one = wait.absent_count == 1;
  const auto calls = std::ssize(wait.matches);
  report.findings.push_back(
      {.message = Say(
           "{waits} in collectives of groups where {absent} {have} no trace, {share} of span.",
           SayWait(facts.collectives, wait, time), absent, one ? "has" : "have", HumanRatio(share)),
       .because =
           Say("after all recorded ranks had arrived, {calls} took {time} on average vs {usual} "
               "expected; {absent} may be late: only {traces} would tell",
               Plural(static_cast<size_t>(calls), "collective"), Time(wait.together / calls),
               Time(wait.usual / calls), absent, one ? "its trace" : "their traces"),
       .hint = Say("record {absent} too, and look at what {each} does before these collectives",
                   absent, one ? "it" : "each"),
       .impact = each,
       .table = "ranks",
       .cause = {CauseKind::kWait,
                 wait.absent.size() == 1 ? std::optional(wait.absent.front()) : std::nullopt},
       .nearness = Nearness::kCause});
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
  const double share = std::min(static_cast<double>(longest) / static_cast<double>(span), 1.0);
  if (most == nullptr || share < stragglers_absent::kMinShare) return 0;
  stragglers_absent::AddFinding(report, facts, *most, longest, share);
  return longest;
}

}  // namespace stepscope
