// Conditions: read, looked up, tested.
#include "stepscope/condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/nearest_name.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr std::string_view kHint =
    "write it as analysis.number<limit, analysis.table.column>limit, or analysis.number:+5%";

using Test = Condition::Test;

Error Unreadable(std::string_view text, std::string_view why) {
  return {fmt::format("cannot read the condition '{}': {}", text, why), "--fail-on",
          std::string(kHint)};
}

// "10ms", "5%", "0.5": the number in ns, as a share, or as it is.
std::optional<double> ReadNumber(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  const std::string_view unit(stop, static_cast<size_t>(end - stop));
  constexpr std::pair<std::string_view, double> kUnits[] = {{"", 1},     {"ns", 1},  {"us", 1e3},
                                                            {"ms", 1e6}, {"s", 1e9}, {"%", 0.01}};
  for (const auto& [name, factor] : kUnits) {
    if (unit == name) return value * factor;
  }
  return std::nullopt;
}

std::string Without(std::string_view text, char c) {
  std::string out(text);
  std::erase(out, c);
  return out;
}

struct Operator {
  std::string_view sign;
  Test test;
};
constexpr Operator kOperators[] = {
    {"<=", Test::kAtMost}, {">=", Test::kAtLeast}, {"<", Test::kBelow}, {">", Test::kAbove}};

bool Holds(Test test, double value, double limit) {
  switch (test) {
    case Test::kBelow:
      return value < limit;
    case Test::kAtMost:
      return value <= limit;
    case Test::kAbove:
      return value > limit;
    case Test::kAtLeast:
    case Test::kRose:
      return value >= limit;
    case Test::kFell:
      return value <= -limit;
  }
  return false;
}

bool IsRelative(Test test) { return test == Test::kRose || test == Test::kFell; }

// Under which names the number may stand in the answer: a comparison has its sides.
std::vector<std::string> NamesOf(const Condition& condition) {
  if (IsRelative(condition.test)) return {condition.name + "_change_ratio"};
  return {condition.name, condition.name + "_b"};
}

std::optional<double> NumberIn(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

class Judge {
 public:
  Judge(const Report& report, const Condition& condition)
      : report_(report), condition_(condition), names_(NamesOf(condition)) {}

  // Fails if the report has no such number.
  Result<std::vector<std::string>> Matches() {
    if (report_.status == Status::kUnavailable) {
      return Fail(fmt::format("{} is unavailable: {}", report_.analysis, report_.why));
    }
    if (condition_.table.empty() && JudgeMetric()) return std::move(found_);
    for (const Table& table : report_.tables) {
      const bool asked = condition_.table.empty() || condition_.table == table.key;
      if (asked && JudgeTable(table)) return std::move(found_);
    }
    std::string nearest = NearestName(condition_.name, known_);
    if (IsRelative(condition_.test)) {
      return Fail("there is no such number in a comparison of " + report_.analysis);
    }
    return Fail("there is no number '" + condition_.name + "' in " + report_.analysis +
                (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
  }

 private:
  std::unexpected<Error> Fail(std::string why) const {
    return std::unexpected(Error{fmt::format("cannot judge '{}': {}", condition_.text, why),
                                 "--fail-on", std::string(kHint)});
  }

  bool JudgeMetric() {
    for (const Metric& metric : report_.metrics) {
      known_.push_back(metric.key);
      if (std::ranges::find(names_, metric.key) == names_.end()) continue;
      if (const auto value = NumberIn(metric.value)) Judged(*value, metric.unit, "");
      return true;
    }
    return false;
  }

  bool JudgeTable(const Table& table) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      known_.push_back(table.columns[c].key);
      if (std::ranges::find(names_, table.columns[c].key) == names_.end()) continue;
      for (const auto& row : table.rows) {
        if (const auto value = NumberIn(row[c])) {
          Judged(*value, table.columns[c].unit, Where(table, row));
        }
      }
      return true;
    }
    return false;
  }

  void Judged(double value, Unit unit, const std::string& where) {
    if (!Holds(condition_.test, value, condition_.limit)) return;
    found_.push_back(fmt::format("{}: it is {}{}", condition_.text, HumanCell(value, unit), where));
  }

  // " (rank 3, step 7)".
  static std::string Where(const Table& table, const std::vector<Cell>& row) {
    std::string text;
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].role != Role::kKey || IsBlank(row[c])) continue;
      text += fmt::format("{}{} {}", text.empty() ? " (" : ", ", table.columns[c].title,
                          HumanCell(row[c], Unit::kNone));
    }
    return text.empty() ? text : text + ")";
  }

  const Report& report_;
  const Condition& condition_;
  std::vector<std::string> names_, known_, found_;
};

}  // namespace

Result<Condition> ParseCondition(std::string_view given) {
  const std::string text = Without(given, ' ');
  Condition condition{.text = std::string(given)};
  const size_t at = text.find_first_of("<>:");
  if (at == text.npos) return std::unexpected(Unreadable(given, "it compares nothing"));
  std::string limit;
  if (text[at] == ':') {
    limit = text.substr(at + 1);
    if (limit.empty() || (limit[0] != '+' && limit[0] != '-') || !limit.ends_with('%')) {
      return std::unexpected(Unreadable(given, "a change is written as :+5% or :-5%"));
    }
    condition.test = limit[0] == '+' ? Test::kRose : Test::kFell;
    limit.erase(0, 1);
  } else {
    const auto* op = std::ranges::find_if(
        kOperators, [&](const Operator& o) { return text.substr(at).starts_with(o.sign); });
    condition.test = op->test;
    limit = text.substr(at + op->sign.size());
  }
  const auto number = ReadNumber(limit);
  if (!number) return std::unexpected(Unreadable(given, "'" + limit + "' is no number"));
  condition.limit = *number;
  const std::string path = text.substr(0, at);
  const size_t first = path.find('.'), last = path.rfind('.');
  if (first == path.npos || first == 0 || last + 1 == path.size()) {
    return std::unexpected(Unreadable(given, "it names no number of an analysis"));
  }
  condition.analysis = path.substr(0, first);
  if (last > first) condition.table = path.substr(first + 1, last - first - 1);
  condition.name = path.substr(last + 1);
  return condition;
}

Result<std::vector<std::string>> Matches(const ReportSet& answer,
                                         const std::vector<Condition>& conditions) {
  std::vector<std::string> all;
  for (const Condition& condition : conditions) {
    const auto report = std::ranges::find(answer.reports, condition.analysis, &Report::analysis);
    if (report == answer.reports.end()) {
      std::vector<std::string> known;
      for (const Report& r : answer.reports) known.push_back(r.analysis);
      const std::string nearest = NearestName(condition.analysis, known);
      return std::unexpected(Error{
          fmt::format("cannot judge '{}': no analysis '{}' was asked", condition.text,
                      condition.analysis),
          "--fail-on", nearest.empty() ? std::string(kHint) : "did you mean '" + nearest + "'?"});
    }
    auto found = Judge(*report, condition).Matches();
    if (!found) return found;
    all.insert(all.end(), found->begin(), found->end());
  }
  return all;
}

}  // namespace stepscope
