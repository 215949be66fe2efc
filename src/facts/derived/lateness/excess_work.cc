// Sums operators by name, and compares ranks or steps.
#include "facts/derived/lateness/excess_work.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/change_point.h"
#include "base/robust.h"
#include "base/saturate.h"
#include "facts/derived/lateness/input_sizes.h"
#include "facts/derived/modules/module_places.h"
#include "facts/derived/steps/of_partials.h"
#include "facts/derived/steps/step_changes.h"
#include "trace/input_lists.h"

namespace stepscope {
namespace excess_work {
namespace {

// Of a name, in some steps.
struct Sum {
  double time = 0, calls = 0;
};
using Sums = std::unordered_map<StringId, Sum>;

// A rank, or one of its devices.
struct Worker {
  int64_t rank = 0;
  int64_t device = -1;  // -1: all of them

  bool Runs(const RankActivity& own, const Activity& activity) const {
    return device < 0 || own.streams[activity.stream].device == device;
  }
  bool Runs(const RankActivity& own, const HostRange& range) const {
    if (device < 0) return true;
    const RangeDetail* detail = own.host->DetailOf(range);
    return detail != nullptr && detail->device == device;
  }
};

// Which steps count, by number; where none are marked, everything does.
struct Steps {
  int64_t from = INT64_MIN, to = INT64_MAX;  // from <= number < to
  const std::set<int64_t>* only = nullptr;   // null: all of these

  bool Hold(int64_t number) const {
    return from <= number && number < to && (only == nullptr || only->contains(number));
  }
};

std::optional<int64_t> NumberOf(const RankActivity& rank, const Activity& activity) {
  if (activity.step == kNoStep) return std::nullopt;
  return rank.steps[static_cast<size_t>(activity.step)].number;
}

// Calls visit(recording, activity) for the operators of a worker in these steps.
template <class Visit>
void ForEachOperator(const Facts& facts, const Worker& worker, const Steps& steps,
                     const Visit& visit) {
  for (const RankActivity& own : facts.ranks) {
    if (own.rank != worker.rank) continue;
    for (const Activity& activity : own.activities) {
      if (activity.kind != Kind::kCompute || !worker.Runs(own, activity)) continue;
      const auto number = NumberOf(own, activity);
      if (number ? steps.Hold(*number) : own.steps.empty()) visit(own, activity);
    }
  }
}

double CountSteps(const Facts& facts, int64_t rank, const Steps& steps) {
  int64_t count = 0;
  for (const RankActivity& own : facts.ranks) {
    if (own.rank != rank) continue;
    if (own.steps.empty()) ++count;
    for (const Step& step : own.steps) count += steps.Hold(step.number) ? 1 : 0;
  }
  return static_cast<double>(std::max<int64_t>(count, 1));
}

bool Counts(const RankActivity& own, const HostRange& range, const Steps& steps) {
  if (own.steps.empty()) return true;
  const int32_t step = own.StepAt(range.start);
  return step != kNoStep && steps.Hold(own.steps[static_cast<size_t>(step)].number);
}

bool RunsPrograms(const RankActivity& own) {
  return own.on_host && own.framework == Framework::kJax;
}

// Calls visit(range) for a worker's operations of compiled programs in these steps, those within
// others too. A loop's body runs within it or, by chance, on another thread: all of its operations
// are as many as it has turns, those within it are not.
template <class Visit>
void ForEachOperation(const Facts& facts, const Worker& worker, const Steps& steps,
                      const Visit& visit) {
  for (const RankActivity& own : facts.ranks) {
    if (own.rank != worker.rank || !RunsPrograms(own)) continue;
    for (const HostRange& range : own.host->ranges) {
      const RangeDetail* detail = own.host->DetailOf(range);
      const bool operation = detail != nullptr && detail->compiled && worker.Runs(own, range);
      if (operation && Counts(own, range, steps)) visit(range);
    }
  }
}

// Per step.
Sums SumsOf(const Facts& facts, const Worker& worker, const Steps& steps) {
  Sums sums;
  const double share = 1 / CountSteps(facts, worker.rank, steps);
  ForEachOperator(facts, worker, steps, [&](const RankActivity& own, const Activity& activity) {
    Sum& sum = sums[activity.name];
    sum.time += share * static_cast<double>(activity.duration());
    if (!RunsPrograms(own)) sum.calls += share;
  });
  ForEachOperation(facts, worker, steps,
                   [&](const HostRange& range) { sums[range.name].calls += share; });
  return sums;
}

constexpr double kMoreCalls = 0.05;  // of the calls, to run more often
constexpr double kAsMuch = 0.25;     // of the most, for one that runs more often

// What `own` takes beyond the others: by the operator with the most, or one that runs more often.
ExcessWork Most(const StringTable& names, const Sums& own, const std::vector<Sums>& others) {
  std::vector<ExcessWork> all;
  for (const auto& [name, sum] : own) {
    std::vector<double> times, calls;
    for (const Sums& other : others) {
      const auto at = other.find(name);
      times.push_back(at == other.end() ? 0 : at->second.time);
      calls.push_back(at == other.end() ? 0 : at->second.calls);
    }
    const double time = sum.time - Median(std::move(times));
    if (time <= 0) continue;
    all.push_back({.name = name,
                   .time = time,
                   .calls = sum.calls,
                   .calls_beyond = sum.calls - Median(std::move(calls))});
  }
  if (all.empty()) return {};
  std::ranges::sort(all, [&](const ExcessWork& a, const ExcessWork& b) {
    return a.time != b.time ? a.time > b.time : names[a.name] < names[b.name];
  });
  const auto runs_more = [&](const ExcessWork& e) {
    return e.time >= kAsMuch * all.front().time && e.calls_beyond >= kMoreCalls * e.calls;
  };
  const auto more = std::ranges::find_if(all, runs_more);
  return more == all.end() ? all.front() : *more;
}

void KeepOnly(StringId name, Sums& sums) {
  if (name != kNoString) std::erase_if(sums, [&](const auto& sum) { return sum.first != name; });
}

// What the calls by one name get.
struct Inputs {
  InputSizes sizes;                        // empty: unknown
  std::map<std::string, double> of_types;  // elements, by their type

