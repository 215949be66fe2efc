// Implements the search for functions that only one of two runs has.
#include "report/compare_new_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/library_files.h"
#include "report/compare_callees.h"
#include "report/compare_sides.h"

namespace stepscope::comparison {
namespace {

constexpr double kMoreCalls = 0.05;              // of the calls before
constexpr double kAroundOld = 0.25;              // of a function's time, in what ran before, too
constexpr double kLeast = 0.7, kMost = 1 / 0.7;  // of a function's time, of one that replaced it

// "write_snapshot": lines move when code changes, and scripts are renamed. Empty: it is built in,
// generated, or a whole file.
std::string KeyOf(std::string_view function, std::string_view file) {
  if (file.empty() || file.starts_with('<') || function.starts_with('<')) return {};
  return std::string(function);
}
// The same of "write_snapshot (t.py:56)".
std::string KeyInTree(std::string_view name) {
  const size_t line = name.find_last_of(':'), file = name.find(" (");
  if (!name.ends_with(')') || line == name.npos || file == name.npos || line < file) return {};
  return KeyOf(name.substr(0, file), name.substr(file + 2));
}

struct Function {
  std::string name;  // with file and line
  std::map<int64_t, double> ranks;
  double calls = 0;  // per step, over all ranks
  bool of_library = false;
};
using Functions = std::map<std::string, Function>;

// Of threads that train.
Functions FunctionsOf(const ReportSet& answer) {
  Functions functions;
  std::map<int64_t, double> steps;
  ForRows(answer, "python", "functions", std::nullopt, [&](const Table& table, const Row& row) {
    const auto of = [&](std::string_view key) { return FindColumn(table, key); };
    const auto at = of("rank");
    if (!at || Text(row, of("training")) != "yes" || !IsNumber(row[*at])) return;
    const std::string_view name = Text(row, of("function")), file = Text(row, of("file"));
    const std::string key = KeyOf(name, file);
    if (key.empty()) return;
    const auto rank = static_cast<int64_t>(NumberOf(row[*at]));
    const auto [known, is_new] = steps.try_emplace(rank, 1);
    if (is_new) known->second = StepsOf(answer, rank);
    Function& function = functions[key];
    function.name = fmt::format("{} ({}:{:.0f})", name, file, Number(row, of("line")));
    function.ranks[rank] += Number(row, of("total")) / known->second;
    function.calls += Number(row, of("calls")) / known->second;
    function.of_library = IsLibraryFile(file);
  });
  return functions;
}

std::set<int64_t> RanksOf(const Functions& functions) {
  std::set<int64_t> ranks;
  for (const auto& [key, function] : functions) {
    for (const auto& [rank, time] : function.ranks) ranks.insert(rank);
  }
  return ranks;
}

// The share of a function's time that the run before did not spend, by key. Not of functions around
// what ran before: how much of them is new is not known.
std::map<std::string, double> SharesOfNew(const Functions& in_a, const Functions& in_b,
                                          const ReportSet& b) {
  struct Sum {
    double all = 0, old = 0;
  };
  std::map<std::string, Sum> sums;
  std::string outer;                               // the outermost new function around a row
  double at_depth = 0;                             // its depth
  std::optional<double> old_depth = std::nullopt;  // of a function around a row that is not new
  ForRows(b, "python", "tree", std::nullopt, [&](const Table& table, const Row& row) {
    const double depth = Number(row, FindColumn(table, "depth")),
                 total = Number(row, FindColumn(table, "total"));
    if (depth <= at_depth) outer.clear();
    if (old_depth && depth <= *old_depth) old_depth.reset();
    const std::string key = KeyInTree(Text(row, FindColumn(table, "name")));
    const auto before = in_a.find(key), after = in_b.find(key);
    if (outer.empty()) {
      if (key.empty() || before != in_a.end() || after == in_b.end()) return;
      outer = key;
      at_depth = depth;
      old_depth.reset();
      sums[outer].all += total;
      return;
    }
    if (old_depth || before == in_a.end() || after == in_b.end()) return;
    if (after->second.calls > (1 + kMoreCalls) * before->second.calls) return;
    old_depth = depth;
    sums[outer].old += total;
  });
  std::map<std::string, double> shares;
  for (const auto& [key, sum] : sums) {
    if (sum.all > 0 && sum.old <= kAroundOld * sum.all) shares[key] = 1 - sum.old / sum.all;
  }
  return shares;
}

// The new functions of the user's program that run within this one alone.
std::vector<const Function*> NewWithin(const Functions& in_a, const Functions& in_b,
                                       const ReportSet& b, const Function& outer) {
  std::vector<const Function*> found;
  const std::set<std::string> within = FunctionsWithin(b, outer.name);
  for (const auto& [key, function] : in_b) {
    if (in_a.contains(key) || function.of_library) continue;
    if (within.contains(NameInTree(function.name))) found.push_back(&function);
  }
  return found;
}

// By rank, on ranks that both runs recorded. Functions that only call one give way to it, on each
// rank to its own.
std::vector<NewFunction> OnlyAfter(const Functions& in_a, const Functions& in_b,
                                   const ReportSet& b) {
  const std::set<int64_t> ranks = RanksOf(in_a);
  std::vector<NewFunction> found;
  for (const auto& [key, share] : SharesOfNew(in_a, in_b, b)) {
    const Function& function = in_b.at(key);
    const std::vector<const Function*> within = NewWithin(in_a, in_b, b, function);
    std::map<std::string, NewFunction> own;  // by name
    for (const auto& [rank, time] : function.ranks) {
      if (!ranks.contains(rank) || time * share <= 0) continue;
      const Function& called = CalledBy(function, within, [&](const Function& f) {
        const auto at = f.ranks.find(rank);
        return at == f.ranks.end() ? 0 : at->second;
      });
      if (IsOfTraining(called.name)) continue;
      NewFunction& of = own[called.name];
      of.name = called.name;
      of.of_library = called.of_library;
      of.ranks[rank] = std::min(time * share, called.ranks.at(rank));
    }
    for (auto& [name, of] : own) found.push_back(std::move(of));
  }
  return found;
}

// Whether a report means the function: "validate (run.py:58, called by timed)", too.
bool IsOfName(std::string_view text, std::string_view name) {
  return text == name ||
         (name.ends_with(')') && text.starts_with(name.substr(0, name.size() - 1)) &&
          text.substr(name.size() - 1).starts_with(", "));
}

bool TookThePlace(double of, double time) { return time >= kLeast * of && time <= kMost * of; }

}  // namespace

double NewFunction::Most() const {
  double most = 0;
  for (const auto& [rank, time] : ranks) most = std::max(most, time);
  return most;
}

std::vector<NewFunction> NewFunctions(const ReportSet& a, const ReportSet& b) {
  if (!RecordedPython(a) || !RecordedPython(b)) return {};
  const Functions in_a = FunctionsOf(a), in_b = FunctionsOf(b);
  std::vector<NewFunction> found = OnlyAfter(in_a, in_b, b);
  const std::vector<NewFunction> gone = OnlyAfter(in_b, in_a, a);
  for (NewFunction& own : found) {
    std::erase_if(own.ranks, [&](const auto& of_rank) {
      return std::ranges::any_of(gone, [&](const NewFunction& other) {
        const auto at = other.ranks.find(of_rank.first);
        return at != other.ranks.end() && TookThePlace(at->second, of_rank.second);
      });
    });
  }
  const std::string evaluation = TextOf(b, "overview", "evaluation_function");
  std::erase_if(found, [&](const NewFunction& own) {
    return own.ranks.empty() || IsOfName(evaluation, own.name);  // which no step has
  });
  std::ranges::stable_sort(found, std::ranges::greater{}, &NewFunction::Most);
  return found;
}

}  // namespace stepscope::comparison
