// Sums operators by the type of most of their inputs.
#include "analyses/overview_double.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "analyses/build.h"
#include "base/intervals.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/python/python_time.h"
#include "report/humanize.h"
#include "trace/input_lists.h"

namespace stepscope {
namespace overview_double {
namespace {

constexpr double kLeast = 0.1;      // of the steps
constexpr double kOfDouble = 0.25;  // of the time on double, on narrower types

enum class Width : uint8_t { kUnknown, kDouble, kNarrow };

// Of the types of an operator's inputs: '["double","double","Scalar"]'.
Width WidthOf(std::string_view types) {
  int64_t doubles = 0, others = 0;
  for (const std::string& type : ReadTexts(types)) {
    doubles += type == "double" ? 1 : 0;
    others += type == "float" || type == "c10::Half" || type == "c10::BFloat16" ? 1 : 0;
  }
  if (doubles == 0 && others == 0) return Width::kUnknown;
  return doubles > others ? Width::kDouble : Width::kNarrow;
}

struct Work {
  int64_t on_double = 0, on_others = 0;   // ns
  std::map<StringId, int64_t> operators;  // on double
};

// Adds operators that no other one with known types is around; `windows`: those on double of the
// thread that computes.
void Add(const Facts& facts, const RankSteps& own, Work& work, std::vector<Interval>& windows) {
  const auto thread = ComputingThread(*facts.names, *own.rank);
  const HostRanges& ranges = own.rank->host->ranges;
  std::unordered_map<StringId, Width> widths;
  std::vector<bool> within(ranges.size());  // an operator with known types
  StopChecks checks;
  for (size_t r = 0; r < ranges.size(); ++r) {
    checks.Turn();
    const HostRange range = ranges[r];
    within[r] = range.parent != kNoRange && within[static_cast<size_t>(range.parent)];
    const RangeDetail* detail = own.rank->host->DetailOf(range);
    const bool known = range.kind == Kind::kOperator && detail != nullptr &&
                       detail->types != kNoString && !within[r];
    if (!known) continue;
    const auto [at, is_new] = widths.try_emplace(detail->types, Width::kUnknown);
    if (is_new) at->second = WidthOf((*facts.names)[detail->types]);
    if (at->second == Width::kUnknown) continue;
    within[r] = true;
    if (!facts.Counts(*own.rank, range.start)) continue;
    const bool is_double = at->second == Width::kDouble;
    int64_t& sum = is_double ? work.on_double : work.on_others;
    sum = AddSaturated(sum, range.duration());
    if (!is_double) continue;
    int64_t& of_name = work.operators[range.name];
    of_name = AddSaturated(of_name, range.duration());
    if (thread && range.thread == *thread) windows.push_back({range.start, range.end});
  }
}

}  // namespace
}  // namespace overview_double

void AddDouble(const Facts& facts, const std::vector<RankSteps>& ranks, Report& report) {
  using namespace overview_double;
  if (!facts.OnHost() || ranks.empty() || ranks.front().whole_recording) return;
  Work work;
  FrameTimes python(facts);
  for (const RankSteps& own : ranks) {
    std::vector<Interval> windows;
    Add(facts, own, work, windows);
    if (const auto thread = TrainingThread(*facts.names, *own.rank))
      python.Add(*own.rank, *thread, UnionOf(std::move(windows)));
  }
  const StepStatistics total = StatisticsOfTotals(ranks);
  const auto steps = static_cast<double>(total.steps);
  const double each = static_cast<double>(work.on_double) / std::max(steps, 1.0);
  const bool has_others =
      static_cast<double>(work.on_others) >= kOfDouble * static_cast<double>(work.on_double);
  if (each < kLeast * total.mean || !has_others) return;
  const auto most = std::ranges::max_element(work.operators, {}, [&](const auto& op) {
    return std::pair(op.second, (*facts.names)[op.first]);
  });
  const Phrase function = LargestFrame(python, 0.5);
  report.findings.push_back(
      {.message =
           Say("{share} of step time is in operators on double, mostly {operator}{function}.",
               HumanRatio(each / total.mean), OperatorNameOf(facts, most->first),
               function.empty() ? Phrase() : Say(", in {function}", function)),
       .because = Say("{time} per step on double, {others} on narrower types", HumanTime(each),
                      HumanTime(static_cast<double>(work.on_others) / steps)),
       .hint = "compute it in float, as the rest: find .double(), torch.float64 or arrays of NumPy "
               "(float64 unless told) in it, and convert them",
       // Half of it: float takes half of the memory and of the vector width.
       .impact = work.on_double / 2 / std::ssize(ranks),
       .table = "step_time",
       .cause = {CauseKind::kPrecision},
       .nearness = Nearness::kCause,
       .where = {.event = OperatorNameOf(facts, most->first)}});
}

}  // namespace stepscope