  std::string MainType() const {
    const auto most =
        std::ranges::max_element(of_types, {}, [](const auto& type) { return type.second; });
    return most == of_types.end() ? std::string() : most->first;
  }
};

// Calls visit(range, whether it is within a call, not one) for a worker's calls by this name in
// these steps, and the ranges within them.
template <class Visit>
void ForEachCall(const Facts& facts, const Worker& worker, const Steps& steps, StringId name,
                 const Visit& visit) {
  for (const RankActivity& own : facts.ranks) {
    if (own.rank != worker.rank) continue;
    std::vector<bool> within(own.host->ranges.size());
    for (size_t r = 0; r < within.size(); ++r) {
      const HostRange range = own.host->ranges[r];
      const bool inner = range.parent != kNoRange && within[static_cast<size_t>(range.parent)];
      const bool calls = range.name == name && Counts(own, range, steps) && worker.Runs(own, range);
      if (!inner && !calls) continue;
      within[r] = true;
      visit(own, range, inner);
    }
  }
}

// The names of operations that run within one of this name, wherever that is seen.
std::set<StringId> OperationsWithin(const Facts& facts, StringId name) {
  std::set<StringId> names;
  for (const RankActivity& own : facts.ranks) {
    if (!RunsPrograms(own)) continue;
    ForEachCall(facts, {.rank = own.rank}, {}, name,
                [&](const RankActivity&, const HostRange& range, bool inner) {
                  if (inner && range.kind == Kind::kOperator) names.insert(range.name);
                });
  }
  return names;
}

// Operators within a call by this name. `operations`: as OperationsWithin().
double OperatorsWithin(const Facts& facts, const Worker& worker, const Steps& steps, StringId name,
                       const std::set<StringId>& operations) {
  double calls = 0, within = 0;
  ForEachOperation(facts, worker, steps, [&](const HostRange& range) {
    if (range.name == name) ++calls;
    if (range.name != name && operations.contains(range.name)) ++within;
  });
  if (calls > 0) return within / calls;
  ForEachCall(facts, worker, steps, name,
              [&](const RankActivity&, const HostRange& range, bool inner) {
                if (range.kind == Kind::kOperator) ++(inner ? within : calls);
              });
  return calls > 0 ? within / calls : 0;
}

// Reads those of a worker's calls by one name, and of the operators within them.
class InputReader {
 public:
  InputReader(const StringTable& names, StringId name) : names_(names), name_(name) {}

