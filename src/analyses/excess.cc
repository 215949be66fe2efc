// Tells more calls from larger inputs and slower calls.
#include "analyses/excess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "analyses/build.h"
#include "base/intervals.h"
#include "base/robust.h"
#include "facts/derived/lateness/excess_work.h"
#include "facts/derived/python/along_windows.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/steps/step_parts.h"
#include "report/humanize.h"
#include "trace/frame_name.h"

namespace stepscope {
namespace excess {
namespace {

constexpr double kMoreCalls = 0.05;  // of the calls it is compared with
constexpr double kLarger = 1.2;
constexpr double kMoreWithin = 1.2;

bool RunsOftener(const ExcessWork& excess) {
  const double others = excess.calls - excess.calls_beyond;
  return excess.calls_beyond >= std::max(kMoreCalls * others, 0.5);
}

Phrase SayKind(const ExcessWork& excess) {
  switch (KindOf(excess)) {
    case ExcessKind::kCalls:
      if (!RunsOftener(excess))
        return Say("{ratio}× as many operators within it",
                   fmt::format("{:.1f}", excess.within_ratio));
      return Say("{calls} per step",
                 Plural(static_cast<size_t>(std::llround(excess.calls_beyond)), "more call"));
    case ExcessKind::kSize:
      return Say("inputs {ratio}× as large", fmt::format("{:.1f}", excess.size_ratio));
    case ExcessKind::kTime:
      break;
  }
  if (excess.HasOtherType()) return Say("longer calls, on {types}", SayTypes(excess));
  return SizeIsUnknown(excess) ? "longer calls; shapes were not recorded" : "longer calls";
}

}  // namespace
}  // namespace excess

ExcessKind KindOf(const ExcessWork& excess) {
  if (excess::RunsOftener(excess) || excess.within_ratio >= excess::kMoreWithin)
    return ExcessKind::kCalls;
  return excess.size_ratio >= excess::kLarger ? ExcessKind::kSize : ExcessKind::kTime;
}

bool IsOfOtherType(const std::optional<ExcessWork>& excess) {
  return excess && KindOf(*excess) == ExcessKind::kTime && excess->HasOtherType();
}

Phrase SayTypes(const ExcessWork& excess) {
  return Say("{type} instead of {other}", Phrase::Name(excess.type),
             Phrase::Name(excess.type_beside));
}

Phrase ConvertInputs(const ExcessWork& excess) {
  return Say(
      "find what makes inputs {type}, such as arrays of NumPy (float64 unless told) or .double(), "
      "and convert it to {other}",
      Phrase::Name(excess.type), Phrase::Name(excess.type_beside));
}

bool GetsLargerInputs(const Facts& facts, int64_t rank) {
  const std::vector<RankCollectives>& all = facts.collectives.ranks;
  const auto own = std::ranges::find(all, rank, &RankCollectives::rank);
  if (own == all.end() || own->device >= 0) return false;
  const auto excess = ExcessOverOthers(facts, static_cast<uint32_t>(own - all.begin()));
  return excess && !excess->since && KindOf(*excess) == ExcessKind::kSize;
}

bool SizeIsUnknown(const ExcessWork& excess) { return excess.size_ratio == 0; }

namespace {

IntervalSet RunsOf(const RankActivity& rank, StringId op) {
  std::vector<Interval> runs;
  for (const Activity& activity : rank.activities) {
    if (activity.name == op) runs.push_back({activity.start, activity.end});
  }
  return UnionOf(std::move(runs));
}

}  // namespace

bool RunsIn(const Facts& facts, const RankActivity& rank, const FrameName& function, StringId op) {
  constexpr double kNearlyAll = 0.9;
  const IntervalSet runs = RunsOf(rank, op);
  const AnywhereInWindows in_runs(runs);
  const std::vector<Interval> calls = CallsOf(facts, rank, function);
  const auto within =
      std::ranges::count_if(calls, [&](const Interval& call) { return in_runs.Holds(call.start); });
  return !calls.empty() &&
         static_cast<double>(within) >= kNearlyAll * static_cast<double>(calls.size());
}

bool Calls(const Facts& facts, const RankWindows& windows, const FrameName& function, StringId op) {
  const IntervalSet within = Intersection(RunsOf(*windows.rank, op), windows.windows);
  const IntervalSet calls = UnionOf(CallsOf(facts, *windows.rank, function));
  return !within.empty() && 2 * LengthOf(Intersection(calls, within)) >= LengthOf(within);
}

Phrase SayCalled(const Facts& facts, StringId op, const std::optional<FrameTimes::Leader>& caller) {
  const Phrase name = OperatorNameOf(facts, op);
  return caller ? Say("{operator}, called by {function}", name, SayLeader(*caller)) : name;
}

bool RunsMoreInEachStep(const Facts& facts, int64_t rank, StringId op) {
  const std::vector<StepParts>& ranks = StepPartsOf(facts);
  const auto own = std::ranges::find(ranks, rank, &StepParts::rank);
  if (own == ranks.end() || own->steps.size() < 2) return false;
  const auto calls = [&](const StepParts& of, size_t step) {
    const auto at = of.operators.find(op);
    return at == of.operators.end() || at->second.calls.empty() ? 0 : at->second.calls[step];
  };
  return std::ranges::all_of(ranks, [&](const StepParts& other) {
    for (size_t step = 0; other.rank != rank && step < own->steps.size(); ++step) {
      if (calls(other, step) >= calls(*own, step)) return false;
    }
    return true;
  });
}

namespace {

// ns; 0 where it does not run.
int64_t TimeIn(const StepParts& of, StringId op, size_t step) {
  const auto at = of.operators.find(op);
  return at == of.operators.end() || at->second.time.empty() ? 0 : at->second.time[step];
}

}  // namespace

bool IsUsual(const Facts& facts, int64_t rank, const ExcessWork& excess,
             const std::set<int64_t>* steps, std::optional<int64_t> since) {
  constexpr double kUsual = 0.25;
  const std::vector<StepParts>& ranks = StepPartsOf(facts);
  const auto own = std::ranges::find(ranks, rank, &StepParts::rank);
  if (own == ranks.end() || ranks.size() < 2) return true;
  std::vector<double> beyond;
  for (size_t step = 0; step < own->steps.size(); ++step) {
    const int64_t number = own->steps[step];
    if ((steps != nullptr && !steps->contains(number)) || (since && number < *since)) continue;
    std::vector<double> others;
    for (const StepParts& other : ranks) {
      if (other.rank != rank)
        others.push_back(static_cast<double>(TimeIn(other, excess.name, step)));
    }
    beyond.push_back(static_cast<double>(TimeIn(*own, excess.name, step)) -
                     Median(std::move(others)));
  }
  return beyond.empty() || Median(std::move(beyond)) >= kUsual * excess.time;
}

Phrase SayExcess(const Facts& facts, const ExcessWork& excess) {
  Phrase module;
  if (excess.module != kNoString)
    module = Say(" in {module}",
                 Phrase::Name(std::string(ModuleOfFrame((*facts.names)[excess.module]))));
  return "; " + Say("most of it in {operator}{module} ({how})", OperatorNameOf(facts, excess.name),
                    module, excess::SayKind(excess));
}

Phrase SayExcessAlone(const Facts& facts, const ExcessWork& excess) {
  return "; " + Say("{operator} alone takes {time} more per step ({how}), and others less",
                    OperatorNameOf(facts, excess.name), HumanTime(excess.time),
                    excess::SayKind(excess));
}

}  // namespace stepscope
