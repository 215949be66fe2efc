// Words of windows and departures.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "report/humanize.h"
#include "stepscope/watch.h"

namespace stepscope {

std::string TitleOfPart(std::string part) {
  if (part == "all_others") return "unrecorded time";  // windows are recorded without Python
  std::ranges::replace(part, '_', ' ');
  return part;
}

std::string SayDeparture(const WatchedDeparture& departure) {
  return fmt::format("rank {}: {} {} per step, before {}", departure.rank,
                     TitleOfPart(departure.part), HumanNanoseconds(departure.now),
                     HumanNanoseconds(departure.before));
}

std::string SayWindow(const WatchedWindow& window) {
  if (!window.why.empty()) return "not compared: " + window.why;
  const std::string kept = window.kept.empty() ? "" : "; its trace stays: " + window.kept;
  return fmt::format("{} per step{}", HumanNanoseconds(window.step_time), kept);
}

}  // namespace stepscope
