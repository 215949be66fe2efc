// Names the ranks, the operators and the Python function.
#include "analyses/work_rise.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "analyses/advice.h"
#include "analyses/build.h"
#include "analyses/excess.h"
#include "analyses/thread_wait.h"
#include "base/saturate.h"
#include "facts/derived/lateness/excess_work.h"
#include "facts/derived/lateness/work_rises.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/steps/step_categories.h"
#include "report/humanize.h"
#include "trace/frame_name.h"

namespace stepscope {
namespace {

std::string Time(int64_t ns) { return HumanTime(static_cast<double>(ns)); }

// The steps with more, of a rank that has it; and its other steps, or where it has more in
// most, all steps of a rank that does not.
struct Halves {
  RankWindows more, others;
};

Halves HalvesOf(const Facts& facts, const WorkRise& rise, int64_t rank) {
  const RankSteps* own = StepsOfRank(facts, rank);
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

// A function behind a rise; in these steps where another one is behind it in others.
struct PartBehind {
  FrameTimes::Leader function;
  std::optional<int64_t> first, last;
};

std::vector<PartBehind> InStretches(const Facts& facts, const WorkRise& rise, int64_t rank) {
  const std::vector<int64_t> steps(rise.steps.begin(), rise.steps.end());
  const Halves halves = HalvesOf(facts, rise, rank);
  if (rise.in_turn || halves.more.windows.size() != steps.size()) return {};
  std::vector<PartBehind> behind;
  for (const StretchBehind& stretch :
       StretchesBehind(facts, halves.more, halves.others, rise.Difference() / 2))
    behind.push_back({stretch.function, steps[stretch.first], steps[stretch.last]});
  return behind;
}

// Of all its ranks; the times are those of the one with the most.
std::vector<PartBehind> InStretches(const Facts& facts, const WorkRise& rise) {
  std::vector<PartBehind> behind = InStretches(facts, rise, rise.rank);
  const auto is_same = [](const PartBehind& a, const PartBehind& b) {
    return std::tie(a.function.name, a.first, a.last) == std::tie(b.function.name, b.first, b.last);
  };
  const auto has_them = [&](int64_t rank) {
    return rank == rise.rank || std::ranges::equal(InStretches(facts, rise, rank), behind, is_same);
  };
  return std::ranges::all_of(rise.ranks, has_them) ? behind : std::vector<PartBehind>();
}

// Whether a function that takes longer there is what the rise is of.
bool IsBehind(const Facts& facts, const WorkRise& rise, const RankWindows& more,
              const FrameTimes::Leader& function) {
  switch (rise.kind) {
    case WorkKind::kBetween:
      return RunsBetween(facts, more, function, rise.Difference() / 2);
    case WorkKind::kCalls:
      return Calls(facts, more, function.name, rise.name);
    case WorkKind::kSize:
      break;
  }
  return false;
}

std::vector<PartBehind> FindFunctions(const Facts& facts, const WorkRise& rise) {
  const Halves halves = HalvesOf(facts, rise, rise.rank);
  if (halves.more.rank == nullptr) return {};
  std::vector<PartBehind> behind = InStretches(facts, rise);
  if (!behind.empty()) return behind;
  const int64_t half = rise.Difference() / 2;
  const auto function = FunctionBehind(facts, halves.more, halves.others, half);
  if (!function || !IsBehind(facts, rise, halves.more, *function)) return {};
  return {{*function, {}, {}}};
}

// `rise`: one of WorkRisesOf(); several texts about it name the function.
const std::vector<PartBehind>& FunctionsOf(const Facts& facts, const WorkRise& rise) {
  return facts.memo.Of<&FindFunctions>(facts, rise);
}

int64_t CostOfPart(const WorkRise& rise, const PartBehind& behind) {
  if (!behind.first) return rise.Total();
  const auto steps = std::ranges::count_if(
      rise.steps, [&](int64_t s) { return *behind.first <= s && s <= *behind.last; });
  return ToInt64(static_cast<double>(behind.function.time) * static_cast<double>(steps));
}

// "slow_transform (train.py:20)", "rescore (train.py:24), 90.0 ms per step in steps 3 to 7".
Phrase SayPartBehind(const WorkRise& rise, const PartBehind& behind) {
  const Phrase function = SayLeader(behind.function);
  if (!behind.first) return function;
  const std::string time = Time(behind.function.time);
  if (!rise.ended && *behind.last == *rise.steps.rbegin())
    return Say("{function}, {time} per step since step {first}", function, time, *behind.first);
  return Say("{function}, {time} per step in steps {first} to {last}", function, time,
             *behind.first, *behind.last);
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

std::optional<FrameTimes::Leader> CallerOf(const Facts& facts, const WorkRise& rise) {
  if (rise.kind != WorkKind::kCalls) return std::nullopt;
  const auto& functions = FunctionsOf(facts, rise);
  if (functions.size() != 1) return std::nullopt;
  return functions.front().function;
}

Phrase SayPlaceOf(const Facts& facts, const WorkRise& rise) {
  if (rise.kind != WorkKind::kBetween) return SayCalled(facts, rise.name, CallerOf(facts, rise));
  Phrase place;
  for (const PartBehind& behind : FunctionsOf(facts, rise)) {
    const Phrase said = SayPartBehind(rise, behind);
    place = place.empty() ? said : Say("{first}, then {next}", place, said);
  }
  return place.empty() ? SayNeighbours(facts, rise) : place;
}

Phrase EventOf(const Facts& facts, const WorkRise& rise) {
  if (rise.kind == WorkKind::kCalls) {
    if (const auto caller = CallerOf(facts, rise)) return Phrase::Name(LabelOf(caller->name));
  }
  if (rise.kind != WorkKind::kBetween) return OperatorNameOf(facts, rise.name);
  const auto& functions = FunctionsOf(facts, rise);
  if (functions.empty()) return {};
  const auto cost = [&](const PartBehind& behind) { return CostOfPart(rise, behind); };
  return Phrase::Name(LabelOf(std::ranges::max(functions, {}, cost).function.name));
}

Phrase SpeedUp(const Facts& facts, const WorkRise& rise) {
  if (rise.kind != WorkKind::kBetween) return {};
  const auto& functions = FunctionsOf(facts, rise);
  if (functions.empty()) return {};
  if (functions.size() == 1) return SpeedUp(facts, functions.front().function);
  Phrase names;
  for (const PartBehind& behind : functions) {
    const Phrase name = SayLeader(behind.function);
    names = names.empty() ? name : Say("{first} and {next}", names, name);
  }
  return Say("make {functions} faster, call them less often, or in another process; see python",
             names);
}

int64_t TotalOf(const Facts& facts, const WorkRise& rise) {
  const auto& functions = FunctionsOf(facts, rise);
  if (functions.size() < 2) return rise.Total();
  int64_t cost = 0;
  for (const PartBehind& behind : functions) cost = AddSaturated(cost, CostOfPart(rise, behind));
  return cost;
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
