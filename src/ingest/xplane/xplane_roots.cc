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

// Programs call several functions in a step. Where dispatches lie within calls, only those of the
// function whose calls take the most time in all are left.
void HostGroups::KeepLargestFunction(std::vector<HostEventId>& candidates) const {
  const auto function_of = [&](HostEventId e) {
    const auto call = calls_.find(e);
    if (call == calls_.end()) return kNoString;
    const auto function = functions_.find(call->second);
    return function == functions_.end() ? kNoString : function->second;
  };
  std::map<StringId, int64_t> times;
  for (const HostEventId e : candidates) {
    const StringId function = function_of(e);
    if (function == kNoString) continue;
    const HostEvent call = events_[CallAround(e)];
    int64_t& time = times[function];
    time = AddSaturated(time, SubtractSaturated(call.end, call.start));
  }
  if (times.empty()) return;
  const auto largest =
      std::ranges::max_element(times, {}, [](const auto& of_one) { return of_one.second; });
  std::erase_if(candidates, [&](HostEventId e) { return function_of(e) != largest->first; });
}

void HostGroups::FindRoots() {
  std::vector<HostEventId> candidates = Candidates();
  FindCalls();
  KeepLargestFunction(candidates);
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
