// Implements the joining of execution traces to traces.
#include "ingest/execution_trace/node_match.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "trace/sparse_walk.h"

namespace stepscope {
namespace {

using Pair = NodeMatch::Pair;

// What the observer adds for threads, of which traces have nothing.
bool IsRoot(std::string_view name) { return name.starts_with("[pytorch|profiler|"); }

bool IsRange(Kind kind) { return kind == Kind::kOperator || kind == Kind::kAnnotation; }

// Whether the operators of the trace are of this process.
bool IsOfProcess(const Trace& trace, const ExecutionTrace& nodes) {
  if (!nodes.process) return false;
  const std::string process = std::to_string(*nodes.process);
  return std::ranges::any_of(trace.tracks, [&](const Track& track) {
    return !track.is_stream && track.process == process;
  });
}

// Of each name of the nodes the trace's id.
std::vector<StringId> NamesIn(const Trace& trace, const ExecutionTrace& nodes) {
  std::vector<StringId> ids(nodes.strings.size(), kNoString);
  for (StringId i = 0; i < ids.size(); ++i) ids[i] = trace.strings.Find(nodes.strings[i]);
  return ids;
}

class Matcher {
 public:
  Matcher(const ExecutionTrace& nodes, const Trace& trace)
      : nodes_(nodes), trace_(trace), names_(NamesIn(trace, nodes)) {}

  // By a number that events carry. Those that may count something else agree now and then: of the
  // fewer of both at least half must be among the others.
  std::optional<NodeMatch> ByNumber(IntField field, JoinedBy by) const {
    NodeMatch match{.by = by};
    SparseWalk numbers(trace_.Ints(field));
    size_t ranges = 0;
    for (EventId e = 0; e < trace_.size(); ++e) {
      if (!IsRange(trace_.kinds()[e])) continue;
      ++ranges;
      const auto number = numbers.At(e);
      const auto at = number ? std::ranges::lower_bound(nodes_.nodes, *number, {},
                                                        &ExecutionNode::record_function)
                             : nodes_.nodes.end();
      if (at == nodes_.nodes.end() || at->record_function != *number) {
        ++match.without_node;
        continue;
      }
      if (names_[at->name] != trace_.names()[e]) return std::nullopt;
      match.pairs.push_back({e, static_cast<uint32_t>(at - nodes_.nodes.begin())});
    }
    const size_t fewer = std::min(ranges, nodes_.nodes.size());
    if (match.pairs.empty()) return std::nullopt;
    if (by == JoinedBy::kExternalId && match.pairs.size() < fewer / 2) return std::nullopt;
    return match;
  }

  // By the whole sequence of names on a thread, which no other thread has.
  std::optional<NodeMatch> ByOrder() const {
    constexpr size_t kFewest = 16;  // calls; fewer may be alike by chance
    std::map<std::vector<StringId>, std::vector<std::vector<EventId>>> threads;
    int64_t ranges = 0;
    for (auto& events : EventsOfThreads()) {
      ranges += std::ssize(events);
      std::vector<StringId> names;
      for (const EventId e : events) names.push_back(trace_.names()[e]);
      if (names.size() >= kFewest) threads[std::move(names)].push_back(std::move(events));
    }
    NodeMatch match{.by = JoinedBy::kOrder};
    std::map<std::vector<StringId>, int> seen;
    const auto nodes_of_threads = NodesOfThreads();
    for (const auto& nodes : nodes_of_threads) ++seen[NamesOf(nodes)];
    for (const auto& nodes : nodes_of_threads) {
      const auto names = NamesOf(nodes);
      const auto at = threads.find(names);
      if (at == threads.end() || at->second.size() != 1 || seen[names] != 1) continue;
      for (size_t i = 0; i < nodes.size(); ++i)
        match.pairs.push_back({at->second.front()[i], nodes[i]});
    }
    if (match.pairs.empty()) return std::nullopt;
    std::ranges::sort(match.pairs, {}, &Pair::event);
    match.without_node = ranges - std::ssize(match.pairs);
    return match;
  }

