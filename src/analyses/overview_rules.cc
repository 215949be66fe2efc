// Words each category.
#include "analyses/overview_rules.h"

#include <algorithm>
#include <string>

#include "analyses/build.h"
#include "analyses/overview_functions.h"
#include "analyses/saves.h"
#include "analyses/thread_wait.h"
#include "facts/derived/collectives/missing_communication.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/steps/of_partials.h"
#include "facts/derived/steps/step_changes.h"
#include "facts/derived/steps/unrecorded.h"
#include "report/humanize.h"
#include "trace/frame_name.h"
#include "trace/library_frames.h"

namespace stepscope::overview {
namespace {

constexpr auto kRules = std::to_array<Rule>({
    {StepCategory::kLaunch,
     "Kernel launch",
     {"launch fewer and larger kernels: torch.compile, or a CUDA graph of the step; see "
      "launch_stats",
      "launch fewer and larger kernels: compile the step (tf.function with jit_compile=True), or "
      "give the GPU its own launch thread (TF_GPU_THREAD_MODE=gpu_private); see launch_stats",
      "launch fewer and larger kernels: jit the whole step; see launch_stats"}},
    {StepCategory::kOutput,
     "Copying results to the host",
     {"copy results less often and asynchronously: log every N steps, no .item() in the loop",
      "copy results less often: log every N steps, no .numpy() in the loop",
      "copy results less often: log every N steps, no float() or np.asarray() in the loop"}},
    {StepCategory::kCompilation, "Compilation within steps", kKeepShapes},
    {StepCategory::kOneTime, kOneTimeWork, kRecordLater},
    {StepCategory::kOther, "Unrecorded host activity", {}},  // see HintOf()
});

// Whether the category takes time in several steps.
bool Recurs(const std::vector<RankSteps>& ranks, StepCategory category) {
  if (ranks.front().whole_recording) return false;
  return std::ranges::any_of(ranks, [&](const RankSteps& rank) {
    const auto has = [&](const StepBreakdown& step) { return TimeOf(step, category) > 0; };
    return rank.steps.size() == 1 || std::ranges::count_if(rank.steps, has) > 1;
  });
}

bool RecordedOperators(const RankActivity& rank) {
  return std::ranges::any_of(rank.host->ranges,
                             [](const HostRange& range) { return range.kind == Kind::kOperator; });
}

// "the trace", "step time", "step time on rank 1" where `on_some` is "rank 1".
Phrase SayWhole(const std::vector<RankSteps>& ranks, const Phrase& on_some) {
  const Phrase whole = ranks.front().whole_recording ? "the trace" : "step time";
  return on_some.empty() ? whole : Say("{whole} on {ranks}", whole, on_some);
}

// Whether all ranks spend as much on the function between operators.
bool RunsOnAll(const Facts& facts, const FrameName& function) {
  constexpr size_t kLooked = 8;
  constexpr double kLeast = 0.02;
  const auto leaders =
      PythonDuring(facts, StepsToMend(facts), StepCategory::kOther).Leaders(kLooked, kLeast);
  const auto at = std::ranges::find(leaders, function, &FrameTimes::Leader::name);
  return at != leaders.end() && at->ranks.empty();
}

// "Compilation of score in every 3rd step (6, 9 and 12)", "Compilation within steps", "Compilation"
// of one step.
Phrase SayCompilation(const Facts& facts, const Rule& rule, const std::vector<RankSteps>& ranks,
                      Where& where) {
  const std::string_view name = ProgramCompiled(facts, ranks);
  const Phrase program =
      name.empty() ? Phrase() : Say(" of {program}", Phrase::Name(std::string(name)));
  if (!Recurs(ranks, rule.category)) return Say("Compilation{program}", program);
  const Phrase steps = SayStepsWith(ranks, rule.category, where);
  return steps.empty() ? Say("Compilation{program} within steps", program)
                       : Say("Compilation{program}{steps}", program, steps);
}

}  // namespace

std::span<const Rule> Rules() { return kRules; }

Phrase HintOf(const Rule& rule, const std::vector<RankSteps>& ranks, const FrameTimes& python,
              const Facts& facts) {
  if (rule.category == StepCategory::kOther) {
    if (AreMostlySaves(facts, ranks, TimeOf(SumOf(ranks), rule.category)))
      return SaveLessOften(facts);
    if (const auto waits = WaitsForFileLock(python)) return HoldLessLong(*waits);
    const auto most = python.Leaders(1, kStandsOut);
    const bool named = facts.OnHost() && !most.empty() && !IsPass(most.front().name);
    const Phrase hint = named ? SpeedUp(facts, most.front()) : FollowPython(facts);
    return MissingCommunicationOf(facts).world_size > 0 ? AllowForAbsent(facts, hint) : hint;
  }
  const bool once = rule.category == StepCategory::kCompilation && !Recurs(ranks, rule.category);
  return Say(once ? kRecordLater : rule.hint, facts);
}

Phrase SayNothingRecorded(const Facts& facts, const std::vector<RankSteps>& ranks,
                          const Phrase& on_some) {
  const StepBreakdown sum = SumOf(ranks);
  const double share = Share(TimeOf(sum, StepCategory::kOther), sum.Total());
  if (IsOfPartials(facts))
    return Say("Nothing is recorded in {share} of {whole}.", HumanRatio(share),
               SayWhole(ranks, on_some));
  const Unrecorded found = LongestUnrecorded(facts, ranks);
  const auto name = [&](StringId id, std::string_view edge) {
    return id == kNoString ? Phrase(edge) : ShortNameOf(facts, id);
  };
  const bool operators = std::ranges::any_of(facts.ranks, RecordedOperators);
  const bool python = RecordedPython(facts);
  const Phrase missing = operators ? (python ? "" : "; Python was not recorded")
                         : python  ? "; operators were not recorded"
                                   : "; operators were not recorded, nor was Python";
  return Say(
      "Nothing is recorded in {share} of {whole}; the longest stretch, {time}, is between {before} "
      "and {after}{missing}.",
      HumanRatio(share), SayWhole(ranks, on_some), HumanTime(static_cast<double>(found.time)),
      name(found.before, "the start of the trace"), name(found.after, "the end of the trace"),
      missing);
}

Phrase MessageOf(const Facts& facts, const Rule& rule, const std::vector<RankSteps>& ranks,
                 const FrameTimes& python, const Phrase& on_some, const Phrase& more,
                 const std::optional<Lead>& lead, Where& where) {
  const bool is_rest = rule.category == StepCategory::kOther;
  if (is_rest && !RecordedPython(facts)) return SayNothingRecorded(facts, ranks, on_some);
  const Phrase largest = is_rest ? LargestFrame(python, kStandsOut) : Phrase();
  const Phrase whole = SayWhole(ranks, on_some);
  const StepBreakdown sum = SumOf(ranks);
  const double share = Share(TimeOf(sum, rule.category), sum.Total());
  if (largest.empty()) {
    const Phrase what = is_rest ? Phrase("Python between operators")
                        : rule.category == StepCategory::kCompilation
                            ? SayCompilation(facts, rule, ranks, where)
                            : Phrase(rule.message);
    if (!more.empty())
      return Say("{what} is {share} of {whole}; {more}.", what, HumanRatio(share), whole, more);
    if (is_rest && HasPython(facts) && python.Leaders(1).empty()) {
      return Say("{what} is {share} of {whole}; no function stands out.", what, HumanRatio(share),
                 whole);
    }
    return Say("{what} is {share} of {whole}.", what, HumanRatio(share), whole);
  }
  const FrameName name = python.Leaders(1).front().name;
  if (lead && lead->function == name) return lead->message;
  const bool of_several = !on_some.empty() || (!HasOneRank(facts) && AllAreRecorded(facts));
  const Phrase when = SayStepsOf(facts, ranks, name, where) +
                      (of_several && RunsOnAll(facts, name) ? ", on all ranks" : "");
  return Say("Python between operators is {share} of {whole}; largest: {function}{when}.",
             HumanRatio(share), whole, largest, when);
}

}  // namespace stepscope::overview
