// Groups host events by step, in time linear in events and links.
#include "ingest/xplane/xplane_groups.h"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <span>
#include <tuple>

#include "base/innermost.h"

namespace stepscope {
namespace {

// Under a key with as many on both sides everything is joined with everything: it tells nothing.
constexpr size_t kTooMany = 64;

}  // namespace

HostEventId HostGroups::Add(const HostEvent& event) {
  has_gradients_ |= event.part == HostPart::kGradient;
  events_.Append(event);
  return static_cast<HostEventId>(events_.size() - 1);
}

void HostGroups::AddProducer(HostEventId event, int64_t type, int64_t id) {
  producers_.Append(event, {type, id});
}

void HostGroups::AddConsumer(HostEventId event, int64_t type, int64_t id) {
  consumers_.Append(event, {type, id});
}

void HostGroups::AddLaunch(uint32_t line, int64_t start, int64_t correlation) {
  if (launch_lines_.empty() || launch_lines_.back().line != line)
    launch_lines_.push_back({line, launches_.size()});
  launches_.Append({correlation, start});
}

void HostGroups::Build() {
  IndexConsumers();
  CountGivers();
  Nest();
  MarkPipelines();
  group_.assign(events_.size(), kUngrouped);
  FindRoots();
  NumberRoots();
  IndexLaunches();
  DropWithoutEnd();
  // Of a large recording this is a third of what is held, and devices are yet to be read.
  order_ = place_ = tree_end_ = takers_ = {};
  producers_ = consumers_ = {};
  events_ = {};
  group_ = {};
  in_pipeline_ = followed_ = {};
  givers_ = {};
  iterations_ = {};
  functions_ = {};
  calls_ = {};
}

void HostGroups::IndexConsumers() {
  struct Taker {
    int64_t id;
    uint32_t link;
  };
  const auto before = [this](const Taker& a, const Taker& b) {
    if (a.id != b.id) return a.id < b.id;
    return std::tuple(consumers_.key(a.link).type, a.link) <
           std::tuple(consumers_.key(b.link).type, b.link);
  };
  std::vector<Taker> sorted;
  sorted.reserve(consumers_.size());
  for (uint32_t link = 0; link < consumers_.size(); ++link)
    sorted.push_back({consumers_.key(link).id, link});
  if (!std::ranges::is_sorted(sorted, before)) std::ranges::sort(sorted, before);
  takers_.reserve(sorted.size());
  for (const Taker& taker : sorted) takers_.push_back(taker.link);
  for (size_t i = 0; i + kTooMany <= sorted.size(); ++i) {
    const Taker& last = sorted[i + kTooMany - 1];
    if (sorted[i].id != last.id) continue;
    const Key key = consumers_.key(last.link);
    if (consumers_.key(sorted[i].link) == key) givers_.try_emplace(key);
  }
  followed_.assign(takers_.size(), false);
}

// Whether a key has too many producers is asked only of those with too many consumers.
void HostGroups::CountGivers() {
  if (givers_.empty()) return;
  for (size_t i = 0; i < producers_.size(); ++i) {
    const auto at = givers_.find(producers_.key(i));
    if (at != givers_.end()) ++at->second;
  }
}

// Behind the last event of the line that event `first` is on.
size_t HostGroups::EndOfLine(size_t first) const {
  const uint32_t line = events_[static_cast<HostEventId>(first)].line;
  const auto later = std::views::iota(first, events_.size());
  const auto is_of = [&](size_t e) { return events_[static_cast<HostEventId>(e)].line == line; };
  return *std::ranges::partition_point(later, is_of);
}

// Most files have the events of a line in the order of a walk already.
void HostGroups::SetOrder() {
  struct Nested {
    int64_t start, end;
    HostEventId event;
  };
  const auto before = [](const Nested& a, const Nested& b) {
    return std::tuple(a.start, -a.end, a.event) < std::tuple(b.start, -b.end, b.event);
  };
  std::vector<Nested> line;
  for (size_t first = 0, end = 0; first < events_.size(); first = end) {
    end = EndOfLine(first);
    const auto nested = [this](size_t e) {
      const auto event = static_cast<HostEventId>(e);
      return Nested{events_[event].start, events_[event].end, event};
    };
    const auto of_line = std::views::iota(first, end) | std::views::transform(nested);
    if (std::ranges::is_sorted(of_line, before)) continue;
    if (order_.empty()) {
      order_.resize(events_.size());
      std::iota(order_.begin(), order_.end(), HostEventId{0});
    }
    line.clear();
    for (const Nested& event : of_line) line.push_back(event);
    std::ranges::sort(line, before);
    for (size_t i = 0; i < line.size(); ++i) order_[first + i] = line[i].event;
  }
  place_.resize(order_.size());
  for (uint32_t p = 0; p < order_.size(); ++p) place_[order_[p]] = p;
}

void HostGroups::Nest() {
  SetOrder();
  struct Open {
    uint32_t place;
    int64_t end;
  };
  std::vector<Open> open;  // each within the one before
  tree_end_.resize(events_.size());
  const auto close = [&](uint32_t behind) {
    tree_end_[open.back().place] = behind;
    open.pop_back();
  };
  const auto count = static_cast<uint32_t>(events_.size());
  uint32_t line = 0;
  for (uint32_t p = 0; p < count; ++p) {
    const HostEvent event = events_[EventAt(p)];
    while (!open.empty() && (line != event.line || open.back().end < event.end)) close(p);
    line = event.line;
    open.push_back({p, event.end});
  }
  while (!open.empty()) close(count);
}

// Marks the events that prepare input, and all in their trees.
void HostGroups::MarkPipelines() {
  in_pipeline_.assign(events_.size(), false);
  for (uint32_t p = 0; p < events_.size();) {
    if (events_[EventAt(p)].part != HostPart::kPipeline) {
      ++p;
      continue;
    }
    for (const uint32_t end = tree_end_[p]; p < end; ++p) in_pipeline_[EventAt(p)] = true;
  }
}

// Puts all that is below `root` and in no group yet into `group`.
void HostGroups::Gather(HostEventId root, int32_t group) {
  std::vector<HostEventId> next = {root};
  while (!next.empty()) {
    const HostEventId event = next.back();
    next.pop_back();
    if (group_[event] == kUngrouped) GatherTree(PlaceOf(event), group, next);
  }
}

// Puts a tree into `group`, but for the trees within that are in one already. `next` takes what its
// events handed to other threads.
void HostGroups::GatherTree(uint32_t place, int32_t group, std::vector<HostEventId>& next) {
  const uint32_t end = tree_end_[place];
  for (uint32_t p = place; p < end;) {
    const HostEventId event = EventAt(p);
    if (group_[event] != kUngrouped) {
      p = tree_end_[p];
      continue;
    }
    group_[event] = group;
    size_t link = FirstLinkOf(event);
    for (; link < producers_.size() && producers_.event(link) == event; ++link)
      Follow(producers_.key(link), next);
    near_link_ = link;
    ++p;
  }
}

// Often the link behind the last one.
size_t HostGroups::FirstLinkOf(HostEventId producer) {
  const size_t near = near_link_;
  const bool is_it = (near == producers_.size() || producers_.event(near) >= producer) &&
                     (near == 0 || producers_.event(near - 1) < producer);
  return is_it ? near : producers_.LowerBound(producer);
}

// The place in takers_ where those of the key are, if there are any. Often behind the last ones.
size_t HostGroups::FirstTakerOf(const Key& key) {
  const auto key_of = [this](uint32_t link) { return consumers_.key(link).IdFirst(); };
  const size_t near = near_taker_;
  const bool is_it = near < takers_.size() && key_of(takers_[near]) == key.IdFirst() &&
                     (near == 0 || key_of(takers_[near - 1]) != key.IdFirst());
  if (is_it) return near;
  const auto at = std::ranges::lower_bound(takers_, key.IdFirst(), {}, key_of);
  return static_cast<size_t>(at - takers_.begin());
}

// Adds to `next` who takes what was handed on under `key`: once, for they are in a group then.
void HostGroups::Follow(const Key& key, std::vector<HostEventId>& next) {
  const size_t first = FirstTakerOf(key);
  size_t end = first;
  while (end < takers_.size() && consumers_.key(takers_[end]) == key) {
    if (followed_[first]) return;
    ++end;
  }
  if (end == first) return;
  followed_[first] = true;
  near_taker_ = end;
  if (end - first >= kTooMany && givers_[key] >= kTooMany) return;
  for (size_t i = first; i < end; ++i) next.push_back(consumers_.event(takers_[i]));
}

// A launch is in the group of the innermost event around its start.
void HostGroups::FindGroupsOfLaunches(uint32_t line, std::span<Launch> launches) {
  if (!std::ranges::is_sorted(launches, {}, &Launch::start))
    std::ranges::stable_sort(launches, {}, &Launch::start);
  const auto event_at = [this](size_t place) {
    return events_[EventAt(static_cast<uint32_t>(place))];
  };
  // A line's events lie in the same stretch by place as by number.
  const auto line_of = [this](size_t e) { return events_[static_cast<HostEventId>(e)].line; };
  const auto events = std::views::iota(size_t{0}, events_.size());
  const size_t first = *std::ranges::lower_bound(events, line, {}, line_of);
  const size_t end = first < events_.size() && line_of(first) == line ? EndOfLine(first) : first;
  Innermost around(first);
  for (Launch& launch : launches) {
    const int32_t place = around.At(launch.start, end, event_at);
    launch.start = place < 0 ? kUngrouped : group_[EventAt(static_cast<uint32_t>(place))];
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
  return group == kUngrouped ? -1 : roots_[static_cast<size_t>(group)].number;
}

}  // namespace stepscope
