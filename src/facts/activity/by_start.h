// Visits all activities, ranges and calls of a trace in order of start.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "facts/activity/rank_activity.h"

namespace stepscope {

// Calls one of these for each item of the recording, by start: of_work(const Activity&),
// of_call(const Call&), of_range(const HostRange&). Nothing is copied: every list is sorted by
// itself.
template <class OfActivity, class OfCall, class OfRange>
void ForEachByStart(const RankActivity& rank, const OfActivity& of_work, const OfCall& of_call,
                    const OfRange& of_range) {
  struct Rest {
    size_t next = 0, end = 0;
  };
  struct Next {
    int64_t start = 0;
    uint32_t list = 0;
  };
  constexpr uint32_t kActivity = 0, kCalls = 1, kRanges = 2;  // from there on: of each thread
  const HostOps& host = *rank.host;
  std::vector<Rest> rests = {{0, rank.activities.size()}, {0, host.calls.size()}};
  const std::vector<size_t> of_thread = host.RangesByThread();
  for (size_t t = 0; t < host.threads.size(); ++t)
    rests.push_back({of_thread[t], of_thread[t + 1]});
  const auto start_of = [&](uint32_t list, size_t i) {
    if (list >= kRanges) return host.ranges[i].start;
    return list == kActivity ? rank.activities[i].start : host.calls[i].start;
  };
  const auto later = [](const Next& a, const Next& b) { return a.start > b.start; };
  std::vector<Next> heap;  // the front begins first
  const auto add = [&](uint32_t list) {
    if (rests[list].next == rests[list].end) return;
    heap.push_back({start_of(list, rests[list].next), list});
    std::ranges::push_heap(heap, later);
  };
  for (uint32_t list = 0; list < rests.size(); ++list) add(list);
  while (!heap.empty()) {
    std::ranges::pop_heap(heap, later);
    auto [start, list] = heap.back();
    heap.pop_back();
    auto [next, end] = rests[list];
    // Often the one behind it is the next.
    while (next < end && (heap.empty() || start <= heap.front().start)) {
      if (list >= kRanges) of_range(host.ranges[next]);
      if (list == kActivity) of_work(rank.activities[next]);
      if (list == kCalls) of_call(host.calls[next]);
      if (++next < end) start = start_of(list, next);
    }
    rests[list].next = next;
    add(list);
  }
}

}  // namespace stepscope
