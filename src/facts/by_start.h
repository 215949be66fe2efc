// All that went on in a recording, on devices and hosts, in the order in which it began.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "facts/rank_work.h"

namespace stepscope {

// Calls one of these for each item of the recording, by start: of_work(const Work&),
// of_call(const Call&), of_range(const HostRange&). Nothing is copied: every list is sorted by
// itself.
template <class OfWork, class OfCall, class OfRange>
void ForEachByStart(const RankWork& rank, const OfWork& of_work, const OfCall& of_call,
                    const OfRange& of_range) {
  enum class List : uint8_t { kWork, kCalls, kRanges };
  struct Rest {
    int64_t start = 0;  // of the next item
    size_t next = 0, end = 0;
    List list = List::kWork;
  };
  const HostWork& host = *rank.host;
  const auto start_of = [&](const Rest& rest) {
    if (rest.list == List::kWork) return rank.work[rest.next].start;
    return rest.list == List::kCalls ? host.calls[rest.next].start : host.ranges[rest.next].start;
  };
  const auto later = [](const Rest& a, const Rest& b) { return a.start > b.start; };
  std::vector<Rest> rests;  // a heap: the front begins first
  const auto add = [&](Rest rest) {
    if (rest.next == rest.end) return;
    rest.start = start_of(rest);
    rests.push_back(rest);
    std::ranges::push_heap(rests, later);
  };
  add({.end = rank.work.size(), .list = List::kWork});
  add({.end = host.calls.size(), .list = List::kCalls});
  for (uint32_t t = 0; t < host.threads.size(); ++t) {
    const size_t first = host.ranges.FirstOf(t), last = host.ranges.FirstOf(t + 1);
    add({.next = first, .end = last, .list = List::kRanges});
  }
  while (!rests.empty()) {
    std::ranges::pop_heap(rests, later);
    Rest rest = rests.back();
    rests.pop_back();
    // Often the next one is of the same list.
    while (rest.next < rest.end && (rests.empty() || rest.start <= rests.front().start)) {
      if (rest.list == List::kWork) of_work(rank.work[rest.next]);
      if (rest.list == List::kCalls) of_call(host.calls[rest.next]);
      if (rest.list == List::kRanges) of_range(host.ranges[rest.next]);
      if (++rest.next < rest.end) rest.start = start_of(rest);
    }
    add(rest);
  }
}

}  // namespace stepscope
