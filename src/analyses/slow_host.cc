// Words how much longer operators take.
#include "analyses/slow_host.h"

#include <fmt/format.h>

#include "report/humanize.h"

namespace stepscope {

std::string SaySlowRank(const SlowRank& slow) {
  return fmt::format("all that rank {} runs takes longer, its operators {:.1f}× as long", slow.rank,
                     slow.times);
}

std::string SaySlowEvidence(const SlowRank& slow) {
  return fmt::format(
      "operators with {} of that take longer, called as often on inputs of the same size",
      HumanRatio(slow.share));
}

}  // namespace stepscope
