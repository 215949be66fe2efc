// Words a wait of the training thread for another thread.
#include "analyses/thread_wait.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>

#include "analyses/advice.h"
#include "analyses/build.h"
#include "base/match_any.h"
#include "base/saturate.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/steps/step_changes.h"
#include "report/humanize.h"
#include "report/period_of_steps.h"

namespace stepscope {

Phrase SayThreadWait(const Facts& facts, const ThreadWait& wait) {
  const RankSteps& own = *std::ranges::find(StepsToMend(facts), wait.rank, &RankSteps::rank);
  const bool several = !HasOneRank(facts);
  const auto time = static_cast<double>(wait.waits.time);
  const std::string share = HumanRatio(time / static_cast<double>(wait.whole));
  const std::optional<int64_t> since = SinceRise(facts);
  const Phrase waits = SayLeader(wait.waits), works = SayLeader(wait.works);
  const std::string each = HumanTime(time / static_cast<double>(own.steps.size()));
  const Phrase said =
      own.whole_recording
          ? Say("{waiter} waits {share} of the trace for another thread, which runs {worker}.",
                waits, share, works)
      : since ? Say("{waiter} waits {share} of step time since step {step} for another thread, "
                    "which runs {worker}: {time} per step.",
                    waits, share, *since, works, each)
              : Say("{waiter} waits {share} of step time for another thread, which runs {worker}: "
                    "{time} per step.",
                    waits, share, works, each);
  return several ? Say("On rank {rank}, {what}", wait.rank->rank, said) : said;
}

namespace {

// ns of a function in each step of a rank.
struct TimesOfRank {
  const RankSteps* own = nullptr;
  std::vector<int64_t> times;
};

// Whether another rank spends that much in other steps: ranks may have them in turn.
bool RunsInOthers(const std::vector<TimesOfRank>& ranks, const TimesOfRank& one,
                  const std::vector<int64_t>& in, int64_t least) {
  return std::ranges::any_of(ranks, [&](const TimesOfRank& of) {
    if (of.own->rank->rank == one.own->rank->rank) return false;
    for (size_t s = 0; s < std::min(of.times.size(), of.own->steps.size()); ++s) {
      if (of.times[s] > least && !std::ranges::binary_search(in, of.own->steps[s].window.number))
        return true;
    }
    return false;
  });
}

int64_t SumOf(const TimesOfRank& of) {
  return std::accumulate(of.times.begin(), of.times.end(), int64_t{0}, AddSaturated);
}

// The one with the most, where all of its steps have a time; null: none has any.
const TimesOfRank* MostOf(const std::vector<TimesOfRank>& ranks) {
  const TimesOfRank* most = nullptr;
  int64_t of_most = 0;
  for (const TimesOfRank& of : ranks) {
    const int64_t sum = SumOf(of);
    if (sum <= of_most || of.times.size() != of.own->steps.size()) continue;
    most = &of;
    of_most = sum;
  }
  return most;
}

// Whether each rank spends at least half as much.
bool AllHave(const std::vector<TimesOfRank>& ranks, const TimesOfRank& most) {
  const int64_t least = SumOf(most) / 2;
  return ranks.size() > 1 &&
         std::ranges::all_of(ranks, [&](const TimesOfRank& of) { return SumOf(of) >= least; });
}

// Of all ranks, where they have as many steps; else of the one with the most.
std::vector<int64_t> MeanTimes(const std::vector<TimesOfRank>& ranks, const TimesOfRank& most) {
  std::vector<int64_t> sums(most.times.size());
  for (const TimesOfRank& of : ranks) {
    if (of.times.size() != sums.size()) return most.times;
    std::ranges::transform(sums, of.times, sums.begin(), AddSaturated);
  }
  for (int64_t& sum : sums) sum /= std::ssize(ranks);
  return sums;
}

}  // namespace

Phrase SayStepsOf(const Facts& facts, const std::vector<RankSteps>& ranks, const FrameName& name,
                  Where& where) {
  std::vector<TimesOfRank> all;
  for (const RankSteps& own : ranks)
    all.push_back({&own, TimesIn(facts, {own.rank, WindowsOf(own)}, name)});
  const TimesOfRank* most = MostOf(all);
  if (most == nullptr) return {};
  constexpr int64_t kHardlyAny = 10;  // a tenth of the longest
  std::vector<int64_t> numbers, in;
  for (const StepBreakdown& step : most->own->steps) numbers.push_back(step.window.number);
  const int64_t least = std::ranges::max(most->times) / kHardlyAny;
  const Phrase when = SaySteps(numbers, most->times, static_cast<double>(least), in);
  if (when.empty()) return SayRise(numbers, MeanTimes(all, *most));
  if (RunsInOthers(all, *most, in, least)) return {};
  if (!AllHave(all, *most)) where.ranks = {most->own->rank->rank};
  where.steps = std::move(in);
  return Say(",{when}", when);
}

Phrase SayThread(const ConcurrentThread& beside) {
  const std::string& name = beside.thread;  // "python: thread 28125 (python)"
  const size_t at = name.find("thread ");
  if (at == std::string::npos) return "another thread";
  return name.substr(at, name.find_first_not_of("0123456789", at + 7) - at);
}

std::string ShareOfThread(const ConcurrentThread& beside) {
  return HumanRatio(static_cast<double>(beside.works.time) / static_cast<double>(beside.whole));
}

Phrase SayThreadEvidence(const ConcurrentThread& beside) {
  const auto per_step = [&](int64_t ns) {
    return HumanTime(static_cast<double>(ns) / static_cast<double>(beside.steps));
  };
  Phrase work = Say(
      "{time} per step of Python on another thread than the one that trains; only one thread runs "
      "Python at a time, and which one does is not recorded",
      per_step(beside.time));
  if (beside.locks.count == 0) return work;
  return Say(
      "the training thread goes on only {least} or more after {count} operators, {time} per "
      "step, as it does where it waits for that lock; {work}",
      "4.5 ms", beside.locks.count, per_step(beside.locks.time), work);
}

Phrase MoveThread(const ConcurrentThread& beside) {
  return Say("run {function} in another process, or less often, and compare the step time",
             SayLeader(beside.works));
}

Phrase SpeedUp(const Facts& facts, const FrameTimes::Leader& leader) {
  const Phrase function = SayLeader(leader);
  const std::optional<ThreadWait>& wait = ThreadWaitOf(facts);
  if (wait && wait->waits.name == leader.name)
    return Say(
        "{function} waits for a lock while another thread of its process runs {worker}: hold the "
        "lock for less of that; see python",
        function, SayLeader(wait->works));
  if (!RecordedPython(facts))
    return Say(
        "make the work within {function} faster, or run it less often; its functions are unknown: "
        "{record}",
        function, Say(kRecordPython, facts));
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
