// Joins the events that share an id.
#include "facts/activity/hand_overs.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/sort_runs.h"
#include "base/stop.h"
#include "facts/activity/activity_list.h"

namespace stepscope {

uint32_t HandOverMarks::AddFlow(int64_t id, const Flow& flow) {
  flows_.Append({id, flow.time, flow.thread, flow.name, flow.operation ? 1 : 0});
  return static_cast<uint32_t>(flows_.size() - 1);
}

void HandOverMarks::AddRunEvent(int64_t run, const RunEvent& event) {
  const int64_t what = (event.operation ? kOperation : 0) | (event.waits ? kWaits : 0);
  events_.Append({run, event.start, event.end, event.thread, event.flow, event.device, what});
}

HandOverMarks::Flow HandOverMarks::FlowAt(uint32_t number) const {
  const auto row = flows_[number];
  return {.time = row.Get<kTime>(),
          .thread = static_cast<uint32_t>(row.Get<kFlowThread>()),
          .name = static_cast<StringId>(row.Get<kName>()),
          .operation = row.Get<kOfOperation>() != 0};
}

HandOverMarks::RunEvent HandOverMarks::EventAt(uint32_t e) const {
  const auto row = events_[e];
  const int64_t what = row.Get<kWhat>();
  return {.start = row.Get<kStart>(),
          .end = row.Get<kEnd>(),
          .thread = static_cast<uint32_t>(row.Get<kThread>()),
          .flow = row.Get<kFlow>(),
          .device = row.Get<kDevice>(),
          .operation = (what & kOperation) != 0,
          .waits = (what & kWaits) != 0};
}

// Ids that three events share say nothing.
void HandOverMarks::FindPartners() {
  const auto id_of = [&](uint32_t f) { return flows_[f].Get<kId>(); };
  std::vector<uint32_t> by_id(flows_.size());
  std::iota(by_id.begin(), by_id.end(), 0u);
  SortRuns(by_id, {}, id_of);
  partners_.assign(by_id.size(), kNoPartner);
  StopChecks checks;
  for (size_t first = 0; first < by_id.size();) {
    checks.Turn();
    size_t last = first + 1;
    while (last < by_id.size() && id_of(by_id[last]) == id_of(by_id[first])) ++last;
    if (last - first == 2) {
      partners_[by_id[first]] = by_id[first + 1];
      partners_[by_id[first + 1]] = by_id[first];
    }
    first = last;
  }
}

// A flow and its partner, the earlier one first. REQUIRES: it has one.
std::pair<HandOverMarks::Flow, HandOverMarks::Flow> HandOverMarks::PairOf(uint32_t flow) const {
  const auto [first, second] = std::minmax(flow, partners_[flow]);
  const Flow given = FlowAt(first), taken = FlowAt(second);
  return taken.time < given.time ? std::pair(taken, given) : std::pair(given, taken);
}

// An operation may have ended after its range: its last task ran on another thread.
HandOverMarks::Moment HandOverMarks::EndOf(const RunEvent& operation) const {
  const auto flow = static_cast<uint32_t>(operation.flow);
  if (operation.flow < 0 || partners_[flow] == kNoPartner) return {operation.end, operation.thread};
  const Flow taken = PairOf(flow).second;
  if (taken.time < operation.end) return {operation.end, operation.thread};
  return {taken.time, taken.thread};
}

// Devices of one process run a program together, each at its own pace.
std::map<int64_t, HandOverMarks::OnDevice> HandOverMarks::DevicesOf(
    std::span<const RunEvent> events) const {
  std::map<int64_t, OnDevice> devices;
  for (const RunEvent& event : events) {
    if (!event.operation) continue;
    OnDevice& own = devices[event.device];
    if (own.first == nullptr || event.start < own.first->start) own.first = &event;
    own.starts.push_back(event.start);
    own.ends.push_back(EndOf(event));
  }
  for (auto& [device, own] : devices) {
    SortRuns(own.starts);
    SortRuns(own.ends, {}, &PlaceOf);
  }
  return devices;
}

// The record of an end may come after what goes on then: an operation ends by the start of the next
// one of its execution at the latest.
void HandOverMarks::AddLateEnds(std::span<const RunEvent> events,
                                const std::map<int64_t, OnDevice>& devices, HostOps& host) const {
  for (const RunEvent& event : events) {
    if (!event.operation) continue;
    const std::vector<int64_t>& starts = devices.at(event.device).starts;
    const auto next = std::ranges::lower_bound(starts, std::max(event.end, event.start + 1));
    int64_t end = EndOf(event).time;
    if (next != starts.end()) end = std::min(end, *next);
    if (end > event.end) host.late_ends.push_back({event.thread, event.start, end});
  }
}

void HandOverMarks::AddRun(std::span<const RunEvent> events, HostOps& host) {
  const std::map<int64_t, OnDevice> devices = DevicesOf(events);
  if (devices.empty()) return;
  std::vector<Moment> ends;  // of all devices' operations
  for (const auto& [device, own] : devices)
    ends.insert(ends.end(), own.ends.begin(), own.ends.end());
  SortRuns(ends, {}, &PlaceOf);
  for (const RunEvent& event : events) {
    if (!event.waits) continue;
    const auto own = devices.find(event.device);
    AddWait({.start = event.start, .end = event.end, .thread = event.thread},
            own == devices.end() ? ends : own->second.ends, host);
  }
  AddCalls(events, devices, host);
  AddLateEnds(events, devices, host);
  ends_.push_back(std::move(ends));
}

// The calls that start an execution. Where each device has one, they do not say whose they are: the
// last one before a device begins is taken for its own, which is at worst too late by the time
// between two calls.
void HandOverMarks::AddCalls(std::span<const RunEvent> events,
                             const std::map<int64_t, OnDevice>& devices, HostOps& host) {
  for (const auto& [device, own] : devices) {
    const RunEvent* last = nullptr;
    for (const RunEvent& event : events) {
      if (event.waits || event.operation || event.start >= own.first->start) continue;
      if (event.thread != own.first->thread && devices.size() == 1)
        AddCall(event, *own.first, host);
      if (last == nullptr || event.start > last->start) last = &event;
    }
    if (devices.size() > 1 && last != nullptr && last->thread != own.first->thread)
      AddCall(*last, *own.first, host);
  }
}

// The first operation may begin before the call returns.
void HandOverMarks::AddCall(const RunEvent& call, const RunEvent& first, HostOps& host) {
  const int64_t given = call.end <= first.start ? call.end : call.start;
  host.hand_overs.push_back({given, first.start, call.thread, first.thread});
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
  for (uint32_t f = 0; f < flows_.size(); ++f) {
    if (partners_[f] == kNoPartner || partners_[f] < f) continue;  // none, or seen with that one
    const auto [given, taken] = PairOf(f);
    if (given.operation || taken.time <= given.time) continue;
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

// Execution by execution.
void HandOverMarks::AddRuns(HostOps& host) {
  const auto run_of = [&](uint32_t e) { return events_[e].Get<kRun>(); };
  std::vector<uint32_t> order(events_.size());
  std::iota(order.begin(), order.end(), 0u);
  SortRuns(order, {}, run_of);
  std::vector<RunEvent> events;
  for (size_t i = 0; i < order.size(); ++i) {
    events.push_back(EventAt(order[i]));
    if (i + 1 < order.size() && run_of(order[i + 1]) == run_of(order[i])) continue;
    StopIfAsked();
    AddRun(events, host);
    events.clear();
  }
}

void HandOverMarks::Resolve(HostOps& host) {
  FindPartners();
  AddRuns(host);
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
