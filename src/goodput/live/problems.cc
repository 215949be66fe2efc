// Remembers since when each source has a problem.
#include "goodput/live/problems.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/humanize.h"

namespace stepscope::goodput {

void Problems::See(std::string_view source, const std::string& problem, int64_t now) {
  if (problem.empty()) return;
  auto known = troubles_.find(source);
  if (known == troubles_.end()) {
    known = troubles_.emplace(source, Trouble{.first = now}).first;
  }
  Trouble& trouble = known->second;
  trouble.last = now;
  if (std::ranges::find(trouble.told, problem) != trouble.told.end()) return;
  trouble.told.push_back(problem);
  if (tell_) tell_(problem);
}

void Problems::TellOver(int64_t now) {
  for (auto at = troubles_.begin(); at != troubles_.end();) {
    const Trouble& trouble = at->second;
    if (now - trouble.last < kQuiet) {
      ++at;
      continue;
    }
    if (tell_) {
      tell_(fmt::format("over after {}: {}", HumanNanoseconds(trouble.last - trouble.first),
                        trouble.told.front()));
    }
    at = troubles_.erase(at);
  }
}

}  // namespace stepscope::goodput
