// Finds which host events are steps, and where those end that TensorFlow only dispatches.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/saturate.h"
#include "ingest/xplane/xplane_groups.h"

namespace stepscope {

// Loops that TensorFlow 1 runs on the host mark no steps, but executors count their iterations:
// the first activity for each is a root. A loop that only ever counted 0 is none, nor is one that
// prepares input.
std::vector<HostEventId> HostGroups::FirstOfIterations() {
  std::ranges::stable_sort(iterations_, {}, [this](const Iteration& i) {
    return std::tuple(i.loop, i.number, events_[i.event].start);
  });
  std::vector<HostEventId> firsts;
  for (size_t i = 0; i < iterations_.size();) {
    const size_t loop = i;
    std::vector<HostEventId> own;
    bool counts = false;
    bool of_pipeline = false;
    for (; i < iterations_.size() && iterations_[i].loop == iterations_[loop].loop; ++i) {
      const bool first = i == loop || iterations_[i].number != iterations_[i - 1].number;
      if (first) own.push_back(iterations_[i].event);
      counts = counts || iterations_[i].number != 0;
      of_pipeline = of_pipeline || in_pipeline_[iterations_[i].event];
    }
    if (!counts || of_pipeline) continue;
    for (size_t k = 0, at = loop; k < own.size(); ++at) {
      if (iterations_[at].event != own[k]) continue;
      numbers_[own[k++]] = iterations_[at].number;
    }
    firsts.insert(firsts.end(), own.begin(), own.end());
  }
  std::ranges::sort(firsts, {}, [this](HostEventId e) { return std::tuple(events_[e].start, e); });
  return firsts;
}

// The events that have a level, higher ones first, then in order of time.
template <class LevelOf>
std::vector<HostEventId> HostGroups::RootsBy(const LevelOf& level_of) const {
  std::vector<HostEventId> roots;
  for (HostEventId e = 0; e < events_.size(); ++e) {
    if (level_of(events_[e]) > 0 && !in_pipeline_[e]) roots.push_back(e);
  }
  std::ranges::sort(roots, {}, [&](HostEventId e) {
    return std::tuple(-level_of(events_[e]), events_[e].start, e);
  });
  return roots;
}

// What a program marked itself goes before the marks that TensorFlow puts on every call of a
// function, tf.data's included. Keras numbers batches and does not mark them as roots. Every loop
// counts iterations, a recurrent layer's too, so they are asked only where nothing is marked.
std::vector<HostEventId> HostGroups::Candidates() {
  const auto own = [](const HostEvent& e) { return e.legacy_level > 0 ? 0 : e.root_level; };
  const auto numbered = [](const HostEvent& e) { return e.part == HostPart::kNumbered ? 1 : 0; };
  std::vector<HostEventId> candidates = RootsBy(own);
  if (candidates.empty()) candidates = RootsBy(numbered);
  if (candidates.empty()) candidates = RootsBy([](const HostEvent& e) { return e.root_level; });
  if (candidates.empty() && !ignore_iterations_) candidates = FirstOfIterations();
  if (candidates.empty()) candidates = RootsBy([](const HostEvent& e) { return e.legacy_level; });
  return candidates;
}

// Finds the innermost call around each dispatch.
void HostGroups::FindCalls() {
  std::vector<uint32_t> open;  // places of calls, each within the one before
  for (uint32_t p = 0; p < events_.size(); ++p) {
    while (!open.empty() && tree_end_[open.back()] <= p) open.pop_back();
    const HostPart part = events_[EventAt(p)].part;
    if (part == HostPart::kCall) open.push_back(p);
    if (part == HostPart::kDispatch && !open.empty()) calls_[EventAt(p)] = EventAt(open.back());
  }
}

// The event itself where no call is around it.
HostEventId HostGroups::CallAround(HostEventId event) const {
  const auto at = calls_.find(event);
  return at == calls_.end() ? event : at->second;
}

HostGroups::Function HostGroups::FunctionOf(HostEventId dispatch) const {
  const auto call = calls_.find(dispatch);
  if (call == calls_.end()) return {};
  const auto function = functions_.find(call->second);
  return function == functions_.end() ? Function{} : function->second;
}

// The traced functions of which a call holds an operator that computes gradients.
std::set<StringId> HostGroups::FunctionsThatTrain(const std::vector<HostEventId>& candidates) {
  std::set<StringId> train;
  if (!has_gradients_) return train;
  for (size_t c = 0; c < candidates.size(); ++c)
    Gather(CallAround(candidates[c]), static_cast<int32_t>(c));
  for (HostEventId e = 0; e < events_.size(); ++e) {
    if (events_[e].part != HostPart::kGradient || group_[e] == kUngrouped) continue;
    const Function function = FunctionOf(candidates[static_cast<size_t>(group_[e])]);
    if (function.traced != kNoString) train.insert(function.traced);
  }
  group_.assign(events_.size(), kUngrouped);
  followed_.assign(followed_.size(), false);
  return train;
}

// Of functions that train in turn, as those of a GAN, the one that is called least often: a turn of
// the loop is one call of it, and as many calls of the one with the most time as in other turns.
StringId HostGroups::RarestInTurn(StringId largest, const std::vector<HostEventId>& candidates,
                                  const std::set<StringId>& train) const {
  constexpr size_t kFewest = 3;
  std::map<StringId, std::vector<size_t>> between;  // calls of the largest, before each call
  size_t count = 0;
  for (const HostEventId e : candidates) {
    const Function function = FunctionOf(e);
    if (!train.contains(function.traced)) continue;
    if (function.name == largest)
      ++count;
    else
      between[function.name].push_back(count);
  }
  StringId rarest = largest;
  size_t fewest = count;
  for (const auto& [name, before] : between) {
    if (before.size() < kFewest || before.size() >= fewest) continue;
    const size_t turn = before[1] - before[0];
    bool in_turn = turn > 0;
    for (size_t i = 2; i < before.size(); ++i)
      in_turn = in_turn && before[i] - before[i - 1] == turn;
    if (!in_turn || before.front() > turn || count - before.back() > turn) continue;
    rarest = name;
    fewest = before.size();
  }
  return rarest;
}

// Programs call several functions in a step. Where dispatches lie within calls, only those of one
// function are left: of those that compute gradients, if any does, the one whose calls take the
// most time in all, or that is called least often of several in turn.
void HostGroups::KeepOneFunction(std::vector<HostEventId>& candidates) {
  const std::set<StringId> train = FunctionsThatTrain(candidates);
  const auto counts = [&](const Function& function) {
    return function.name != kNoString && (train.empty() || train.contains(function.traced));
  };
  std::map<StringId, int64_t> times;
  for (const HostEventId e : candidates) {
    const Function function = FunctionOf(e);
    if (!counts(function)) continue;
    const HostEvent call = events_[CallAround(e)];
    int64_t& time = times[function.name];
    time = AddSaturated(time, SubtractSaturated(call.end, call.start));
  }
  if (times.empty()) return;
  const auto largest =
      std::ranges::max_element(times, {}, [](const auto& of_one) { return of_one.second; });
  const StringId kept = RarestInTurn(largest->first, candidates, train);
  const auto is_other = [&](HostEventId e) {
    const Function function = FunctionOf(e);
    return function.name != kept || !counts(function);
  };
  for (const HostEventId e : candidates) {
    const Function function = FunctionOf(e);
    if (train.empty() || function.name == kNoString || !is_other(e)) continue;
    const HostEvent call = events_[CallAround(e)];
    other_calls_.push_back(
        {function.name, train.contains(function.traced), call.line, call.start, call.end});
  }
  std::erase_if(candidates, is_other);
}

void HostGroups::FindRoots() {
  std::vector<HostEventId> candidates = Candidates();
  FindCalls();
  KeepOneFunction(candidates);
  for (const HostEventId e : candidates) {
    if (group_[e] == kUngrouped) AddRoot(e);  // else it is below a root that came before
  }
  FindEnds();
}

void HostGroups::AddRoot(HostEventId event) {
  const HostEvent own = events_[event];
  const bool dispatch = own.part == HostPart::kDispatch;
  const HostEventId root = dispatch ? CallAround(event) : event;
  const HostEvent spans = events_[root];
  ended_.push_back(!dispatch || root != event);
  Gather(root, static_cast<int32_t>(roots_.size()));
  roots_.push_back({.event = event,
                    .kept = own.kept,
                    .derived = dispatch,
                    .line = spans.line,
                    .start = spans.start,
                    .end = spans.end});
}

// A dispatch without a call around it lasts until what was handed on is done.
void HostGroups::FindEnds() {
  std::vector<bool> called(ended_);
  for (HostEventId e = 0; e < events_.size(); ++e) {
    const int32_t group = group_[e];
    if (group == kUngrouped || called[static_cast<size_t>(group)]) continue;
    StepRoot& root = roots_[static_cast<size_t>(group)];
    if (e == root.event || events_[e].part == HostPart::kDispatch) continue;
    root.end = std::max(root.end, events_[e].end);
    ended_[static_cast<size_t>(group)] = true;
  }
}

// What a dispatch launched itself tells its end too. REQUIRES: launches know their groups.
void HostGroups::DropWithoutEnd() {
  for (const Launch& launch : launches_) {
    if (launch.start != kUngrouped) ended_[static_cast<size_t>(launch.start)] = true;
  }
  const auto all = std::ranges::count(ended_, false);
  without_end_ = all;
  if (all == std::ssize(roots_)) return roots_.clear();
  for (size_t g = 0; g < roots_.size(); ++g) {
    if (!ended_[g]) roots_[g].derived = false, roots_[g].kept = kNotKept;
  }
}

// A root's own number counts, unless two say the same: then all are numbered in order.
void HostGroups::NumberRoots() {
  std::set<int64_t> seen;
  bool clear = true;
  for (StepRoot& root : roots_) {
    const auto said = numbers_.find(root.event);
    root.number = said == numbers_.end() ? -1 : said->second;
    clear = clear && root.number >= 0 && seen.insert(root.number).second;
  }
  if (clear) return;
  for (size_t g = 0; g < roots_.size(); ++g) roots_[g].number = static_cast<int64_t>(g);
}

}  // namespace stepscope
