// Walks the events of a track in the order of start, each below the innermost that it lies within.
#include "timeline/stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/saturate.h"
#include "timeline/state.h"

namespace stepscope {
namespace {

constexpr uint32_t kRoot = 0;
constexpr size_t kBetweenLooksOfWalk = 1 << 16;  // events
constexpr int64_t kLeastShare = 1000;            // a path has at least one of so many parts of all
constexpr size_t kMostPaths = 1000;

// A path of names.
struct PathNode {
  uint32_t parent = kRoot;
  StringId name = kNoString;  // or of a track, kNoString
  uint32_t track = kNoTrack;
  int64_t total = 0, below = 0, count = 0;  // ns; of the paths one longer; events
};

class PathTree {
 public:
  PathTree() : nodes_(1) {}

  uint32_t Child(uint32_t parent, StringId name) {
    const auto [at, is_new] =
        children_.try_emplace(uint64_t{parent} << 32 | name, static_cast<uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({.parent = parent, .name = name});
    return at->second;
  }
  uint32_t OfTrack(uint32_t track) {
    nodes_.push_back({.track = track});
    return static_cast<uint32_t>(nodes_.size() - 1);
  }
  void Add(uint32_t node, int64_t time, int64_t count = 1) {
    nodes_[node].total = AddSaturated(nodes_[node].total, time);
    nodes_[node].count += count;
    int64_t& below = nodes_[nodes_[node].parent].below;
    below = AddSaturated(below, time);
  }
  const std::vector<PathNode>& nodes() const { return nodes_; }
  // A track lasts as long as what is on it.
  void CloseTrack(uint32_t node) { Add(node, nodes_[node].below, 0); }

 private:
  std::vector<PathNode> nodes_;
  std::unordered_map<uint64_t, uint32_t> children_;
};

// An event that may still be around others.
struct Open {
  int64_t end = INT64_MIN;
  uint32_t node = kRoot;
};

struct Walked {
  int64_t start = 0;
  uint32_t row = 0, event = 0;
};

class Walk {
 public:
  Walk(const Timeline::State& state, const TimelineSelection& selection,
       const std::stop_token& stop)
      : state_(state), selection_(selection), stop_(stop) {}

  // Adds what meets the selected time on a track, below `root`.
  void AddTrack(uint32_t track, uint32_t root, PathTree& tree) const;

 private:
  std::vector<Walked> EventsOf(const EventStore& events, int64_t from, int64_t to) const;

  const Timeline::State& state_;
  const TimelineSelection& selection_;
  const std::stop_token& stop_;
};

std::vector<Walked> Walk::EventsOf(const EventStore& events, int64_t from, int64_t to) const {
  std::vector<Walked> walked;
  for (uint32_t row = 0; row < events.rows() && from < to; ++row) {
    const auto [begin, end] = events.Meeting(row, from, to);
    for (size_t i = begin; i < end; ++i) {
      if ((i - begin) % kBetweenLooksOfWalk == 0 && stop_.stop_requested()) return {};
      if (events.End(i) <= from && events.Start(i) < from) continue;  // of a crowded row
      walked.push_back({events.Start(i), row, static_cast<uint32_t>(i)});
    }
  }
  std::ranges::sort(walked, {}, [](const Walked& w) { return std::pair(w.start, w.row); });
  return walked;
}

void Walk::AddTrack(uint32_t track, uint32_t root, PathTree& tree) const {
  const Axis& axis = state_.AxisOf(track);
  const EventStore& events = state_.Events(track);
  const int64_t from = axis.ToOwn(selection_.from), to = axis.ToOwn(selection_.to);
  std::vector<Open> open(events.rows());
  for (const Walked& walked : EventsOf(events, from, to)) {
    const int64_t end = events.End(walked.event);
    // As rows are given out: what has ended when it begins is not around it.
    const int64_t least = std::max(end, walked.start + 1);
    uint32_t parent = root;
    for (uint32_t row = walked.row; row-- > 0;) {
      if (open[row].end < least) continue;
      parent = open[row].node;
      break;
    }
    const uint32_t node = tree.Child(parent, state_.NameId(track, walked.event));
    tree.Add(node, std::min(end, to) - std::max(walked.start, from));
    open[walked.row] = {.end = end, .node = node};
  }
}

std::string TrackText(const Timeline::State& state, uint32_t track) {
  const TimelineTrack& of = state.tracks[track];
  return fmt::format("{} · {} · {}", state.ranks[of.rank_index].name, of.group, of.name);
}

std::string NameOf(const Timeline::State& state, const PathNode& node) {
  if (node.track != kNoTrack) return TrackText(state, node.track);
  return std::string(state.names[node.name]);
}

Table EmptyPathTable(std::string key, Phrase title) {
  const auto value = [](const char* name, const char* what, Unit unit) {
    return Column{name, what, unit};
  };
  return {.key = std::move(key),
          .title = std::move(title),
          .columns = {{"path", "path", Unit::kNone, Role::kKey},
                      {"name", "name", Unit::kNone, Role::kKey},
                      value("count", "events", Unit::kCount),
                      value("total", "total", Unit::kNanoseconds),
                      value("self", "without what is below", Unit::kNanoseconds)}};
}

// The paths that are long enough, the longest of all; a parent is as long as its children, and
// comes before them.
std::vector<uint32_t> Shown(const std::vector<PathNode>& nodes) {
  std::vector<uint32_t> shown;
  for (uint32_t n = 1; n < nodes.size(); ++n) {
    const int64_t parts = nodes[n].total / std::max<int64_t>(1, nodes[kRoot].below / kLeastShare);
    if (parts >= 1) shown.push_back(n);
  }
  std::ranges::stable_sort(shown, std::ranges::greater{},
                           [&](uint32_t n) { return nodes[n].total; });
  if (shown.size() > kMostPaths) shown.resize(kMostPaths);
  return shown;
}

Table TableOfPaths(const Timeline::State& state, const PathTree& tree, std::string key,
                   Phrase title) {
  Table table = EmptyPathTable(std::move(key), std::move(title));
  const auto& nodes = tree.nodes();
  std::unordered_map<uint32_t, std::string> paths;
  for (const uint32_t n : Shown(nodes)) {
    const PathNode& node = nodes[n];
    std::string name = NameOf(state, node);
    const auto above = paths.find(node.parent);
    if (node.parent != kRoot && above == paths.end()) continue;
    std::string path = node.parent == kRoot ? name : above->second + ";" + name;
    table.rows.push_back({path, name, node.count, node.total,
                          std::max<int64_t>(0, SubtractSaturated(node.total, node.below))});
    paths.emplace(n, std::move(path));
  }
  return table;
}

std::vector<uint32_t> SelectedTracks(const Timeline::State& state,
                                     const TimelineSelection& selection) {
  std::vector<uint32_t> tracks = selection.tracks;
  for (uint32_t t = 0; selection.tracks.empty() && t < state.tracks.size(); ++t) {
    if (state.HasTraceEvents(t)) tracks.push_back(t);
  }
  std::ranges::sort(tracks);
  const auto repeated = std::ranges::unique(tracks);
  tracks.erase(repeated.begin(), repeated.end());
  return tracks;
}

// Adds `from` and all below it of `tree` to `to`, a path of `into`.
class Callees {
 public:
  Callees(const PathTree& tree, PathTree& into)
      : nodes_(tree.nodes()), into_(into), places_(nodes_.size(), kRoot) {}

