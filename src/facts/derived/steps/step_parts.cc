// Walks the activities of each step, and the ranges of operators for their inputs.
#include "facts/derived/steps/step_parts.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <unordered_map>

#include "base/intervals.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/steps/of_partials.h"
#include "trace/input_lists.h"

namespace stepscope {
namespace {

void AddTo(std::vector<int64_t>& by_step, size_t step, size_t steps, int64_t value) {
  by_step.resize(steps);
  by_step[step] = AddSaturated(by_step[step], value);
}

// Those that every rank recorded; ascending.
std::vector<int64_t> StepsOfAll(std::span<const RankSteps> ranks) {
  std::map<int64_t, std::set<int64_t>> ranks_of;
  std::set<int64_t> all;
  for (const RankSteps& own : ranks) {
    all.insert(own.rank->rank);
    for (const StepBreakdown& step : own.steps) ranks_of[step.window.number].insert(own.rank->rank);
  }
  std::vector<int64_t> numbers;
  for (const auto& [number, of] : ranks_of) {
    if (of.size() == all.size()) numbers.push_back(number);
  }
  return numbers;
}

// Elements of inputs, by how they are written.
class Elements {
 public:
  explicit Elements(const StringTable& names) : names_(names) {}

  int64_t Of(const RangeDetail* detail) {
    if (detail == nullptr || detail->shapes == kNoString) return 0;
    const auto [at, is_new] = known_.try_emplace(detail->shapes, 0);
    if (is_new) at->second = std::max<int64_t>(CountElements(names_[detail->shapes]), 0);
    return at->second;
  }

 private:
  const StringTable& names_;
  std::unordered_map<StringId, int64_t> known_;
};

// Where threads are in the autograd engine, and in functions that it calls: besides these, it runs
// operators, or waits for gradients that are reduced.
class Engine {
 public:
  Engine(const RankActivity& rank, const StringTable& names) : names_(names) {
    std::vector<Interval> engine, called;
    StopChecks checks;
    for (const HostFrames& frames : rank.host->frames) {
      for (const HostFrame& frame : frames) {
        checks.Turn();
        if (IsEngine(frame.name))
          engine.push_back({frame.start, frame.end});
        else if (frame.parent != kNoRange &&
                 IsEngine(frames[static_cast<size_t>(frame.parent)].name))
          called.push_back({frame.start, frame.end});
      }
    }
    engine_ = UnionOf(std::move(engine));
    called_ = UnionOf(std::move(called));
  }

  // Whether it alone runs throughout. REQUIRES: start < end.
  bool Runs(int64_t start, int64_t end) const {
    const auto after = std::ranges::upper_bound(engine_, start, {}, &Interval::start);
    if (after == engine_.begin() || std::prev(after)->end < end) return false;
    const auto call = std::ranges::upper_bound(called_, start, {}, &Interval::end);
    return call == called_.end() || call->start >= end;
  }

 private:
  bool IsEngine(StringId name) {
    const auto [at, is_new] = known_.try_emplace(name, false);
    if (is_new) at->second = names_[name].contains("run_backward of torch._C._EngineBase");
    return at->second;
  }

  const StringTable& names_;
  std::unordered_map<StringId, bool> known_;
  IntervalSet engine_, called_;
};

// Takes one recording apart.
class Taker {
 public:
  Taker(const RankSteps& own, const StringTable& names, StepParts& parts)
      : own_(own), rank_(*own.rank), engine_(rank_, names), parts_(parts) {}

  void Take(Elements& elements) {
    size_t next = 0;
    int64_t busy_until = INT64_MIN;
    for (const StepBreakdown& step : own_.steps) {
      const auto at = std::ranges::lower_bound(parts_.steps, step.window.number);
      if (at == parts_.steps.end() || *at != step.window.number) continue;
      step_ = static_cast<size_t>(at - parts_.steps.begin());
      TakeStep(step.window, next, busy_until);
    }
    TakeInputs(elements);
  }

 private:
  size_t Steps() const { return parts_.steps.size(); }

