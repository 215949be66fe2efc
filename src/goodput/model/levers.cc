// Applies each lever to the parameters of the model.
#include "goodput/model/levers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "goodput/model/checkpoint_interval.h"
#include "goodput/model/spares.h"
#include "goodput/report/format.h"
#include "report/humanize.h"

namespace stepscope::goodput {
namespace {

constexpr double kEnoughSpares = 0.99;
constexpr double kSame = 1e-3;  // of the interval: closer counts as best

std::string FromTo(std::string_view what, double from_s, double to_s) {
  return fmt::format("{} {} to {}", what, FormatSeconds(from_s), FormatSeconds(to_s));
}

Lever Unknown(Lever lever, std::string_view needs) {
  lever.change = fmt::format("needs {}", needs);
  return lever;
}

Lever BestInterval(const Parameters& now, const LeverAssumptions&) {
  Lever lever{.key = "best_interval", .title = "best checkpoint interval"};
  const auto best = BestIntervalS(now);
  if (!best) {
    lever.change = "no best interval exists";
    return lever;
  }
  const bool is_best = std::fabs(*best / now.interval_s - 1) < kSame;
  lever.change = is_best ? "unchanged" : FromTo("interval", now.interval_s, *best);
  lever.becomes = WithInterval(now, *best);
  return lever;
}

Lever SaveOnSigterm(const Parameters& now, const LeverAssumptions& assumed) {
  Lever lever{.key = "sigterm_checkpoint", .title = "checkpoint on SIGTERM", .becomes = now};
  lever.becomes->announced_share = std::max(now.announced_share, assumed.sigterm_share);
  lever.change = fmt::format("announced failures {} to {}", HumanRatio(now.announced_share),
                             HumanRatio(lever.becomes->announced_share));
  return lever;
}

Lever ShorterRestart(Lever lever, const Parameters& now, double by_s) {
  lever.becomes = now;
  lever.becomes->restart_s = std::max(0.0, now.restart_s - by_s);
  lever.change = FromTo("restart", now.restart_s, lever.becomes->restart_s);
  return lever;
}

Lever PreloadContainers(const Parameters& now, const LeverAssumptions& assumed) {
  Lever lever{.key = "container_preloading", .title = "container preloading"};
  if (!assumed.pull_s) return Unknown(lever, "the time to pull the image");
  return ShorterRestart(lever, now, *assumed.pull_s * (1 - 1 / assumed.pull_speedup));
}

Lever CacheCompilations(const Parameters& now, const LeverAssumptions& assumed) {
  Lever lever{.key = "compilation_cache", .title = "persistent compilation cache"};
  if (!assumed.compile_s) return Unknown(lever, "the compilation time");
  return ShorterRestart(lever, now, *assumed.compile_s * assumed.compile_cached_share);
}

Lever HotSpares(const Parameters& now, const LeverAssumptions& assumed) {
  if (now.reschedule_s <= now.swap_s) {
    return Unknown({.key = "hot_spares", .title = "hot spares"},
                   "a reschedule time above the swap time");
  }
  const int64_t enough = SparesFor(kEnoughSpares, now.failures_per_s, assumed.repair_s);
  const int64_t spares = std::max(assumed.spares_now, assumed.spares.value_or(enough));
  Lever lever{.key = "hot_spares", .title = "hot spares", .becomes = now};
  lever.becomes->spare_share = SpareShare(spares, now.failures_per_s, assumed.repair_s);
  lever.extra_nodes = spares - assumed.spares_now;
  lever.change = fmt::format("{} to {} spares, enough for {} of failures", assumed.spares_now,
                             spares, HumanRatio(lever.becomes->spare_share));
  return lever;
}

Lever ReserveCapacity(const Parameters& now, const LeverAssumptions& assumed) {
  Lever lever{.key = "reservations", .title = "reservations"};
  if (!assumed.capacity_wait_s) return Unknown(lever, "the wait for capacity");
  lever.becomes = now;
  lever.becomes->reschedule_s = std::max(0.0, now.reschedule_s - *assumed.capacity_wait_s);
  lever.change = FromTo("rescheduling", now.reschedule_s, lever.becomes->reschedule_s);
  return lever;
}

// The part that no longer blocks runs in the background, so a save is durable no sooner.
Lever FasterSaves(const Parameters& now, const LeverAssumptions& assumed) {
  Lever lever{.key = "faster_saves", .title = "faster saves", .becomes = now};
  lever.becomes->save_s = now.save_s / assumed.save_speedup;
  lever.becomes->persist_s = now.persist_s + std::max(0.0, now.save_s - lever.becomes->save_s);
  lever.change = FromTo("save", now.save_s, lever.becomes->save_s) + ", the rest in the background";
  return lever;
}

using MakeLever = Lever (*)(const Parameters&, const LeverAssumptions&);
constexpr MakeLever kSingleLevers[] = {SaveOnSigterm, PreloadContainers, CacheCompilations,
                                       HotSpares,     ReserveCapacity,   FasterSaves};

Lever Everything(const Parameters& now, const LeverAssumptions& assumed) {
  Lever all{.key = std::string(kAllLevers), .title = "all levers", .becomes = now};
  for (const MakeLever make : kSingleLevers) {
    const Lever lever = make(*all.becomes, assumed);
    if (!lever.becomes) continue;
    all.becomes = lever.becomes;
    all.extra_nodes += lever.extra_nodes;
  }
  const auto best = BestIntervalS(*all.becomes);
  if (best) all.becomes->interval_s = *best;
  all.change = "with " + std::string(best ? "an interval of " : "the interval of ") +
               FormatSeconds(all.becomes->interval_s);
  return all;
}

}  // namespace

std::vector<Lever> Levers(const Parameters& now, const LeverAssumptions& assumed) {
  std::vector<Lever> levers{BestInterval(now, assumed)};
  for (const MakeLever make : kSingleLevers) levers.push_back(make(now, assumed));
  levers.push_back(Everything(now, assumed));
  return levers;
}

}  // namespace stepscope::goodput