  // In the order of nodes: parents come before their children.
  void Add(uint32_t node, bool is_focus) {
    const PathNode& of = nodes_[node];
    const uint32_t above = places_[of.parent];
    if (!is_focus && above == kRoot) return;
    places_[node] = into_.Child(is_focus ? kRoot : above, of.name);
    into_.Add(places_[node], of.total, of.count);
  }
  // Whether the node lies within one of the focus.
  bool Within(uint32_t node) const { return places_[nodes_[node].parent] != kRoot; }

 private:
  const std::vector<PathNode>& nodes_;
  PathTree& into_;
  std::vector<uint32_t> places_;
};

void AddCallers(const PathTree& tree, uint32_t focus, PathTree& callers) {
  const auto& nodes = tree.nodes();
  uint32_t at = kRoot;
  for (uint32_t n = focus; n != kRoot && nodes[n].track == kNoTrack; n = nodes[n].parent) {
    at = callers.Child(at, nodes[n].name);
    callers.Add(at, nodes[focus].total, nodes[focus].count);
  }
}

// What calls the name and what it calls; of calls of itself the outermost counts.
void AddSandwich(const Timeline::State& state, const PathTree& tree, StringId focus,
                 Report& report) {
  PathTree callers, callees;
  Callees below(tree, callees);
  int64_t count = 0;
  for (uint32_t n = 1; n < tree.nodes().size(); ++n) {
    const PathNode& node = tree.nodes()[n];
    const bool is_focus = node.track == kNoTrack && node.name == focus && !below.Within(n);
    if (is_focus) AddCallers(tree, n, callers);
    if (is_focus) count += node.count;
    below.Add(n, is_focus);
  }
  report.headline = Say("{count} events are named {name}, those within one of them apart.", count,
                        Phrase::Name(std::string(state.names[focus])));
  report.tables.push_back(TableOfPaths(state, callers, "callers", "Called by"));
  report.tables.push_back(TableOfPaths(state, callees, "callees", "Calls"));
}

}  // namespace

Result<Report> StacksOf(const Timeline::State& state, const TimelineSelection& selection,
                        const std::stop_token& stop) {
  if (selection.focus) {
    if (const auto there = state.Check(*selection.focus); !there) {
      return std::unexpected(there.error());
    }
  }
  const std::vector<uint32_t> tracks = SelectedTracks(state, selection);
  PathTree tree;
  const Walk walk(state, selection, stop);
  for (const uint32_t track : tracks) {
    if (track < state.tracks.size() && state.data[track].IsCounter()) continue;
    if (const auto there = state.CheckTrack(track); !there) return std::unexpected(there.error());
    const uint32_t root = tracks.size() > 1 ? tree.OfTrack(track) : kRoot;
    walk.AddTrack(track, root, tree);
    if (root != kRoot) tree.CloseTrack(root);
  }
  if (stop.stop_requested()) return std::unexpected(Error{"the request was stopped", "", ""});
  Report report{.analysis = "stacks", .title = "Stacks"};
  if (selection.focus) {
    AddSandwich(state, tree, state.NameId(selection.focus->track, selection.focus->event), report);
    return report;
  }
  report.tables.push_back(TableOfPaths(state, tree, "stacks", "Events by stack"));
  report.headline = Say("{count} paths, of which {shown} take a thousandth or more.",
                        tree.nodes().size() - 1, report.tables[0].rows.size());
  return report;
}

}  // namespace stepscope
