// Names the ranks, the operators and the Python function.
#include "analyses/work_rise.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "analyses/advice.h"
#include "analyses/build.h"
#include "analyses/excess.h"
#include "analyses/thread_wait.h"
#include "facts/derived/lateness/excess_work.h"
#include "facts/derived/lateness/work_rises.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/steps/step_categories.h"
#include "report/humanize.h"
#include "trace/frame_name.h"

namespace stepscope {
namespace {

std::string Time(int64_t ns) { return HumanTime(static_cast<double>(ns)); }

// The steps with more, of the rank that has the most; and its other steps, or where it has more in
// most, all steps of a rank that does not.
struct Halves {
  RankWindows more, others;
};

Halves HalvesOf(const Facts& facts, const WorkRise& rise) {
  const RankSteps* own = StepsOfRank(facts, rise.rank);
  if (own == nullptr) return {};
  const auto has_more = [&](int64_t step) { return rise.steps.contains(step); };
  Halves halves{.more = {own->rank, WindowsOf(*own, has_more)},
                .others = {own->rank, WindowsOf(*own, std::not_fn(has_more))}};
  const bool in_most = halves.others.windows.size() < halves.more.windows.size() / 2;
  const std::vector<RankSteps>& ranks = RankStepsOf(facts);
  const auto without =
      std::ranges::find_if(ranks, [&](const RankSteps& r) { return !rise.Has(r.rank->rank); });
  if (!rise.since && in_most && without != ranks.end())
    halves.others = {without->rank, WindowsOf(*without)};
  return halves;
}

std::optional<FrameTimes::Leader> FindFunction(const Facts& facts, const WorkRise& rise) {
  const Halves halves = HalvesOf(facts, rise);
  if (halves.more.rank == nullptr) return std::nullopt;
  return FunctionBehind(facts, halves.more, halves.others, rise.Difference() / 2);
}

// `rise`: one of WorkRisesOf(); several texts about it name the function.
const std::optional<FrameTimes::Leader>& FunctionOf(const Facts& facts, const WorkRise& rise) {
  return facts.memo.Of<&FindFunction>(facts, rise);
}

// "from aten::remainder to aten::linear", "before aten::linear", "after aten::add_".
Phrase SayNeighbours(const Facts& facts, const WorkRise& rise) {
  const auto label = [&](StringId name) { return OperatorNameOf(facts, name); };
  if (rise.previous == kNoString && rise.name == kNoString) return "in steps without operators";
  if (rise.previous == kNoString) return Say("before {operator}", label(rise.name));
  if (rise.name == kNoString) return Say("after {operator}", label(rise.previous));
  return Say("from {operator} to {next}", label(rise.previous), label(rise.name));
}

bool IsOfAll(const Facts& facts, const WorkRise& rise) {
  return rise.ranks.size() > 1 && WorkRisesOf(facts).IsOfAll(rise);
}

}  // namespace

Phrase SayRanksOf(const Facts& facts, const WorkRise& rise) {
  return IsOfAll(facts, rise) ? Phrase("all ranks") : SayRanks(rise.ranks);
}

Phrase SayMore(const Facts& facts, const WorkRise& rise) {
  const Phrase ranks = SayRanksOf(facts, rise);
  const std::string more = Time(rise.Difference());
  return rise.ranks.size() == 1
             ? Say("{rank} spends {time} more per step (median)", ranks, more)
             : Say("{ranks} spend up to {time} more per step (medians)", ranks, more);
}

Phrase SayPlaceOf(const Facts& facts, const WorkRise& rise) {
  if (rise.kind != WorkKind::kBetween) return OperatorNameOf(facts, rise.name);
  const auto& function = FunctionOf(facts, rise);
  return function ? SayLeader(*function) : SayNeighbours(facts, rise);
}

Phrase EventOf(const Facts& facts, const WorkRise& rise) {
  if (rise.kind != WorkKind::kBetween) return OperatorNameOf(facts, rise.name);
  const auto& function = FunctionOf(facts, rise);
  return function ? Phrase::Name(LabelOf(function->name)) : Phrase();
}

Phrase SpeedUp(const Facts& facts, const WorkRise& rise) {
  if (rise.kind != WorkKind::kBetween) return {};
  const auto& function = FunctionOf(facts, rise);
  if (!function) return {};
  return SpeedUp(facts, *function);
}

Phrase SayWorkEvidence(const Facts& facts, const WorkRise& rise) {
  const auto more = static_cast<int64_t>(rise.steps.size());
  const auto steps = [](int64_t count) { return Plural(static_cast<size_t>(count), "step"); };
  const Phrase text =
      rise.since
          ? Say("median {before} in {earlier} before, {after} in {later} since", Time(rise.before),
                steps(rise.all_steps - more), Time(rise.after), steps(more))
      : rise.ended
          ? Say("median {after} in these {count}, {before} in the others", Time(rise.after),
                steps(more), Time(rise.before))
          : Say("rank {rank}: median {time} in {count} of {steps}, other ranks {usual}", rise.rank,
                Time(rise.after), more, steps(rise.all_steps), Time(rise.before));
  if (rise.kind == WorkKind::kBetween) return text + ", " + SayNeighbours(facts, rise);
  const auto excess = rise.since ? ExcessSince(facts, rise.rank, *rise.since, rise.name)
                                 : std::optional<ExcessWork>();
  if (excess) return text + SayExcess(facts, *excess);
  return Say("{text}, in {operator}", text, OperatorNameOf(facts, rise.name));
}

}  // namespace stepscope