  // Of calls in these steps.
  Inputs Of(const Facts& facts, const Worker& worker, const Steps& steps) {
    Inputs all;
    double calls = 0;
    ForEachCall(facts, worker, steps, name_,
                [&](const RankActivity& own, const HostRange& range, bool inner) {
                  calls += inner ? 0 : 1;
                  const RangeDetail* detail = own.host->DetailOf(range);
                  const std::vector<double>& inputs = Elements(detail);
                  for (size_t i = 0; i < inputs.size(); ++i)
                    all.sizes[{range.name, i, inputs[i]}] += 1;
                  if (inputs.empty()) return;
                  const std::vector<std::string>& types = Types(*detail);
                  for (size_t i = 0; i < std::min(types.size(), inputs.size()); ++i) {
                    if (inputs[i] > 0) all.of_types[types[i]] += inputs[i];
                  }
                });
    for (auto& [input, count] : all.sizes) count /= calls;
    return all;
  }

 private:
  const std::vector<std::string>& Types(const RangeDetail& detail) {
    static const std::vector<std::string> kUnknown;
    if (detail.types == kNoString) return kUnknown;
    const auto [at, is_new] = types_.try_emplace(detail.types);
    if (is_new) at->second = ReadTexts(names_[detail.types]);
    return at->second;
  }

  const std::vector<double>& Elements(const RangeDetail* detail) {
    static const std::vector<double> kUnknown;
    if (detail == nullptr || detail->shapes == kNoString) return kUnknown;
    const auto [at, is_new] = elements_.try_emplace(detail->shapes);
    if (is_new) {
      const std::string_view shapes = names_[detail->shapes];
      auto lists = static_cast<double>(std::max<int64_t>(CountElements(shapes), 0));
      for (const Dimensions& shape : ReadShapes(shapes)) {
        double count = shape.empty() ? 0 : 1;
        for (const int64_t size : shape) count *= static_cast<double>(std::max<int64_t>(size, 0));
        at->second.push_back(count);
        lists -= count;
      }
      at->second.push_back(std::max(lists, 0.0));  // what lists of tensors hold, and scalars
    }
    return at->second;
  }

