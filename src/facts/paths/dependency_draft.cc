// Sorts moments, settles which edge decided each, and how long every edge takes.
#include "facts/paths/dependency_draft.h"

#include <algorithm>
#include <array>

#include "base/robust.h"
#include "base/sort_runs.h"

namespace stepscope {
namespace {

// Work that starts later than this after everything it is known to wait for waits for something
// that was not recorded: hardware takes less from one kernel to the next.
constexpr int64_t kLongestGap = 30'000;  // ns

constexpr bool IsUsual(Reason reason) {
  return reason == Reason::kStream || reason == Reason::kWait || reason == Reason::kLaunch ||
         reason == Reason::kSync;
}

// Reasons whose edges cost the same: from the end of work to the next start, whichever stream.
constexpr size_t UsualOf(Reason reason) {
  return static_cast<size_t>(reason == Reason::kWait ? Reason::kStream : reason);
}

bool IsUnexplained(const Edge& edge) {
  return edge.lag > kLongestGap && edge.activity != kNowhere &&
         (edge.bound == Bound::kKernelGap || edge.bound == Bound::kLaunch);
}

}  // namespace

DependencyDraft::DependencyDraft(const PathWindow& window) : window_(window) {
  moments_.push_back({window.start, 0});
}

void DependencyDraft::Reserve(size_t moments, size_t edges) {
  moments_.reserve(moments);
  edges_.reserve(edges);
  to_.reserve(edges);
}

uint32_t DependencyDraft::AddMoment(int64_t time, Order order) {
  if (time <= window_.start && order != Order::kLast) return kOrigin;
  const auto id = static_cast<uint32_t>(moments_.size());
  moments_.push_back({time, static_cast<uint64_t>(order) << 32 | id});
  return id;
}

void DependencyDraft::AddEdge(uint32_t from, uint32_t to, const Edge& edge) {
  if (to == kOrigin) return;
  edges_.push_back(edge);
  edges_.back().from = from;
  to_.push_back(to);
}

// The place of each moment of the draft in the order of time.
std::vector<uint32_t> DependencyDraft::SortMoments() {
  std::vector<Moment> sorted = std::move(moments_);
  SortRuns(sorted, [](const Moment& a, const Moment& b) {
    return a.time != b.time ? a.time < b.time : a.order < b.order;
  });
  std::vector<uint32_t> place(sorted.size());
  out_.times.reserve(sorted.size());
  for (size_t i = 0; i < sorted.size(); ++i) {
    place[sorted[i].order & UINT32_MAX] = static_cast<uint32_t>(i);
    out_.times.push_back(sorted[i].time);
  }
  return place;
}

// Edges by their moment. One that leads back in time, or nowhere, is left out; a moment without
// any gets one from the window's start.
void DependencyDraft::PlaceEdges(const std::vector<uint32_t>& place) {
  const size_t count = place.size();
  out_.first_edge.assign(count + 1, 0);
  for (size_t e = 0; e < edges_.size(); ++e) {
    to_[e] = place[to_[e]];
    edges_[e].from = place[edges_[e].from];
    if (edges_[e].from < to_[e]) ++out_.first_edge[to_[e] + 1];
  }
  for (size_t m = 0; m < count; ++m) {
    if (m > 0) out_.first_edge[m + 1] = std::max(out_.first_edge[m + 1], 1u);
    out_.first_edge[m + 1] += out_.first_edge[m];
  }
  out_.edges.resize(out_.first_edge.back());
  std::vector<uint32_t> next(out_.first_edge.begin(), out_.first_edge.end() - 1);
  for (size_t e = 0; e < edges_.size(); ++e) {
    if (edges_[e].from < to_[e]) out_.edges[next[to_[e]]++] = edges_[e];
  }
  edges_ = {};
  to_ = {};
}

void DependencyDraft::PutDecidingFirst() {
  const auto& times = out_.times;
  for (uint32_t m = 1; m < times.size(); ++m) {
    const auto first = out_.edges.begin() + out_.first_edge[m];
    const auto last = out_.edges.begin() + out_.first_edge[m + 1];
    const auto deciding = std::min_element(first, last, [&](const Edge& a, const Edge& b) {
      if (times[a.from] != times[b.from]) return times[a.from] > times[b.from];
      return a.reason < b.reason;
    });
    std::iter_swap(first, deciding);
    Edge& edge = *first;
    edge.lag = times[m] - times[edge.from];
    if (IsUnexplained(edge)) edge.bound = Bound::kNoRecord;
  }
}

// What edges that did not decide would cost if they did.
void DependencyDraft::SettleLags() {
  std::array<std::vector<int64_t>, static_cast<size_t>(Reason::kWindow) + 1> seen;
  for (uint32_t m = 1; m < out_.times.size(); ++m) {
    const Edge& edge = out_.edges[out_.first_edge[m]];
    if (IsUsual(edge.reason)) seen[UsualOf(edge.reason)].push_back(edge.lag);
  }
  std::array<int64_t, seen.size()> usual{};
  for (size_t r = 0; r < seen.size(); ++r) {
    if (seen[r].empty()) continue;
    usual[r] = UpperMedian(seen[r]);
  }
  for (uint32_t m = 1; m < out_.times.size(); ++m) {
    const Edge& decided = out_.edges[out_.first_edge[m]];
    for (uint32_t e = out_.first_edge[m] + 1; e < out_.first_edge[m + 1]; ++e) {
      Edge& edge = out_.edges[e];
      if (edge.lag == kUsual && IsUsual(edge.reason)) {
        edge.lag = usual[UsualOf(edge.reason)];
      } else if (edge.lag == kUsual) {
        // A thread that waited needs as long to go on as it did after what it waited for.
        const Edge waited = edge;
        edge = decided;
        edge.from = waited.from;
        edge.reason = waited.reason;
      }
      edge.lag = std::min(edge.lag, out_.times[m] - out_.times[edge.from]);
    }
  }
}

Dependencies DependencyDraft::Finish() {
  PlaceEdges(SortMoments());
  PutDecidingFirst();
  SettleLags();
  return std::move(out_);
}

}  // namespace stepscope