 private:
  // In the order of their numbers, which is that of calls: several may begin in one microsecond.
  std::vector<std::vector<EventId>> EventsOfThreads() const {
    std::vector<std::vector<std::pair<int64_t, EventId>>> numbered(trace_.tracks.size());
    SparseWalk numbers(trace_.Ints(IntField::kExternalId));
    SparseWalk steps(trace_.Ints(IntField::kStep));
    for (EventId e = 0; e < trace_.size(); ++e) {
      // Steps are the profiler's own: nodes have none of them.
      const bool step = steps.At(e).has_value();
      const auto number = numbers.At(e);
      if (IsRange(trace_.kinds()[e]) && !step && number)
        numbered[trace_.tracks_of()[e]].emplace_back(*number, e);
    }
    std::vector<std::vector<EventId>> threads;
    for (auto& events : numbered) {
      if (events.empty()) continue;
      std::ranges::sort(events);
      auto& thread = threads.emplace_back();
      for (const auto& [number, e] : events) thread.push_back(e);
    }
    return threads;
  }

  std::vector<std::vector<uint32_t>> NodesOfThreads() const {
    std::map<int64_t, std::vector<uint32_t>> threads;
    for (uint32_t n = 0; n < nodes_.nodes.size(); ++n) {
      if (!IsRoot(nodes_.strings[nodes_.nodes[n].name]))
        threads[nodes_.nodes[n].thread].push_back(n);
    }
    std::vector<std::vector<uint32_t>> all;
    for (auto& [thread, nodes] : threads) all.push_back(std::move(nodes));
    return all;
  }

  std::vector<StringId> NamesOf(const std::vector<uint32_t>& nodes) const {
    std::vector<StringId> names;
    for (const uint32_t n : nodes) names.push_back(names_[nodes_.nodes[n].name]);
    return names;
  }

  const ExecutionTrace& nodes_;
  const Trace& trace_;
  std::vector<StringId> names_;  // of each text of the nodes, the trace's
};

// The column with the texts of nodes for events that had none.
void Fill(TextField field, StringId ExecutionNode::* text, const ExecutionTrace& from,
          const std::vector<Pair>& pairs, Trace& into) {
  const SparseColumn<StringId> old = into.Take(field);
  size_t at = 0;
  const auto take_before = [&](EventId event) {
    for (; at < old.size() && old.event(at) < event; ++at)
      into.Set(old.event(at), field, old.value(at));
  };
  for (const auto& [event, node] : pairs) {
    const StringId id = from.nodes[node].*text;
    if (id == kNoString) continue;
    take_before(event);
    if (at < old.size() && old.event(at) == event) continue;
    into.Set(event, field, into.strings.Intern(from.strings[id]));
  }
  take_before(UINT32_MAX);
}

}  // namespace

std::optional<NodeMatch> MatchNodes(const ExecutionTrace& nodes, const Trace& trace) {
  if (!IsOfProcess(trace, nodes)) return std::nullopt;
  const Matcher matcher(nodes, trace);
  if (trace.Ints(IntField::kRecordFunction).size() > 0)
    return matcher.ByNumber(IntField::kRecordFunction, JoinedBy::kRecordFunction);
  if (auto match = matcher.ByNumber(IntField::kExternalId, JoinedBy::kExternalId)) return match;
  return matcher.ByOrder();
}

int64_t TakeInputs(const ExecutionTrace& from, const NodeMatch& match, Trace& into) {
  std::vector<Pair> lacking;
  SparseWalk shapes(into.Texts(TextField::kInputShapes));
  for (const Pair& pair : match.pairs) {
    const bool has = shapes.At(pair.event).has_value();
    if (!has && from.nodes[pair.node].shapes != kNoString) lacking.push_back(pair);
  }
  if (lacking.empty()) return 0;
  Fill(TextField::kInputShapes, &ExecutionNode::shapes, from, lacking, into);
  Fill(TextField::kInputTypes, &ExecutionNode::types, from, lacking, into);
  Fill(TextField::kInputStrides, &ExecutionNode::strides, from, lacking, into);
  Fill(TextField::kInputValues, &ExecutionNode::values, from, lacking, into);
  return std::ssize(lacking);
}

}  // namespace stepscope
