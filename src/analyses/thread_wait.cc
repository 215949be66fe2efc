// Words a wait of the training thread for another thread.
#include "analyses/thread_wait.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "analyses/build.h"
#include "base/match_any.h"
#include "report/humanize.h"

namespace stepscope {

Phrase SayThreadWait(const Facts& facts, const ThreadWait& wait,
                     const std::vector<RankSteps>& ranks) {
  const auto own = std::ranges::find(ranks, wait.rank, &RankSteps::rank);
  const bool several = facts.ranks.front().rank != facts.ranks.back().rank;
  const auto time = static_cast<double>(wait.waits.time);
  const std::string share = HumanRatio(time / static_cast<double>(wait.whole));
  const Phrase waits = SayLeader(wait.waits), works = SayLeader(wait.works);
  const Phrase said =
      own->whole_recording
          ? Say("{waiter} waits {share} of the trace for another thread, which runs {worker}.",
                waits, share, works)
          : Say("{waiter} waits {share} of step time for another thread, which runs {worker}: "
                "{time} per step.",
                waits, share, works, HumanTime(time / static_cast<double>(own->steps.size())));
  return several ? Say("On rank {rank}, {what}", wait.rank->rank, said) : said;
}

Phrase SpeedUp(const Facts& facts, const FrameTimes::Leader& leader) {
  const Phrase function = SayLeader(leader);
  const auto& wait = facts.memo.Of<&FindThreadWait>(facts, RankStepsOf(facts));
  if (wait && wait->waits.name == leader.name)
    return Say(
        "{function} waits for a lock while another thread of its process runs {worker}: hold the "
        "lock for less of that; see python",
        function, SayLeader(wait->works));
  return Say(
      "make {function} faster, call it less often, or in another process; if it waits for a "
      "lock (py-spy dump), look at the thread that holds it; see python",
      function);
}

Phrase SpeedUpCallback(const Facts& facts, StringId op,
                       const std::optional<FrameTimes::Leader>& function) {
  constexpr auto kNames = std::to_array<std::string_view>({"callback", "PyFunc", "py_func"});
  if (!ContainsAny((*facts.names)[op], kNames))
    return function ? SpeedUp(facts, *function) : Phrase();
  const Phrase what = function ? SayLeader(*function) : OperatorNameOf(facts, op);
  return Say("take {function} out of the step, or call it in every Nth step: {callback}", what,
             Say(Advice{"the step waits until Python has returned",
                        "the step waits until Python (tf.py_function, tf.numpy_function) has "
                        "returned",
                        "the step waits until Python (jax.pure_callback, io_callback, "
                        "jax.debug.callback) has returned"},
                 facts));
}

}  // namespace stepscope
