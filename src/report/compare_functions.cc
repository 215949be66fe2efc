// Implements what is told of new functions.
#include "report/compare_functions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/saturate.h"
#include "report/compare_left_out.h"
#include "report/compare_rank_groups.h"
#include "report/compare_reach.h"
#include "report/humanize.h"
#include "report/period_of_steps.h"

namespace stepscope::comparison {
namespace {

constexpr double kMinShare = 0.03;  // of the longer step time
constexpr double kCompiles = 0.7;   // of a library's function that runs a compiler

// ns per step, by which compilation takes more or less.
double ChangeOfCompilation(const StepComparison& steps) {
  const auto at =
      std::ranges::find(steps.categories, CauseKind::kCompilation, &CategoryChange::cause);
  return at == steps.categories.end() ? 0 : std::abs(at->Change());
}

// What no operator, input or wait takes; null where there is none.
const CategoryChange* PythonPart(const StepComparison& steps) {
  const auto at = std::ranges::find(steps.categories, true, &CategoryChange::is_rest);
  return at == steps.categories.end() || at->key.empty() ? nullptr : &*at;
}

// A new function on its ranks, and in which steps.
struct Told {
  std::map<int64_t, Reach> reaches;
  bool in_turn = false;        // no step has it on two ranks
  double time = 0;             // ns per step
  std::set<int64_t> left_out;  // of one rank: its steps, which are all left out of the means
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
  if (function.ranks.size() == 1)
    told.left_out = StepsLeftOutWith(steps, function.ranks.begin()->first, told.time);
  return told;
}

// "rank 3", "ranks 0 and 1", "all ranks".
Phrase SayRanks(const NewFunction& function, const StepComparison& steps) {
  std::vector<int64_t> ranks;
  for (const auto& [rank, time] : function.ranks) ranks.push_back(rank);
  if (ranks.size() == 1) return Say("rank {rank}", ranks.front());
  if (ranks.size() > 2 && ranks.size() == steps.in_b.Ranks().size()) return "all ranks";
  return comparison::SayRanks(ranks);
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

// `slow`: of the steps that it recurs in, with which alone, or of a rank, it is told; empty: none.
bool IsNamed(const NewFunction& function, const Phrase& slow, const Report& report) {
  return std::ranges::any_of(report.findings, [&](const Finding& f) {
    return Names(f.message, function) && (slow.empty() || f.cause.rank || f.message == slow);
  });
}

// Whether it may run in these steps of their rank alone.
bool MayRunIn(const Told& told, const SlowStepChange& slow) {
  if (slow.rank && (told.reaches.size() != 1 || !told.reaches.contains(*slow.rank))) return false;
  return std::ranges::all_of(told.reaches, [&](const auto& of_rank) {
    const std::set<int64_t>& own = of_rank.second.numbers;
    const auto in_these =
        std::ranges::count_if(own, [&](int64_t number) { return slow.numbers.contains(number); });
    return 2 * in_these >= std::ssize(own);
  });
}

// Whether it takes what slow steps take longer.
bool IsWhySlow(const Told& told, const SlowStepChange& slow) {
  constexpr double kLeast = 0.7, kMost = 1.3;
  return !slow.message.empty() && MayRunIn(told, slow) && told.time >= kLeast * slow.time &&
         told.time <= kMost * slow.time;
}

// "step 6", "steps 6 and 9".
Phrase SayNumbers(const std::set<int64_t>& numbers) {
  if (numbers.size() == 1) return Say("step {step}", *numbers.begin());
  const std::vector<int64_t> all(numbers.begin(), numbers.end());
  return Say("steps {steps} and {last}", AllButLast(all), all.back());
}

// Of a function in steps that the means leave out: no reason for these, and a part of all steps.
void AddLeftOutFinding(const NewFunction& function, const Told& told, const StepComparison& steps,
                       Report& report) {
  const Phrase name = Phrase::Name(function.name);
  const int64_t rank = function.ranks.begin()->first, count = steps.in_b.StepsOf(rank);
  const Series all = steps.in_b.Values("time", rank, StepSamples::Which::kAll);
  double sum = 0;
  for (const auto& [step, time] : all) sum += time;
  const double mean = sum / static_cast<double>(std::max<size_t>(all.size(), 1));
  report.findings.push_back(
      {.message =
           Say("{function} is new on rank {rank} in {steps}, left out of the means: {time}.", name,
               rank, SayNumbers(told.left_out), HumanTime(told.time * static_cast<double>(count))),
       .because = Say("{time} per step of all {count} steps, which take {mean} in the mean",
                      HumanTime(told.time), count, HumanTime(mean)),
       .hint = LookAt(name),
       .impact = ToInt64(told.time),
       .table = "ranks",
       .cause = {CauseKind::kHost, rank},
       .nearness = Nearness::kCause,
       .extent = {.time = ToInt64(mean), .steps = 1}});
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
  report.findings.push_back({.message = message,
                             .because = SayEach(function, told),
                             .hint = LookAt(name),
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
  const double compiles = ChangeOfCompilation(steps);
  std::erase_if(functions, [&](const NewFunction& function) {
    return function.ranks.empty() ||
           (function.of_library && kCompiles * function.Most() <= compiles);
  });
  return functions;
}

double TimeInOperators(const std::vector<NewFunction>& functions, const StepComparison& steps) {
  std::map<int64_t, double> times;
  for (const NewFunction& function : functions) {
    if (function.ranks.size() == 1 &&
        !StepsLeftOutWith(steps, function.ranks.begin()->first, function.Most()).empty())
      continue;
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
    const bool recurs = IsWhySlow(told, slow);
    if (told.in_turn) {
      std::erase_if(report.findings,
                    [&](const Finding& f) { return f.cause.rank && Names(f.message, function); });
    } else if (IsNamed(function, recurs ? slow.message : Phrase(), report)) {
      continue;
    }
    most = std::max(most, function.Most());
    if (!told.left_out.empty()) {
      AddLeftOutFinding(function, told, steps, report);
      continue;
    }
    if (recurs)
      std::erase_if(report.findings, [&](const Finding& f) { return f.message == slow.message; });
    AddFinding(function, told, recurs ? slow.steps : Phrase(), steps, report, leads);
  }
  return most;
}

void AddGoneFunctions(const ReportSet& a, const std::vector<NewFunction>& functions,
                      const StepComparison& steps, Leads& leads) {
  const StepComparison back = Swapped(steps);
  for (const NewFunction& function : functions) {
    const Told told = ToldOf(a, function, back);
    if (!told.left_out.empty()) continue;
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
