// Implements the search for what runs do differently.
#include "report/compare_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/compare_sides.h"
#include "report/humanize.h"
#include "report/kernel_name.h"
#include "report/lookup.h"

namespace stepscope::comparison {
namespace {

constexpr double kDiffers = 0.01;    // of FLOP
constexpr double kOtherBits = 0.1;   // of compute time, whose precision changed
constexpr double kTakesTime = 0.01;  // of step time, that other calls take
constexpr size_t kNamed = 2;         // calls

// Calls and FLOP of a run, by name.
struct Work {
  double calls = 0, flop = 0;
};

std::map<std::string, Work> WorkOf(const ReportSet& answer, std::string_view analysis,
                                   std::string_view key, std::string_view name,
                                   std::string_view calls) {
  std::map<std::string, Work> work;
  const Table* table = FindTable(FindReport(answer, analysis), key);
  if (table == nullptr) return work;
  const auto by = FindColumn(*table, name), count = FindColumn(*table, calls),
             flops = FindColumn(*table, "flops");
  if (!by || !count || !flops) return work;
  const double steps = std::max(MetricOf(answer, "overview", "steps"), 1.0);
  for (const auto& row : table->rows) {
    const auto* text = std::get_if<std::string>(&row[*by]);
    if (text == nullptr || !IsNumber(row[*flops]) || NumberOf(row[*flops]) <= 0) continue;
    Work& own = work[*text];
    own.flop += NumberOf(row[*flops]) / steps;
    own.calls += IsNumber(row[*count]) ? NumberOf(row[*count]) / steps : 0;
  }
  return work;
}

// Operators, or modules where operators have no FLOP.
std::map<std::string, Work> WorkOf(const ReportSet& answer) {
  auto work = WorkOf(answer, "operators", "operators", "name", "occurrences");
  if (work.empty()) work = WorkOf(answer, "modules", "types", "type", "calls");
  return work;
}

bool Differ(double a, double b) { return std::abs(b - a) > kDiffers * std::max(a, b); }

// Of calls that both runs make as often: what compiled or fused code computes is unknown.
std::string SayFlop(const ReportSet& a, const ReportSet& b) {
  const auto in_a = WorkOf(a), in_b = WorkOf(b);
  double before = 0, after = 0;
  for (const auto& [name, work] : in_a) {
    const auto other = in_b.find(name);
    if (other == in_b.end() || Differ(work.calls, other->second.calls)) return "";
    before += work.flop;
    after += other->second.flop;
  }
  if (in_a.size() != in_b.size() || !Differ(before, after)) return "";
  return fmt::format(" The same calls compute {} per step before, {} after ({}).",
                     HumanFlop(before), HumanFlop(after), HumanChange((after - before) / before));
}

std::string SayPrecision(const ReportSet& a, const ReportSet& b) {
  const auto low = [](const ReportSet& answer) {
    return MetricOf(answer, "overview", "precision_16_ratio") +
           MetricOf(answer, "overview", "precision_8_ratio");
  };
  const auto known = [](const ReportSet& answer) {
    return MetricOf(answer, "overview", "precision_unknown_ratio") < kOtherBits;
  };
  if (!known(a) || !known(b) || std::abs(low(b) - low(a)) < kOtherBits) return "";
  return fmt::format(" Compute in 16 bit or less: {} before, {} after.", HumanRatio(low(a)),
                     HumanRatio(low(b)));
}

// Calls per step of a rank.
struct Calls {
  double a = 0, b = 0;            // per step
  double time_a = 0, time_b = 0;  // ns per step
  bool Differ() const { return comparison::Differ(a, b); }
};
using CallsOfRanks = std::map<int64_t, Calls>;

void AddCalls(const ReportSet& answer, const StepSamples& steps, double Calls::* calls,
              double Calls::* time, std::map<std::string, CallsOfRanks>& by_name) {
  const Table* table = FindTable(FindReport(answer, "kernel_breakdown"), "kernels");
  if (table == nullptr) return;
  const auto rank = FindColumn(*table, "rank"), name = FindColumn(*table, "name"),
             count = FindColumn(*table, "count"), sum = FindColumn(*table, "sum");
  if (!rank || !name || !count || !sum) return;
  std::map<int64_t, double> of_ranks;
  for (const int64_t r : steps.Ranks()) of_ranks[r] = static_cast<double>(steps.StepsOf(r));
  for (const auto& row : table->rows) {
    const auto* number = std::get_if<int64_t>(&row[*rank]);
    const auto* text = std::get_if<std::string>(&row[*name]);
    if (number == nullptr || text == nullptr || !of_ranks.contains(*number)) continue;
    Calls& own = by_name[*text][*number];
    const double of = of_ranks[*number];
    own.*calls += IsNumber(row[*count]) ? NumberOf(row[*count]) / of : 0;
    own.*time += IsNumber(row[*sum]) ? NumberOf(row[*sum]) / of : 0;
  }
}

// "aten::softmax runs 0 times per step before, 16 after on rank 1": of the rank with the largest
// difference, named if not all of `count` ranks have one.
std::string SayCalls(const std::string& name, const CallsOfRanks& ranks, size_t count) {
  const auto differ = std::ranges::count_if(ranks, [](const auto& r) { return r.second.Differ(); });
  const auto& [rank, calls] = *std::ranges::max_element(
      ranks, {}, [](const auto& r) { return std::abs(r.second.b - r.second.a); });
  const bool on_some = static_cast<size_t>(differ) < count;
  return fmt::format("{} runs {} times per step before, {} after{}", ShortName(OperatorLabel(name)),
                     HumanCount(calls.a), HumanCount(calls.b),
                     on_some ? fmt::format(" on rank {}", rank) : "");
}

std::string SayOtherCalls(const ReportSet& a, const ReportSet& b, const StepChange& steps) {
  std::map<std::string, CallsOfRanks> by_name;
  AddCalls(a, steps.in_a, &Calls::a, &Calls::time_a, by_name);
  AddCalls(b, steps.in_b, &Calls::b, &Calls::time_b, by_name);
  std::vector<std::pair<double, std::string>> differ;  // ns that they took, and the words
  for (const auto& [name, ranks] : by_name) {
    double most = 0;
    for (const auto& [rank, calls] : ranks) {
      if (calls.Differ()) most = std::max({most, calls.time_a, calls.time_b});
    }
    if (most >= kTakesTime * std::max(steps.a, steps.b))
      differ.emplace_back(most, SayCalls(name, ranks, steps.in_a.Ranks().size()));
  }
  std::ranges::sort(differ, std::ranges::greater{});
  std::string text;
  for (size_t i = 0; i < std::min(differ.size(), kNamed); ++i)
    text += (i == 0 ? " Calls differ: " : "; ") + differ[i].second;
  return text.empty() ? text : text + ".";
}

// Recording Python's functions takes time itself.
std::string SayRecording(const ReportSet& a, const ReportSet& b) {
  if (FindReport(a, "python") == nullptr || RecordedPython(a) == RecordedPython(b)) return "";
  return fmt::format(" Python functions are recorded only {}, which takes time itself.",
                     RecordedPython(a) ? "before" : "after");
}

}  // namespace

std::string SayWork(const ReportSet& a, const ReportSet& b, const StepChange& steps) {
  const bool unclear = steps.IsNoise() || IsNoise(steps, CauseKind::kCompute);
  return SayFlop(a, b) + SayPrecision(a, b) + (unclear ? SayOtherCalls(a, b, steps) : "") +
         SayRecording(a, b);
}

}  // namespace stepscope::comparison
