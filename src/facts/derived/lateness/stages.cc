// Compares the times of their own of ranks.
#include "facts/derived/lateness/stages.h"

#include <algorithm>

#include "base/saturate.h"

namespace stepscope {

bool TiedByMessages(const Facts& facts) {
  const CollectiveFacts& c = facts.collectives;
  int64_t messages = 0, all = 0;
  for (const CollectiveMatch& match : c.matches) {
    for (const CollectivePart& part : c.Parts(match)) {
      all = AddSaturated(all, part.duration());
      if (IsPointToPoint(match.op)) messages = AddSaturated(messages, part.duration());
    }
  }
  const auto ranks = std::ranges::count_if(
      c.ranks, [](const RankCollectives& rank) { return rank.point_to_point > 0; });
  return ranks >= 2 && messages >= all - messages;
}

SlowStage FindSlowStage(const std::vector<RankEffort>& efforts,
                        const std::vector<RankEffort>& beyond) {
  const auto most = std::ranges::max_element(beyond, {}, &RankEffort::own);
  const auto rank = static_cast<uint32_t>(most - beyond.begin());
  const int64_t waited = efforts[rank].exposed - beyond[rank].exposed;  // the median of the others
  return {.rank = rank, .lost = std::clamp<int64_t>(most->own, 0, std::max<int64_t>(waited, 0))};
}

}  // namespace stepscope
