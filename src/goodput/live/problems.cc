// Remembers since when each problem is there.
#include "goodput/live/problems.h"

#include <fmt/format.h>

#include "report/humanize.h"

namespace stepscope::goodput {

void Problems::See(const std::string& problem, int64_t now) {
  if (problem.empty()) return;
  const auto [known, is_new] = seen_.try_emplace(problem, Time{.first = now});
  known->second.last = now;
  if (is_new && tell_) tell_(problem);
}

void Problems::TellOver(int64_t now) {
  for (auto at = seen_.begin(); at != seen_.end();) {
    const auto& [problem, time] = *at;
    if (now - time.last < kQuiet) {
      ++at;
      continue;
    }
    const auto lasted = static_cast<double>(time.last - time.first);
    if (tell_) tell_(fmt::format("over after {}: {}", HumanTime(lasted), problem));
    at = seen_.erase(at);
  }
}

}  // namespace stepscope::goodput
