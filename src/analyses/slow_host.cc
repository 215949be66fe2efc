// Words how much longer operators take.
#include "analyses/slow_host.h"

#include <fmt/format.h>

#include "report/humanize.h"

namespace stepscope {

Phrase SaySlowRank(const SlowRank& slow) {
  return Say("all that rank {rank} runs takes longer, its operators {times}× as long", slow.rank,
             fmt::format("{:.1f}", slow.times));
}

Phrase SaySlowEvidence(const SlowRank& slow) {
  return Say(
      "operators with {share} of that take longer, called as often on inputs of the same "
      "size",
      HumanRatio(slow.share));
}

}  // namespace stepscope
