// Names the ranks, the operators and the Python function.
#include "analyses/work_rise.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "analyses/build.h"
#include "analyses/excess.h"
#include "facts/derived/lateness/excess_work.h"
#include "facts/derived/lateness/work_rises.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/steps/step_categories.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

std::string Time(int64_t ns) { return HumanTime(static_cast<double>(ns)); }

// The steps with more, of the rank that has the most; and its other steps, or where it has more in
// most, all steps of a rank that does not.
struct Halves {
  RankWindows more, others;
};

Halves HalvesOf(const Facts& facts, const WorkRise& rise) {
  const std::vector<RankSteps>& ranks = RankStepsOf(facts);
  const auto own =
      std::ranges::find(ranks, rise.rank, [](const RankSteps& r) { return r.rank->rank; });
  if (own == ranks.end()) return {};
  const auto has_more = [&](int64_t step) { return rise.steps.contains(step); };
  Halves halves{.more = {own->rank, WindowsOf(*own, has_more)},
                .others = {own->rank, WindowsOf(*own, std::not_fn(has_more))}};
  const bool in_most = halves.others.windows.size() < halves.more.windows.size() / 2;
  const auto without =
      std::ranges::find_if(ranks, [&](const RankSteps& r) { return !rise.Has(r.rank->rank); });
  if (!rise.since && in_most && without != ranks.end())
    halves.others = {without->rank, WindowsOf(*without)};
  return halves;
}

std::optional<FrameTimes::Leader> FunctionOf(const Facts& facts, const WorkRise& rise) {
  const Halves halves = HalvesOf(facts, rise);
  if (halves.more.rank == nullptr) return std::nullopt;
  return FunctionBehind(facts, halves.more, halves.others, rise.Difference() / 2);
}

// "from aten::remainder to aten::linear", "before aten::linear", "after aten::add_".
std::string SayNeighbours(const Facts& facts, const WorkRise& rise) {
  const auto label = [&](StringId name) { return OperatorLabel((*facts.names)[name]); };
  if (rise.previous == kNoString && rise.name == kNoString) return "in steps without operators";
  if (rise.previous == kNoString) return fmt::format("before {}", label(rise.name));
  if (rise.name == kNoString) return fmt::format("after {}", label(rise.previous));
  return fmt::format("from {} to {}", label(rise.previous), label(rise.name));
}

bool IsOfAll(const Facts& facts, const WorkRise& rise) {
  return rise.ranks.size() > 1 && WorkRisesOf(facts).IsOfAll(rise);
}

}  // namespace

std::string SayRanksOf(const Facts& facts, const WorkRise& rise) {
  return IsOfAll(facts, rise) ? "all ranks" : SayRanks(rise.ranks);
}

std::string SayMore(const Facts& facts, const WorkRise& rise) {
  return fmt::format("{} {} {}{} more per step", SayRanksOf(facts, rise),
                     rise.ranks.size() == 1 ? "spends" : "spend",
                     rise.ranks.size() == 1 ? "" : "up to ", Time(rise.Difference()));
}

std::string SayPlaceOf(const Facts& facts, const WorkRise& rise) {
  if (rise.kind != WorkKind::kBetween) return std::string(OperatorLabel((*facts.names)[rise.name]));
  const auto function = FunctionOf(facts, rise);
  return function ? SayLeader(*function) : SayNeighbours(facts, rise);
}

std::string SayWorkEvidence(const Facts& facts, const WorkRise& rise) {
  const auto more = static_cast<int64_t>(rise.steps.size());
  const auto steps = [](int64_t count) { return Plural(static_cast<size_t>(count), "step"); };
  std::string text;
  if (rise.since) {
    text = fmt::format("median {} in {} before, {} in {} since", Time(rise.before),
                       steps(rise.all_steps - more), Time(rise.after), steps(more));
  } else {
    text = fmt::format("rank {}: median {} in {} of {}, other ranks {}", rise.rank,
                       Time(rise.after), more, steps(rise.all_steps), Time(rise.before));
  }
  if (rise.kind == WorkKind::kBetween) return text + ", " + SayNeighbours(facts, rise);
  const auto excess = rise.since ? ExcessSince(facts, rise.rank, *rise.since, rise.name)
                                 : std::optional<ExcessWork>();
  if (excess) return text + SayExcess(facts, *excess);
  return fmt::format("{}, in {}", text, OperatorLabel((*facts.names)[rise.name]));
}

}  // namespace stepscope
