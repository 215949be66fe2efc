// Reads conditions, finds the numbers they name, and tests them.
#include "stepscope/condition.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/nearest_name.h"
#include "report/humanize.h"
#include "report/limit.h"
#include "report/lookup.h"

namespace stepscope {
namespace {

constexpr std::string_view kHint =
    "write it as analysis.number<limit, analysis.table.column>limit, or analysis.number:+5%";

using Test = Condition::Test;

Error Unreadable(std::string_view text, std::string_view why, std::string_view hint = kHint) {
  return {fmt::format("cannot read the condition '{}': {}", text, why), "`conditions`",
          std::string(hint)};
}

// What a limit or a number is, by its unit.
std::string_view WordOf(Unit unit) {
  switch (unit) {
    case Unit::kNone:
      return "a plain number";
    case Unit::kNanoseconds:
      return "a time";
    case Unit::kRatio:
      return "a share";
    case Unit::kCount:
      return "a count";
    case Unit::kBytes:
      return "a size";
    case Unit::kBytesPerSecond:
      return "a bandwidth";
    case Unit::kFlop:
      return "a number of FLOP";
    case Unit::kFlopPerSecond:
      return "a rate in FLOP/s";
    case Unit::kUnixTime:
      return "a date";
    case Unit::kRatioDifference:
      return "a difference of shares";
    case Unit::kRelativeChange:
      return "a relative change";
  }
  return "";
}

// How a limit of a number of this unit is written.
std::string_view HowToWrite(Unit unit) {
  switch (unit) {
    case Unit::kNanoseconds:
      return "write a time: 5s, 250ms, 1h30m";
    case Unit::kRatio:
      return "write a share: 20%, or 0.2";
    case Unit::kRatioDifference:
      return "write a difference of shares: 5pp";
    case Unit::kBytes:
    case Unit::kBytesPerSecond:
      return "write a size: 512MiB, 80GB";
    default:
      return "write a plain number: 8";
  }
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

// The nearest name; else all, as far as a line holds them.
std::string SuggestFrom(const std::string& name, const std::vector<std::string>& known) {
  constexpr size_t kMostNamed = 12;
  const std::string nearest = NearestName(name, known);
  if (!nearest.empty()) return "did you mean '" + nearest + "'?";
  std::vector<std::string> named;
  for (const std::string& each : known) {
    if (std::ranges::find(named, each) == named.end()) named.push_back(each);
  }
  const bool more = named.size() > kMostNamed;
  if (more) named.resize(kMostNamed);
  return fmt::format("write one of: {}{}", fmt::join(named, ", "), more ? ", ..." : "");
}

class Judge {
 public:
  Judge(const Report& report, const Condition& condition)
      : report_(report), condition_(condition), names_(NamesOf(condition)) {}

  // Fails if the report has no such number.
  Result<std::vector<std::string>> Matches() {
    if (report_.status == Status::kUnavailable) {
      return Fail(fmt::format("{} is unavailable: {}", report_.analysis, report_.why),
                  "judge a report that the input can answer");
    }
    if (condition_.table.empty() && JudgeMetric()) return Found();
    for (const Table& table : report_.tables) {
      const bool asked = condition_.table.empty() || condition_.table == table.key;
      if (asked && JudgeTable(table)) return Found();
    }
    if (IsRelative(condition_.test)) return FailOfChange();
    return Fail("there is no number '" + condition_.name + "' in " + report_.analysis,
                HintOfNames());
  }

 private:
  std::unexpected<Error> Fail(std::string_view why, std::string hint) const {
    return std::unexpected(Error{fmt::format("cannot judge '{}': {}", condition_.text, why),
                                 "`conditions`", std::move(hint)});
  }

  std::unexpected<Error> FailOfChange() const {
    constexpr std::string_view kChange = "_change_ratio";
    std::vector<std::string> changes;
    for (const std::string& name : known_) {
      if (name.ends_with(kChange)) changes.push_back(name.substr(0, name.size() - kChange.size()));
    }
    if (changes.empty()) {
      return Fail("a change (:+5%) is of two runs, and this is not a comparison",
                  "ask `compare` for changes, or write a limit with < or >");
    }
    return Fail(fmt::format("there is no change of '{}' in {}", condition_.name, report_.analysis),
                SuggestFrom(condition_.name, changes));
  }

  std::string HintOfNames() const {
    const bool known_table =
        condition_.table.empty() || FindTable(&report_, condition_.table) != nullptr;
    if (known_table) return SuggestFrom(condition_.name, known_);
    std::vector<std::string> tables;
    for (const Table& table : report_.tables) tables.push_back(table.key);
    if (tables.empty()) return "the report has no tables: write analysis.number";
    return "there is no table '" + condition_.table + "': " + SuggestFrom(condition_.table, tables);
  }

  Result<std::vector<std::string>> Found() {
    if (!misfit_) return std::move(found_);
    const bool above_one = condition_.unit == Unit::kNone && IsShare(*misfit_);
    return Fail(fmt::format("the limit is {}{}, but {} is {}", WordOf(condition_.unit),
                            above_one ? " above 1" : "", condition_.name, WordOf(*misfit_)),
                std::string(HowToWrite(*misfit_)));
  }

  bool JudgeMetric() {
    for (const Metric& metric : report_.metrics) {
      known_.push_back(metric.key);
      if (std::ranges::find(names_, metric.key) == names_.end()) continue;
      const auto value = NumberIn(metric.value);
      if (value && Fits(metric.unit)) Judged(*value, metric.unit, "");
      return true;
    }
    return false;
  }

  bool JudgeTable(const Table& table) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      known_.push_back(table.columns[c].key);
      if (std::ranges::find(names_, table.columns[c].key) == names_.end()) continue;
      if (!Fits(table.columns[c].unit)) return true;
      for (const auto& row : table.rows) {
        if (const auto value = NumberIn(row[c])) {
          Judged(*value, table.columns[c].unit, Where(table, row));
        }
      }
      return true;
    }
    return false;
  }

