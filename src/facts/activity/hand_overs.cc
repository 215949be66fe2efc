// Joins the events that share an id.
#include "facts/activity/hand_overs.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "facts/activity/activity_list.h"

namespace stepscope {

void HandOverMarks::AddFlow(int64_t id, const Flow& flow) {
  Pair& pair = flows_[id];
  if (++pair.count > 2) return;
  pair.taken = flow;
  if (pair.count == 1) pair.given = flow;
  if (pair.taken.time < pair.given.time) std::swap(pair.given, pair.taken);
}

// An operation may have ended after its range: its last task ran on another thread.
HandOverMarks::Moment HandOverMarks::EndOf(const RunEvent& operation) const {
  const auto at = flows_.find(operation.flow);
  if (at == flows_.end() || at->second.count != 2) return {operation.end, operation.thread};
  const Flow& taken = at->second.taken;
  if (taken.time < operation.end) return {operation.end, operation.thread};
  return {taken.time, taken.thread};
}

// The record of an end may come after what goes on then: an operation ends by the start of the next
// one of its execution at the latest.
void HandOverMarks::AddLateEnds(const std::vector<RunEvent>& events, HostOps& host) const {
  std::vector<int64_t> starts;
  for (const RunEvent& event : events) {
    if (event.operation) starts.push_back(event.start);
  }
  std::ranges::sort(starts);
  for (const RunEvent& event : events) {
    if (!event.operation) continue;
    const auto next = std::ranges::lower_bound(starts, std::max(event.end, event.start + 1));
    int64_t end = EndOf(event).time;
    if (next != starts.end()) end = std::min(end, *next);
    if (end > event.end) host.late_ends.push_back({event.thread, event.start, end});
  }
}

void HandOverMarks::AddRun(const std::vector<RunEvent>& events, HostOps& host) {
  const RunEvent* first = nullptr;  // operation
  std::vector<Moment> ends;         // of operations
  for (const RunEvent& event : events) {
    if (!event.operation) continue;
    if (first == nullptr || event.start < first->start) first = &event;
    ends.push_back(EndOf(event));
  }
  if (first == nullptr) return;
  std::ranges::sort(ends, {}, [](const Moment& m) { return std::pair(m.time, m.thread); });
  for (const RunEvent& event : events) {
    if (event.waits) {
      AddWait({.start = event.start, .end = event.end, .thread = event.thread}, ends, host);
    } else if (!event.operation && event.start < first->start && event.thread != first->thread) {
      // The first operation may begin before the call returns.
      const int64_t given = event.end <= first->start ? event.end : event.start;
      host.hand_overs.push_back({given, first->start, event.thread, first->thread});
    }
  }
  ends_.push_back(std::move(ends));
}

// A thread that was woken may go on before the end that woke it is recorded: what ended last until
// then stands for it.
void HandOverMarks::AddWait(const HostWait& wait, const std::vector<Moment>& ends, HostOps& host) {
  host.waits.push_back(wait);
  const auto after = std::ranges::upper_bound(ends, wait.end, {}, &Moment::time);
  if (after == ends.begin() || std::prev(after)->time <= wait.start) return;
  const Moment& end = *std::prev(after);
  host.hand_overs.push_back({end.time, wait.end, end.thread, wait.thread});
}

void HandOverMarks::AddFlows(HostOps& host) const {
  for (const auto& [id, pair] : flows_) {
    const auto& [given, taken, count] = pair;
    if (count != 2 || given.operation || taken.time <= given.time) continue;
    if (given.thread != taken.thread)
      host.hand_overs.push_back({given.time, taken.time, given.thread, taken.thread});
    else if (given.name == taken.name)
      AddWaitForAny({.start = given.time, .end = taken.time, .thread = given.thread}, host);
  }
}

void HandOverMarks::AddWaitForAny(const HostWait& wait, HostOps& host) const {
  if (ends_.empty()) return AddWait(wait, {}, host);
  const auto last = [](const std::vector<Moment>& ends) { return ends.back().time; };
  auto nearest = std::ranges::lower_bound(ends_, wait.end, {}, last);
  const bool before =
      nearest != ends_.begin() &&
      (nearest == ends_.end() || wait.end - last(*std::prev(nearest)) <= last(*nearest) - wait.end);
  if (before) --nearest;
  AddWait(wait, *nearest, host);
}

void HandOverMarks::Resolve(HostOps& host) {
  for (const auto& [run, events] : runs_) {
    AddRun(events, host);
    AddLateEnds(events, host);
  }
  std::ranges::sort(host.late_ends, {},
                    [](const LateEnd& l) { return std::tuple(l.thread, l.start, l.end); });
  std::ranges::sort(ends_, {}, [](const std::vector<Moment>& ends) {
    return std::pair(ends.back().time, ends.back().thread);
  });
  AddFlows(host);
  const auto place = [](const HostWait& w) { return std::pair(w.thread, w.start); };
  std::vector<HostWait> known = host.waits;
  std::ranges::sort(known, {}, place);
  for (const HostWait& wait : named_waits_) {
    const auto within = std::ranges::lower_bound(known, place(wait), {}, place);
    const bool told =
        within != known.end() && within->thread == wait.thread && within->start < wait.end;
    if (!told) AddWaitForAny(wait, host);
  }
  std::ranges::sort(host.hand_overs, {},
                    [](const HandOver& h) { return std::tuple(h.taken, h.to, h.given, h.from); });
}

}  // namespace stepscope