  void TakeStep(const StepWindow& window, size_t& next, int64_t& busy_until) {
    const auto& activities = rank_.activities;
    for (; next < activities.size() && activities[next].start < window.start; ++next)
      busy_until = std::max(busy_until, activities[next].end);
    busy_until = std::max(busy_until, window.start);
    StringId previous = kNoString;
    int64_t idle = 0;
    bool after_communication = false;  // what ended last
    StopChecks checks;
    for (; next < activities.size() && activities[next].start < window.end; ++next) {
      checks.Turn();
      const Activity activity = activities[next];
      // On a busy machine a thread goes on late after what it waited for.
      const bool waits = after_communication && busy_until < activity.start &&
                         engine_.Runs(busy_until, activity.start);
      if (!waits) idle = AddSaturated(idle, std::max<int64_t>(activity.start - busy_until, 0));
      if (activity.end > busy_until) after_communication = rank_.IsCollective(activity);
      busy_until = std::max(busy_until, activity.end);
      if (activity.kind != Kind::kCompute) continue;
      AddIdle(previous, activity.name, idle);
      AddCall(activity);
      previous = activity.name;
      idle = 0;
    }
    AddIdle(previous, kNoString, AddSaturated(idle, std::max<int64_t>(window.end - busy_until, 0)));
  }

  void AddIdle(StringId previous, StringId next, int64_t idle) {
    if (idle > 0) AddTo(parts_.between[{previous, next}], step_, Steps(), idle);
  }

  void AddCall(const Activity& activity) {
    OperatorSteps& op = parts_.operators[activity.name];
    AddTo(op.calls, step_, Steps(), 1);
    AddTo(op.time, step_, Steps(), activity.duration());
    op.elements.resize(Steps());
    computes_.emplace_back(activity.start, activity.name, step_);
  }

  // In the step that computes it, by the range that is the activity; nothing: none is.
  const size_t* StepOfActivity(const HostRange& range) const {
    const auto place = [](const Computes& c) { return std::pair(c.start, c.name); };
    const auto at =
        std::ranges::lower_bound(computes_, std::pair(range.start, range.name), {}, place);
    const bool is_it = at != computes_.end() && place(*at) == std::pair(range.start, range.name);
    return is_it ? &at->step : nullptr;
  }

  void TakeInputs(Elements& elements) {
    std::ranges::sort(computes_, {}, [](const Computes& c) { return std::pair(c.start, c.name); });
    struct Around {
      OperatorSteps* op = nullptr;
      size_t step = 0;
    };
    const HostOps& host = *rank_.host;
    std::vector<Around> around(host.ranges.size());
    StopChecks checks;
    for (size_t r = 0; r < around.size(); ++r) {
      checks.Turn();
      const HostRange range = host.ranges[r];
      if (range.parent != kNoRange) around[r] = around[static_cast<size_t>(range.parent)];
      if (around[r].op == nullptr) {
        const size_t* step = StepOfActivity(range);
        if (step == nullptr) continue;
        around[r] = {&parts_.operators.at(range.name), *step};
      }
      const int64_t inputs = elements.Of(host.DetailOf(range));
      if (inputs > 0) AddTo(around[r].op->elements, around[r].step, Steps(), inputs);
    }
  }

  struct Computes {
    int64_t start = 0;
    StringId name = 0;
    size_t step = 0;
  };

  const RankSteps& own_;
  const RankActivity& rank_;
  const Engine engine_;
  StepParts& parts_;
  size_t step_ = 0;
  std::vector<Computes> computes_;
};

std::vector<StepParts> TakeStepsApart(const Facts& facts) {
  const std::vector<RankSteps>& ranks = RankStepsOf(facts);
  if (ranks.empty() || ranks.front().whole_recording || !facts.OnHost()) return {};
  if (IsOfPartials(facts)) return {};
  const std::vector<int64_t> steps = StepsOfAll(ranks);
  std::map<int64_t, StepParts> by_rank;
  Elements elements(*facts.names);
  for (const RankSteps& own : ranks) {
    StepParts& parts = by_rank[own.rank->rank];
    parts.rank = own.rank->rank;
    parts.steps = steps;
    Taker(own, *facts.names, parts).Take(elements);
  }
  std::vector<StepParts> all;
  for (auto& [rank, parts] : by_rank) all.push_back(std::move(parts));
  return all;
}

}  // namespace

const std::vector<StepParts>& StepPartsOf(const Facts& facts) {
  return facts.memo.Of<TakeStepsApart>(facts);
}

}  // namespace stepscope