  // Whether the limit has the unit of the number; remembers where not.
  bool Fits(Unit unit) {
    if (IsRelative(condition_.test) || unit == Unit::kNone || unit == condition_.unit) return true;
    if (condition_.unit == Unit::kNone && PlainFits(unit)) return true;
    if (unit == Unit::kBytesPerSecond && condition_.unit == Unit::kBytes) return true;
    if (IsShare(unit) && condition_.unit == Unit::kRatio) return true;
    misfit_ = unit;
    return false;
  }

  // A plain number is ambiguous for a time, whose unit it does not say, and above 1 for a share,
  // where it may be a percentage. 0 is the same in every unit.
  bool PlainFits(Unit unit) const {
    if (unit == Unit::kNanoseconds) return condition_.limit == 0;
    return !IsShare(unit) || std::abs(condition_.limit) <= 1;
  }
  static bool IsShare(Unit unit) {
    return unit == Unit::kRatio || unit == Unit::kRatioDifference || unit == Unit::kRelativeChange;
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
  std::optional<Unit> misfit_;  // of a number that the limit cannot be compared with
};

}  // namespace

Result<Condition> ParseCondition(std::string_view given) {
  const std::string text = Without(given, ' ');
  Condition condition{.text = std::string(given)};
  const size_t at = text.find_first_of("<>:");
  if (at == text.npos) return std::unexpected(Unreadable(given, "missing comparison"));
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
  const auto read = ReadLimit(limit);
  if (!read) {
    return std::unexpected(Unreadable(given,
                                      "'" + limit + "' is not a number, a time, a share or a size",
                                      "write the limit as 5s, 250ms, 20%, 5pp, 1GiB or 8"));
  }
  condition.limit = read->value;
  condition.unit = read->unit;
  const std::string path = text.substr(0, at);
  const size_t first = path.find('.'), last = path.rfind('.');
  if (first == path.npos || first == 0 || last + 1 == path.size()) {
    return std::unexpected(Unreadable(given, "missing name of an analysis or of its number"));
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
    const Report* report = FindReport(answer, condition.analysis);
    if (report == nullptr) {
      std::vector<std::string> known;
      for (const Report& r : answer.reports) known.push_back(r.analysis);
      return std::unexpected(Error{fmt::format("cannot judge '{}': the answer has no report '{}'",
                                               condition.text, condition.analysis),
                                   "`conditions`", SuggestFrom(condition.analysis, known)});
    }
    auto found = Judge(*report, condition).Matches();
    if (!found) return found;
    all.insert(all.end(), found->begin(), found->end());
  }
  return all;
}

}  // namespace stepscope
