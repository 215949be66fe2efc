// Groups of host events, each in time linear in the events and links.
#include "ingest/xplane/xplane_groups.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <tuple>

#include "base/innermost.h"

namespace stepscope {
namespace {

// Under a key with as many on both sides everything is joined with everything: it tells nothing.
constexpr size_t kTooMany = 64;

}  // namespace

HostEventId HostGroups::Add(const HostEvent& event) {
  events_.Append(event);
  return static_cast<HostEventId>(events_.size() - 1);
}

void HostGroups::AddProducer(HostEventId event, int64_t type, int64_t id) {
  producers_.push_back({{type, id}, event});
}

void HostGroups::AddConsumer(HostEventId event, int64_t type, int64_t id) {
  consumers_.push_back({{type, id}, event});
}

void HostGroups::AddLaunch(uint32_t line, int64_t start, int64_t correlation) {
  if (launch_lines_.empty() || launch_lines_.back().line != line)
    launch_lines_.push_back({line, launches_.size()});
  launches_.Append({correlation, start});
}

void HostGroups::Build() {
  Nest();
  MarkPipelines();
  std::ranges::stable_sort(producers_, {}, &Link::event);
  std::ranges::stable_sort(consumers_, {}, &Link::key);
  for (const Link& link : producers_) produced_.push_back(link.key);
  std::ranges::sort(produced_);
  followed_.assign(consumers_.size(), false);
  group_.assign(events_.size(), kNoGroup);
  FindRoots();
  NumberRoots();
  IndexLaunches();
  // Of a large recording this is a third of what is held, and devices are yet to be read.
  order_ = place_ = tree_end_ = {};
  producers_ = consumers_ = {};
  events_ = {};
  group_ = {};
  in_pipeline_ = {};
}

void HostGroups::Nest() {
  order_.resize(events_.size());
  std::iota(order_.begin(), order_.end(), HostEventId{0});
  const auto as_nested = [this](HostEventId e) {
    return std::tuple(events_[e].line, events_[e].start, -events_[e].end, e);
  };
  if (!std::ranges::is_sorted(order_, {}, as_nested)) std::ranges::sort(order_, {}, as_nested);
  place_.resize(events_.size());
  tree_end_.resize(events_.size());
  std::vector<uint32_t> open;  // places, each within the one before
  const auto close = [&](uint32_t behind) {
    tree_end_[open.back()] = behind;
    open.pop_back();
  };
  for (uint32_t p = 0; p < order_.size(); ++p) {
    const HostEvent& event = events_[order_[p]];
    place_[order_[p]] = p;
    const auto holds = [&](uint32_t outer) {
      const HostEvent& around = events_[order_[outer]];
      return around.line == event.line && around.end >= event.end;
    };
    while (!open.empty() && !holds(open.back())) close(p);
    open.push_back(p);
  }
  while (!open.empty()) close(static_cast<uint32_t>(order_.size()));
}

// Marks the events that prepare input, and all in their trees.
void HostGroups::MarkPipelines() {
  in_pipeline_.assign(events_.size(), false);
  for (uint32_t p = 0; p < order_.size();) {
    if (!events_[order_[p]].of_pipeline) {
      ++p;
      continue;
    }
    for (const uint32_t end = tree_end_[p]; p < end; ++p) in_pipeline_[order_[p]] = true;
  }
}

// Loops that TensorFlow 1 runs on the host mark no steps, but executors count their iterations:
// the first work for each is a root. A loop that only ever counted 0 is none, nor is one that
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
// function, tf.data's included. Every loop counts iterations, a recurrent layer's too, so they are
// asked only where nothing is marked.
void HostGroups::FindRoots() {
  const auto own = [](const HostEvent& e) { return e.legacy_level > 0 ? 0 : e.root_level; };
  std::vector<HostEventId> candidates = RootsBy(own);
  if (candidates.empty()) candidates = RootsBy([](const HostEvent& e) { return e.root_level; });
  if (candidates.empty() && !ignore_iterations_) candidates = FirstOfIterations();
  if (candidates.empty()) candidates = RootsBy([](const HostEvent& e) { return e.legacy_level; });
  for (const HostEventId e : candidates) {
    if (group_[e] != kNoGroup) continue;  // below a root that came before
    Gather(e, static_cast<int32_t>(roots_.size()));
    roots_.push_back({.event = e, .kept = events_[e].kept});
  }
}

// Puts all that is below `root` and in no group yet into `group`.
void HostGroups::Gather(HostEventId root, int32_t group) {
  std::vector<HostEventId> next = {root};
  while (!next.empty()) {
    const HostEventId event = next.back();
    next.pop_back();
    if (group_[event] == kNoGroup) GatherTree(place_[event], group, next);
  }
}

// Puts a tree into `group`, but for the trees within that are in one already. `next` takes what its
// events handed to other threads.
void HostGroups::GatherTree(uint32_t place, int32_t group, std::vector<HostEventId>& next) {
  const uint32_t end = tree_end_[place];
  for (uint32_t p = place; p < end;) {
    const HostEventId event = order_[p];
    if (group_[event] != kNoGroup) {
      p = tree_end_[p];
      continue;
    }
    group_[event] = group;
    const auto own = std::ranges::equal_range(producers_, event, {}, &Link::event);
    for (const Link& link : own) Follow(link.key, next);
    ++p;
  }
}

// Adds to `next` who takes what was handed on under `key`: once, for they are in a group then.
void HostGroups::Follow(const Key& key, std::vector<HostEventId>& next) {
  const auto first = std::ranges::lower_bound(consumers_, key, {}, &Link::key);
  const auto place = static_cast<size_t>(first - consumers_.begin());
  if (first == consumers_.end() || first->key != key || followed_[place]) return;
  followed_[place] = true;
  const auto takers = std::ranges::equal_range(consumers_, key, {}, &Link::key);
  const auto givers = std::ranges::equal_range(produced_, key);
  if (takers.size() >= kTooMany && givers.size() >= kTooMany) return;
  for (const Link& link : takers) next.push_back(link.event);
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

// A launch is in the group of the innermost event around its start.
void HostGroups::FindGroupsOfLaunches(uint32_t line, std::span<Launch> launches) {
  if (!std::ranges::is_sorted(launches, {}, &Launch::start))
    std::ranges::stable_sort(launches, {}, &Launch::start);
  const std::span<const HostEventId> of_line = std::ranges::equal_range(
      order_, line, {}, [this](HostEventId event) { return events_[event].line; });
  const auto event_at = [&](size_t i) -> const HostEvent& { return events_[of_line[i]]; };
  Innermost around;
  for (Launch& launch : launches) {
    const int32_t event = around.At(launch.start, of_line.size(), event_at);
    launch.start = event < 0 ? kNoGroup : group_[of_line[static_cast<size_t>(event)]];
  }
}

void HostGroups::IndexLaunches() {
  if (launches_.empty()) return;
  const std::span all(&launches_[0], launches_.size());
  for (size_t i = 0; i < launch_lines_.size(); ++i) {
    const auto [line, first] = launch_lines_[i];
    const size_t end = i + 1 < launch_lines_.size() ? launch_lines_[i + 1].first : all.size();
    FindGroupsOfLaunches(line, all.subspan(first, end - first));
  }
  if (!std::ranges::is_sorted(all, {}, &Launch::correlation))
    std::ranges::stable_sort(all, {}, &Launch::correlation);
}

int64_t HostGroups::StepOfLaunch(int64_t correlation, bool& known, size_t& near) const {
  const auto all = launches_.view();
  const auto is_of = [&](size_t i) { return i < all.size() && all[i].correlation == correlation; };
  if (!is_of(near) || (near > 0 && is_of(near - 1))) {
    const auto at = std::ranges::lower_bound(all, correlation, {}, &Launch::correlation);
    near = static_cast<size_t>(at - all.begin());
  }
  known = is_of(near);
  if (!known) return -1;
  const auto group = static_cast<int32_t>(all[near++].start);
  return group == kNoGroup ? -1 : roots_[static_cast<size_t>(group)].number;
}

}  // namespace stepscope
