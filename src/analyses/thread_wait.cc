// Words a wait of the training thread for another thread.
#include "analyses/thread_wait.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyses/build.h"
#include "report/humanize.h"

namespace stepscope {

std::string SayThreadWait(const Facts& facts, const ThreadWait& wait,
                          const std::vector<RankSteps>& ranks) {
  const auto own = std::ranges::find(ranks, wait.rank, &RankSteps::rank);
  const bool several = facts.ranks.front().rank != facts.ranks.back().rank;
  const auto time = static_cast<double>(wait.waits.time);
  std::string said = several ? fmt::format("On rank {}, ", wait.rank->rank) : "";
  said += fmt::format("{} waits {} of {} for another thread, which runs {}", SayLeader(wait.waits),
                      HumanRatio(time / static_cast<double>(wait.whole)),
                      own->whole_recording ? "the trace" : "step time", SayLeader(wait.works));
  return said + (own->whole_recording
                     ? "."
                     : fmt::format(": {} per step.",
                                   HumanTime(time / static_cast<double>(own->steps.size()))));
}

}  // namespace stepscope
