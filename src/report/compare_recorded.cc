// Sums the categories of both recordings, and the calls of operators that both have.
#include "report/compare_recorded.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/saturate.h"
#include "report/columns.h"
#include "report/compare_growth.h"
#include "report/compare_read.h"
#include "report/compare_sides.h"
#include "report/compare_steps.h"
#include "report/humanize.h"
#include "report/lookup.h"

namespace stepscope::comparison {
namespace {

constexpr double kOtherCalls = 0.02;   // of the calls, that only one run may have
constexpr double kLeastGrowth = 0.05;  // of what was recorded

struct Category {
  double a = 0, b = 0;  // ns
  bool is_rest = false;

  double Change() const { return b - a; }
};
using Categories = std::map<std::string, Category>;

bool IsUnmarked(const ReportSet& answer) {
  return FindTable(FindReport(answer, "overview"), "step_time") != nullptr &&
         MetricOf(answer, "overview", "steps") == 0;
}

void AddSide(const ReportSet& answer, double Category::* side, Categories& categories) {
  ForRows(answer, "overview", "step_time", std::nullopt, [&](const Table& table, const Row& row) {
    Category& category = categories[std::string(Text(row, FindColumn(table, "category")))];
    category.*side = Number(row, FindColumn(table, "mean"));
    category.is_rest = Text(row, FindColumn(table, "kind")) == ColumnKindName(ColumnKind::kOther);
  });
}

Categories CategoriesOf(const ReportSet& a, const ReportSet& b) {
  Categories categories;
  AddSide(a, &Category::a, categories);
  AddSide(b, &Category::b, categories);
  return categories;
}

struct Calls {
  double a = 0, b = 0;
};

void AddCalls(const ReportSet& answer, double Calls::* side, std::map<std::string, Calls>& calls) {
  ForRows(answer, "operators", "operators", std::nullopt, [&](const Table& table, const Row& row) {
    calls[std::string(Text(row, FindColumn(table, "name")))].*side +=
        Number(row, FindColumn(table, "occurrences"));
  });
}

bool DidTheSame(const ReportSet& a, const ReportSet& b) {
  std::map<std::string, Calls> calls;
  AddCalls(a, &Calls::a, calls);
  AddCalls(b, &Calls::b, calls);
  double all = 0, apart = 0;
  for (const auto& [name, of] : calls) {
    all += std::max(of.a, of.b);
    apart += std::abs(of.b - of.a);
  }
  return all > 0 && apart <= kOtherCalls * all;
}

}  // namespace

Recorded CompareRecorded(const ReportSet& a, const ReportSet& b) {
  if (!IsUnmarked(a) || !IsUnmarked(b) || a.run.ranks != b.run.ranks || !DidTheSame(a, b))
    return {};
  Recorded recorded;
  for (const auto& [name, category] : CategoriesOf(a, b)) {
    recorded.a += category.a;
    recorded.b += category.b;
  }
  return recorded;
}

Phrase AddRecorded(const ReportSet& a, const ReportSet& b, const Recorded& recorded,
                   Report& report) {
  const Phrase said =
      Say("Recorded time: {sides}, with the same operators.", SaySides(recorded.a, recorded.b));
  report.metrics.push_back(
      {"recorded_a", "recorded time, before", ToInt64(recorded.a), Unit::kNanoseconds});
  report.metrics.push_back(
      {"recorded_b", "recorded time, after", ToInt64(recorded.b), Unit::kNanoseconds});
  const Categories categories = CategoriesOf(a, b);
  const auto most =
      std::ranges::max_element(categories, {}, [](const auto& c) { return c.second.Change(); });
  const auto& [name, category] = *most;
  if (category.Change() < kLeastGrowth * std::max(recorded.a, recorded.b)) return said;
  const bool python = category.is_rest && RecordedPython(a) && RecordedPython(b);
  const Phrase part = python             ? "Python between operators"
                      : category.is_rest ? "Unrecorded time"
                                         : Capitalized(name);
  const double ranks = static_cast<double>(std::max<int64_t>(b.run.ranks, 1));
  const Reason reason =
      category.is_rest ? ReasonOnHost(a, b, std::nullopt, category.Change() * ranks) : Reason();
  report.findings.push_back(
      {.message = Say("{category} grew by {time}{why}.", part, HumanTime(category.Change()),
                      AfterColon(reason)),
       .because = SaySides(category.a, category.b) + reason.because,
       .hint = reason.hint.empty() ? "compare the timelines of both runs" : reason.hint,
       .impact = ToInt64(category.Change()),
       .table = "operators",
       .nearness = Nearness::kPart,
       .extent = {.time = ToInt64(recorded.b)}});
  return said;
}

}  // namespace stepscope::comparison