  const StringTable& names_;
  const StringId name_;
  std::unordered_map<StringId, std::vector<double>> elements_;  // by shapes
  std::unordered_map<StringId, std::vector<std::string>> types_;
};

// The module in which the rank spends most of what it spends on operators of this name; kNoString:
// several share it.
StringId ModuleOf(const Facts& facts, int64_t rank, StringId name) {
  std::map<StringId, int64_t> times;
  for (const RankActivity& own : facts.ranks) {
    if (own.rank != rank || !own.host->HasFrames()) continue;
    const ModulePlaces places(*facts.names, own);
    if (!places.any()) continue;
    for (size_t r = 0; r < own.host->ranges.size(); ++r) {
      const HostRange range = own.host->ranges[r];
      if (range.name != name) continue;
      int64_t& time = times[places.OfRange(static_cast<int32_t>(r)).module];
      time = AddSaturated(time, range.duration());
    }
  }
  int64_t all = 0;
  for (const auto& [module, time] : times) all = AddSaturated(all, time);
  const auto most = std::ranges::max_element(times, {}, [](const auto& t) { return t.second; });
  return most == times.end() || most->second < all - most->second ? kNoString : most->first;
}

// Since which step the worker spends more on it. `least`: ns per step that count.
std::optional<int64_t> SinceOf(const Facts& facts, const Worker& worker, StringId name,
                               double least) {
  std::map<int64_t, int64_t> by_step;
  for (const RankActivity& own : facts.ranks) {
    if (own.rank != worker.rank) continue;
    for (const Step& step : own.steps) by_step[step.number];
  }
  ForEachOperator(facts, worker, {}, [&](const RankActivity& own, const Activity& activity) {
    const auto number = NumberOf(own, activity);
    if (!number || activity.name != name) return;
    int64_t& time = by_step[*number];
    time = AddSaturated(time, activity.duration());
  });
  std::vector<int64_t> times;
  for (const auto& [number, time] : by_step) times.push_back(time);
  const auto change = FindChangePoint(times, least);
  if (!change || change->Difference() <= 0) return std::nullopt;
  return std::next(by_step.begin(), static_cast<std::ptrdiff_t>(change->at))->first;
}

using OtherWorkers = std::vector<std::pair<Worker, Steps>>;

void AddInputs(const Facts& facts, const Worker& worker, const Steps& own,
               const OtherWorkers& others, ExcessWork& excess) {
  InputReader inputs(*facts.names, excess.name);
  std::vector<InputSizes> of_others;
  std::vector<double> within;
  const std::set<StringId> operations = OperationsWithin(facts, excess.name);
  for (const auto& [other, steps] : others) {
    const Inputs of_other = inputs.Of(facts, other, steps);
    of_others.push_back(of_other.sizes);
    excess.type_beside = of_other.MainType();
    within.push_back(OperatorsWithin(facts, other, steps, excess.name, operations));
  }
  const Inputs of_own = inputs.Of(facts, worker, own);
  excess.size_ratio = SizeRatio(*facts.names, excess.name, of_own.sizes, of_others);
  excess.type = of_own.MainType();
  const double typical = Median(std::move(within));
  const double within_own = OperatorsWithin(facts, worker, own, excess.name, operations);
  if (typical > 0) excess.within_ratio = within_own / typical;
}

// Makes the rates those of fewer steps of the worker.
void CountOnly(const Facts& facts, const Worker& worker, const Steps& before, const Steps& now,
               ExcessWork& excess) {
  const Sum then = SumsOf(facts, worker, before)[excess.name];
  const Sum since = SumsOf(facts, worker, now)[excess.name];
  excess.time += since.time - then.time;
  excess.calls += since.calls - then.calls;
  excess.calls_beyond += since.calls - then.calls;
}

std::optional<ExcessWork> Find(const Facts& facts, const Worker& worker, const Steps& own,
                               const OtherWorkers& others, StringId name) {
  if (IsOfPartials(facts)) return std::nullopt;  // blocks are no operators
  if (!facts.OnHost() || others.empty()) return std::nullopt;
  std::vector<Sums> of_others;
  for (const auto& [other, steps] : others) of_others.push_back(SumsOf(facts, other, steps));
  Sums sums = SumsOf(facts, worker, own);
  KeepOnly(name, sums);
  ExcessWork excess = Most(*facts.names, sums, of_others);
  if (excess.name == kNoString) return std::nullopt;
  excess.module = ModuleOf(facts, worker.rank, excess.name);
  const double median = static_cast<double>(StepChangesOf(facts).median);
  excess.since = SinceOf(facts, worker, excess.name, kLeastStepChange * median);
  Steps of_excess = own;
  if (excess.since && own.from == INT64_MIN) {
    of_excess.from = *excess.since;
    CountOnly(facts, worker, own, of_excess, excess);
  }
  AddInputs(facts, worker, of_excess, others, excess);
  return excess;
}

}  // namespace
}  // namespace excess_work

std::optional<ExcessWork> ExcessOverOthers(const Facts& facts, uint32_t participant,
                                           const std::set<int64_t>* steps, StringId name) {
  std::set<int64_t> recorded;
  for (const RankActivity& own : facts.ranks) {
    if (!own.activities.empty()) recorded.insert(own.rank);
  }
  const std::vector<RankCollectives>& all = facts.collectives.ranks;
  excess_work::OtherWorkers others;
  for (uint32_t other = 0; other < all.size(); ++other) {
    if (other != participant && recorded.contains(all[other].rank))
      others.push_back({{all[other].rank, all[other].device}, {.only = steps}});
  }
  const excess_work::Worker own{all[participant].rank, all[participant].device};
  return excess_work::Find(facts, own, {.only = steps}, others, name);
}

std::optional<ExcessWork> ExcessSince(const Facts& facts, int64_t rank, int64_t since,
                                      StringId name) {
  return excess_work::Find(facts, {.rank = rank}, {.from = since},
                           {{{.rank = rank}, {.to = since}}}, name);
}

}  // namespace stepscope
