// Implements the search for what runs do differently.
#include "report/compare_work.h"

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

constexpr double kDiffers = 0.01;   // of FLOP
constexpr double kOtherBits = 0.1;  // of compute time, whose precision changed

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
Phrase SayFlop(const ReportSet& a, const ReportSet& b) {
  const auto in_a = WorkOf(a), in_b = WorkOf(b);
  double before = 0, after = 0;
  for (const auto& [name, work] : in_a) {
    const auto other = in_b.find(name);
    if (other == in_b.end() || Differ(work.calls, other->second.calls)) return "";
    before += work.flop;
    after += other->second.flop;
  }
  if (in_a.size() != in_b.size() || !Differ(before, after)) return "";
  return Say(" The same calls compute {before} per step before, {after} after ({change}).",
             HumanFlop(before), HumanFlop(after), HumanChange((after - before) / before));
}

Phrase SayPrecision(const ReportSet& a, const ReportSet& b) {
  const auto low = [](const ReportSet& answer) {
    return MetricOf(answer, "overview", "precision_16_ratio") +
           MetricOf(answer, "overview", "precision_8_ratio");
  };
  const auto known = [](const ReportSet& answer) {
    return MetricOf(answer, "overview", "precision_unknown_ratio") < kOtherBits;
  };
  if (!known(a) || !known(b) || std::abs(low(b) - low(a)) < kOtherBits) return "";
  return Say(" Compute in 16 bit or less: {before} before, {after} after.", HumanRatio(low(a)),
             HumanRatio(low(b)));
}

// Recording Python's functions takes time itself.
Phrase SayRecording(const ReportSet& a, const ReportSet& b) {
  if (FindReport(a, "python") == nullptr || RecordedPython(a) == RecordedPython(b)) return "";
  return RecordedPython(a) ? " Python functions are recorded only before, which takes time itself."
                           : " Python functions are recorded only after, which takes time itself.";
}

}  // namespace

Phrase SayWork(const ReportSet& a, const ReportSet& b) {
  return SayFlop(a, b) + SayPrecision(a, b) + SayRecording(a, b);
}

}  // namespace stepscope::comparison
