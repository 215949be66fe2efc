// Implements the search for calls that run more often.
#include "report/compare_calls.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/saturate.h"
#include "report/compare_growth.h"
#include "report/compare_read.h"
#include "report/compare_sides.h"
#include "report/humanize.h"
#include "report/kernel_name.h"
#include "report/lookup.h"

namespace stepscope::comparison {
namespace {

constexpr double kDiffers = 0.01;     // of the calls, that differ
constexpr double kMoreCalls = 0.05;   // of the calls before, that are more
constexpr double kTakesTime = 0.01;   // of step time, that other calls take
constexpr double kIsCause = 0.03;     // of step time, that added calls take
constexpr double kExplains = 0.3;     // of what steps grew by
constexpr double kNotReplaced = 0.5;  // of added calls, that all calls must grow by
constexpr double kWorthNaming = 0.2;  // of the time of the first that is named
constexpr size_t kNamed = 2;          // calls
// Of what evaluation and new functions take more, that added calls may take and be theirs.
constexpr double kOfElsewhere = 1.1;

// Calls of a rank, per step where steps are known.
struct Calls {
  double a = 0, b = 0;
  double time_a = 0, time_b = 0;  // ns
  double steps = 0;               // of the shorter run; 0: unknown
  // Traces may have begun within a step that does not count.
  double Same(double share) const { return share + (steps > 1 ? 1 / steps : 0); }
  bool Differ() const { return std::abs(b - a) > Same(kDiffers) * std::max(a, b); }
  bool AreMore() const { return b > (1 + Same(kMoreCalls)) * a; }
  double More() const { return time_b - time_a; }
};
struct CallsOfName {
  std::string kind;
  std::map<int64_t, Calls> ranks;
};
using CallsByName = std::map<std::string, CallsOfName>;

// By rank: its steps, or 1. Empty: steps are unknown, so every rank counts.
std::map<int64_t, double> StepsOfRanks(const StepComparison& steps, const StepSamples& samples) {
  std::map<int64_t, double> of_ranks;
  if (!steps.known()) return of_ranks;
  for (const int64_t rank : samples.Ranks())
    of_ranks[rank] = static_cast<double>(samples.StepsOf(rank));
  return of_ranks;
}

// Calls of a rank count for the rank `as`, if given.
void AddCalls(const ReportSet& answer, const std::map<int64_t, double>& steps,
              double Calls::* calls, double Calls::* time, Rank as, CallsByName& by_name) {
  const Table* table = FindTable(FindReport(answer, "kernel_breakdown"), "kernels");
  if (table == nullptr) return;
  const auto rank = FindColumn(*table, "rank"), name = FindColumn(*table, "name"),
             count = FindColumn(*table, "count"), sum = FindColumn(*table, "sum"),
             kind = FindColumn(*table, "kind");
  if (!rank || !name || !count || !sum) return;
  for (const auto& row : table->rows) {
    const auto* number = std::get_if<int64_t>(&row[*rank]);
    const auto* text = std::get_if<std::string>(&row[*name]);
    if (number == nullptr || text == nullptr) continue;
    const auto known = steps.find(*number);
    if (!steps.empty() && known == steps.end()) continue;
    const double of = known == steps.end() ? 1 : known->second;
    CallsOfName& named = by_name[*text];
    if (const std::string_view of_kind = Text(row, kind); !of_kind.empty()) named.kind = of_kind;
    Calls& own = named.ranks[as.value_or(*number)];
    if (known != steps.end()) own.steps = own.steps > 0 ? std::min(own.steps, of) : of;
    own.*calls += Number(row, count) / of;
    own.*time += Number(row, sum) / of;
  }
}

// The ranks whose kernels are known.
std::set<int64_t> RanksOf(const ReportSet& answer) {
  std::set<int64_t> ranks;
  const Table* table = FindTable(FindReport(answer, "kernel_breakdown"), "kernels");
  const auto at = table == nullptr ? std::nullopt : FindColumn(*table, "rank");
  if (!at) return ranks;
  for (const Row& row : table->rows) {
    if (const auto* rank = std::get_if<int64_t>(&row[*at])) ranks.insert(*rank);
  }
  return ranks;
}

// Ranks are compared by their numbers, but for two runs of one rank each: what only one run has
// was not dropped by the other.
CallsByName CompareCalls(const ReportSet& a, const ReportSet& b, const StepComparison& steps) {
  const std::set<int64_t> in_a = RanksOf(a), in_b = RanksOf(b);
  const Rank as = in_a.size() == 1 && in_b.size() == 1 ? Rank(*in_b.begin()) : std::nullopt;
  CallsByName by_name;
  AddCalls(a, StepsOfRanks(steps, steps.in_a), &Calls::a, &Calls::time_a, as, by_name);
  AddCalls(b, StepsOfRanks(steps, steps.in_b), &Calls::b, &Calls::time_b, as, by_name);
  if (as) return by_name;
  for (auto& [name, named] : by_name) {
    std::erase_if(named.ranks, [&](const auto& of_rank) {
      return !in_a.contains(of_rank.first) || !in_b.contains(of_rank.first);
    });
  }
  std::erase_if(by_name, [](const auto& named) { return named.second.ranks.empty(); });
  return by_name;
}

// The ranks that run anything.
size_t RanksIn(const CallsByName& all) {
  std::set<int64_t> ranks;
  for (const auto& [name, named] : all) {
    for (const auto& [rank, calls] : named.ranks) ranks.insert(rank);
  }
  return ranks.size();
}

// "aten::softmax runs 0 times per step before, 16 after on rank 1": of the rank with the largest
// difference, named if not all of `count` ranks have one.
Phrase SayCalls(const std::string& name, const std::map<int64_t, Calls>& ranks, size_t count,
                bool per_step) {
  const auto differ = std::ranges::count_if(ranks, [](const auto& r) { return r.second.Differ(); });
  const auto& [rank, calls] = *std::ranges::max_element(
      ranks, {}, [](const auto& r) { return std::abs(r.second.b - r.second.a); });
  const bool on_some = static_cast<size_t>(differ) < count;
  const Phrase of = Phrase::Name(ShortName(OperatorLabel(name)));
  const std::string before = HumanCount(calls.a), after = HumanCount(calls.b);
  const Phrase on_rank = on_some ? Say(" on rank {rank}", rank) : "";
  return per_step ? Say("{call} runs {before} times per step before, {after} after{on_rank}", of,
                        before, after, on_rank)
                  : Say("{call} runs {before} times per rank before, {after} after{on_rank}", of,
                        before, after, on_rank);
}

// Calls that are more than before.
struct Added {
  std::string name;
  const CallsOfName* calls = nullptr;
  std::optional<int64_t> rank;  // the one they are on
  double time = 0;              // ns that they take more
};

bool IsCommunication(const CallsOfName& calls) {
  return calls.kind == ColumnKindName(ColumnKind::kCommunication);
}

// How many more calls a rank makes: of each kind, and of all.
struct More {
  std::map<std::string, double> by_kind;
  double all = 0;
};
using MoreOfRanks = std::map<int64_t, More>;

MoreOfRanks CountMore(const CallsByName& all) {
  MoreOfRanks more;
  for (const auto& [name, named] : all) {
    for (const auto& [rank, calls] : named.ranks) {
      more[rank].by_kind[named.kind] += calls.b - calls.a;
      more[rank].all += calls.b - calls.a;
    }
  }
  return more;
}

// Whether calls of their kind, and of all kinds, are more too.
bool AreAdditional(const More& more, const std::string& kind, const Calls& added) {
  return std::min(more.by_kind.at(kind), more.all) >= kNotReplaced * (added.b - added.a);
}

// No calls where none are more, or others no longer run in their place. `more`: of the ranks that
// run anything.
Added AddedCalls(const MoreOfRanks& more, const std::string& name, const CallsOfName& named,
                 bool per_step) {
  Added added{.name = name, .calls = &named, .rank = {}};
  size_t count = 0;
  double sum = 0, most = 0;
  for (const auto& [rank, calls] : named.ranks) {
    if (!calls.AreMore() || !AreAdditional(more.at(rank), named.kind, calls)) continue;
    ++count;
    sum += calls.More();
    if (count > 1 && calls.More() <= most) continue;
    most = calls.More();
    added.rank = rank;
  }
  if (count == 0) return {};
  if (count > 1) added.rank.reset();
  // A step takes as long as its slowest rank where not all have these calls.
  added.time = !per_step ? sum : count < more.size() ? most : sum / static_cast<double>(count);
  return added;
}

// Those that take time, the largest first.
std::vector<Added> AllAdded(const CallsByName& all, bool per_step) {
  std::vector<Added> found;
  const MoreOfRanks more = CountMore(all);
  for (const auto& [name, named] : all) {
    Added added = AddedCalls(more, name, named, per_step);
    if (added.time > 0) found.push_back(std::move(added));
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, &Added::time);
  // The framework's call that starts a collective may take longer than it.
  const auto collective =
      std::ranges::find_if(found, [](const Added& added) { return IsCommunication(*added.calls); });
  if (collective != found.end() && collective->time >= kWorthNaming * found.front().time)
    std::rotate(found.begin(), collective, collective + 1);
  return found;
}

bool AsManyCalls(const Added& a, const Added& b) {
  return std::ranges::equal(a.calls->ranks, b.calls->ranks, [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.a == y.second.a && x.second.b == y.second.b;
  });
}

// ns, of a step or of all kernels.
struct Base {
  double before = 0, after = 0;
};

Base BaseOf(const CallsByName& all, const StepComparison& steps) {
  if (steps.known()) return {steps.a, steps.b};
  Base base;
  for (const auto& [name, named] : all) {
    for (const auto& [rank, calls] : named.ranks) {
      base.before += calls.time_a;
      base.after += calls.time_b;
    }
  }
  return base;
}

Phrase SayTimes(const Added& added) {
  Calls sum;
  for (const auto& [rank, calls] : added.calls->ranks) {
    if (added.rank && rank != *added.rank) continue;
    sum.time_a += calls.time_a;
    sum.time_b += calls.time_b;
  }
  const double of = added.rank ? 1 : static_cast<double>(added.calls->ranks.size());
  return Say("{name} {before} before, {after} after",
             Phrase::Name(ShortName(OperatorLabel(added.name))), HumanTime(sum.time_a / of),
             HumanTime(sum.time_b / of));
}

// ns that the calls lengthen steps by: collectives together by no more than what is not hidden of
// them grew by.
double TimeOf(const std::vector<Added>& found, const StepComparison& steps) {
  double communication = 0, others = 0;
  for (const Added& added : found)
    (IsCommunication(*added.calls) ? communication : others) += added.time;
  for (const CategoryChange& c : steps.categories) {
    if (c.cause == CauseKind::kCommunication && !c.key.empty())
      communication = std::min(communication, std::max(c.Change(), 0.0));
  }
  return communication + others;
}

std::string_view HintFor(const CallsOfName& calls) {
  return IsCommunication(calls)
             ? "find what adds these calls: gradient accumulation without no_sync, smaller "
               "buckets, metrics that are reduced; see collectives"
             : "find what adds these calls: changed code of the model, loss, optimizer or data; "
               "see operators";
}

}  // namespace

CallChange AddCallFinding(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                          bool on_a_rank, double elsewhere, Report& report, Leads& leads) {
  const CallsByName all = CompareCalls(a, b, steps);
  const bool per_step = steps.known();
  const std::vector<Added> found = AllAdded(all, per_step);
  CallChange change;
  for (const Added& added : found) change.more_collectives |= IsCommunication(*added.calls);
  const Base base = BaseOf(all, steps);
  double time = TimeOf(found, steps);
  if (found.empty() || time < kIsCause * base.after) return change;
  change.is_elsewhere = elsewhere > 0 && time <= kOfElsewhere * elsewhere;
  if (change.is_elsewhere) return change;
  Phrase message, because;
  const size_t ranks = RanksIn(all);
  for (size_t i = 0; i < std::min(found.size(), kNamed); ++i) {
    if (found[i].time < kWorthNaming * found[0].time) break;
    if (i > 0 && AsManyCalls(found[0], found[i])) continue;
    message +=
        (i == 0 ? "" : "; ") + SayCalls(found[i].name, found[i].calls->ranks, ranks, per_step);
    because += (i == 0 ? "" : "; ") + SayTimes(found[i]);
  }
  const double grew = base.after - base.before;
  if (!on_a_rank && time >= kExplains * grew) time = std::max(time, grew);
  const Added& first = found.front();
  const bool computes = !IsCommunication(*first.calls);
  const Phrase function = computes && per_step && first.rank
                              ? FunctionThatGrew(a, b, first.rank, first.time)
                              : Phrase();
  if (!function.empty()) message += Say(", while {function} takes longer", function);
  if (per_step)
    leads.more.push_back(
        {.message = message + ".", .clause = message, .time = std::min(time, steps.b)});
  report.findings.push_back(
      {.message = message + ".",
       .because = per_step ? Say("{times} per step", because) : Say("{times} per rank", because),
       .hint = function.empty() ? Phrase(HintFor(*first.calls)) : LookAt(function),
       .impact = ToInt64(time),
       .table = "kernels",
       .cause = {computes ? CauseKind::kCompute : CauseKind::kCommunication, first.rank},
       .nearness = Nearness::kCause});
  if (per_step) report.findings.back().extent = {.time = ToInt64(steps.b), .steps = 1};
  change.is_cause = true;
  change.time = time;
  return change;
}

Phrase SayOtherCalls(const ReportSet& a, const ReportSet& b, const StepComparison& steps) {
  const CallsByName all = CompareCalls(a, b, steps);
  const size_t ranks = RanksIn(all);
  std::vector<std::pair<double, Phrase>> differ;  // ns that they took, and the words
  for (const auto& [name, named] : all) {
    double most = 0;
    for (const auto& [rank, calls] : named.ranks) {
      if (calls.Differ()) most = std::max({most, calls.time_a, calls.time_b});
    }
    if (most >= kTakesTime * std::max(steps.a, steps.b))
      differ.emplace_back(most, SayCalls(name, named.ranks, ranks, steps.known()));
  }
  std::ranges::sort(differ, std::ranges::greater{});
  Phrase calls;
  for (size_t i = 0; i < std::min(differ.size(), kNamed); ++i)
    calls += (i == 0 ? "" : "; ") + differ[i].second;
  return calls.empty() ? calls : Say(" Calls differ: {calls}.", calls);
}

}  // namespace stepscope::comparison
