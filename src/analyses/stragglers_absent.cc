// Words the waits for the absent ranks that most is waited for.
#include "analyses/stragglers_absent.h"

#include <fmt/format.h>

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

std::string SayAbsent(const AbsentWait& wait) {
  if (!wait.absent.empty()) return SayRanks(wait.absent);
  return fmt::format("{} of the ranks", wait.absent_count);
}

std::string_view SayWait(const CollectiveFacts& c, const AbsentWait& wait) {
  if (wait.waiting.size() == 1) return "waits";
  const bool together = std::ranges::all_of(
      wait.matches, [&](uint32_t match) { return c.matches[match].count == wait.waiting.size(); });
  return together ? "wait together" : "wait";
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
  const std::string absent = SayAbsent(wait);
  const bool one = wait.absent_count == 1;
  const auto calls = std::ssize(wait.matches);
  report.findings.push_back(
      {.message = fmt::format("{} {} {}{} in collectives of groups where {} {} no trace, {} of "
                              "span.",
                              Capitalized(SayRanks(wait.waiting)), SayWait(facts.collectives, wait),
                              Time(steps > 0 ? each / steps : each), steps > 0 ? " per step" : "",
                              absent, one ? "has" : "have", HumanRatio(share)),
       .because = fmt::format(
           "after all recorded ranks had arrived, {} took {} on average vs {} expected; {} may be "
           "late: only {} would tell",
           Plural(static_cast<size_t>(calls), "collective"), Time(wait.together / calls),
           Time(wait.usual / calls), absent, one ? "its trace" : "their traces"),
       .hint = fmt::format("record {} too, and look at what {} does before these collectives",
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
