// Implements what is told of new functions.
#include "report/compare_functions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/saturate.h"
#include "report/compare_reach.h"
#include "report/humanize.h"

namespace stepscope::comparison {
namespace {

constexpr double kMinShare = 0.03;  // of the longer step time

// What no operator, input or wait takes; null where there is none.
const CategoryChange* PythonPart(const StepComparison& steps) {
  const auto at = std::ranges::find(steps.categories, true, &CategoryChange::is_rest);
  return at == steps.categories.end() || at->key.empty() ? nullptr : &*at;
}

// A new function on its ranks, and in which steps.
struct Told {
  std::map<int64_t, Reach> reaches;
  bool in_turn = false;  // no step has it on two ranks
  double time = 0;       // ns per step
};

bool AreApart(const std::map<int64_t, Reach>& reaches) {
  std::set<int64_t> seen;
  for (const auto& [rank, reach] : reaches) {
    if (reach.numbers.empty()) return false;
    for (const int64_t number : reach.numbers) {
      if (!seen.insert(number).second) return false;
    }
  }
  return reaches.size() > 1;
}

Told ToldOf(const ReportSet& b, const NewFunction& function, const StepComparison& steps) {
  Told told;
  const CategoryChange* python = PythonPart(steps);
  double sum = 0;
  for (const auto& [rank, time] : function.ranks) {
    told.reaches[rank] = python == nullptr ? Reach() : ReachOf(b, steps, *python, rank);
    sum += time;
  }
  told.in_turn = AreApart(told.reaches);
  told.time = told.in_turn ? sum : function.Most();
  return told;
}

// "rank 3", "ranks 0 and 1", "all ranks".
Phrase SayRanks(const NewFunction& function, const StepComparison& steps) {
  std::vector<int64_t> ranks;
  for (const auto& [rank, time] : function.ranks) ranks.push_back(rank);
  if (ranks.size() == 1) return Say("rank {rank}", ranks.front());
  if (ranks.size() > 2 && ranks.size() == steps.in_b.Ranks().size()) return "all ranks";
  std::string others;
  for (size_t i = 0; i + 1 < ranks.size(); ++i)
    others += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  return Say("ranks {ranks} and {last}", others, ranks.back());
}

Phrase SayOnRanks(const NewFunction& function, const Told& told, const StepComparison& steps) {
  const Phrase ranks = SayRanks(function, steps);
  return told.in_turn ? Say("{ranks} in turn", ranks) : ranks;
}

// "rank 0: 96.1 ms per step in every 2nd step (1, 3, 5 … 11); rank 1: ...".
Phrase SayEach(const NewFunction& function, const Told& told) {
  constexpr size_t kNamed = 3;
  Phrase said;
  size_t named = 0;
  for (const auto& [rank, time] : function.ranks) {
    if (named++ == kNamed) break;
    said +=
        (said.empty() ? "" : "; ") + Say("rank {rank}: 0 ns before, {time} per step after{when}",
                                         rank, HumanTime(time), told.reaches.at(rank).when);
  }
  return said;
}

// Of one rank, whose steps are known.
const Reach* ReachOfOne(const Told& told) {
  const bool known = told.reaches.size() == 1 && !told.reaches.begin()->second.when.empty();
  return known ? &told.reaches.begin()->second : nullptr;
}

Phrase SayAmount(const Told& told, const StepComparison& steps) {
  const std::string time = HumanTime(told.time);
  const Reach* reach = ReachOfOne(told);
  if (reach == nullptr) return Say("{time} per step", time);
  const auto all = static_cast<double>(steps.in_b.StepsOf(told.reaches.begin()->first));
  const double each = told.time * all / static_cast<double>(reach->numbers.size());
  return Say("{time} per step, {each} in these steps", time, HumanTime(each));
}

bool Names(const Phrase& text, const NewFunction& function) { return text.contains(function.name); }

bool IsNamed(const NewFunction& function, const Report& report) {
  return std::ranges::any_of(report.findings,
                             [&](const Finding& f) { return Names(f.message, function); });
}

// Whether it takes what slow steps take longer.
bool IsWhySlow(const Told& told, const SlowStepChange& slow) {
  constexpr double kLeast = 0.7, kMost = 1.3;
  return !slow.message.empty() && told.time >= kLeast * slow.time && told.time <= kMost * slow.time;
}

// `slow`: the steps that it recurs in, where others know them.
void AddFinding(const NewFunction& function, const Told& told, const Phrase& slow,
                const StepComparison& steps, Report& report, Leads& leads) {
  const Phrase name = Phrase::Name(function.name), on = SayOnRanks(function, told, steps),
               amount = SayAmount(told, steps);
  const Reach* reach = ReachOfOne(told);
  const Phrase when = reach != nullptr ? reach->when
                      : slow.empty()   ? Phrase()
                                       : Say(" in {steps}", slow);
  const Phrase message =
      Say("{function} is new on {ranks}{when}: {amount}.", name, on, when, amount);
  Cause cause{CauseKind::kHost};
  if (function.ranks.size() == 1) cause.rank = function.ranks.begin()->first;
  report.findings.push_back(
      {.message = message,
       .because = SayEach(function, told),
       .hint = Say("look at {name} and what calls it: changed code, arguments or data; see python",
                   name),
       .impact = ToInt64(told.time),
       .table = "ranks",
       .cause = cause,
       .nearness = Nearness::kCause,
       .extent = {.time = ToInt64(steps.b), .steps = 1}});
  leads.more.push_back(
      {.message = message,
       .clause = Say("{function} is new on {ranks}{when}, {amount}", name, on, when, amount),
       .time = told.time});
}

}  // namespace

std::vector<NewFunction> FunctionsThatCount(const ReportSet& a, const ReportSet& b,
                                            const StepComparison& steps) {
  std::vector<NewFunction> functions = NewFunctions(a, b);
  const double least = kMinShare * std::max(steps.a, steps.b);
  for (NewFunction& function : functions)
    std::erase_if(function.ranks, [&](const auto& of) { return of.second < least; });
  std::erase_if(functions, [](const NewFunction& function) { return function.ranks.empty(); });
  return functions;
}

double TimeInOperators(const std::vector<NewFunction>& functions, const StepComparison& steps) {
  std::map<int64_t, double> times;
  for (const NewFunction& function : functions) {
    for (const auto& [rank, time] : function.ranks) times[rank] += time;
  }
  const CategoryChange* python = PythonPart(steps);
  double most = 0;
  for (const auto& [rank, time] : times) {
    const double between =
        python == nullptr ? 0
                          : steps.in_b.Mean(python->key, rank) - steps.in_a.Mean(python->key, rank);
    most = std::max(most, time - std::max(between, 0.0));
  }
  return most;
}

double AddFunctionFindings(const ReportSet& b, const std::vector<NewFunction>& functions,
                           const StepComparison& steps, const SlowStepChange& slow, Report& report,
                           Leads& leads) {
  double most = 0;
  for (const NewFunction& function : functions) {
    const Told told = ToldOf(b, function, steps);
    if (told.in_turn) {
      std::erase_if(report.findings,
                    [&](const Finding& f) { return f.cause.rank && Names(f.message, function); });
    } else if (IsNamed(function, report)) {
      continue;
    }
    const bool recurs = IsWhySlow(told, slow);
    if (recurs)
      std::erase_if(report.findings, [&](const Finding& f) { return f.message == slow.message; });
    most = std::max(most, function.Most());
    AddFinding(function, told, recurs ? slow.steps : Phrase(), steps, report, leads);
  }
  return most;
}

void AddGoneFunctions(const ReportSet& a, const std::vector<NewFunction>& functions,
                      const StepComparison& steps, Leads& leads) {
  const StepComparison back = Swapped(steps);
  for (const NewFunction& function : functions) {
    const Told told = ToldOf(a, function, back);
    const auto names = [&](const Lead& lead) { return Names(lead.clause, function); };
    if (told.in_turn) {
      std::erase_if(leads.less, names);
    } else if (std::ranges::any_of(leads.less, names)) {
      continue;
    }
    leads.less.push_back(
        {{},
         Say("{function} no longer runs on {ranks}, {time} per step before",
             Phrase::Name(function.name), SayOnRanks(function, told, back), HumanTime(told.time)),
         told.time});
  }
}

}  // namespace stepscope::comparison
