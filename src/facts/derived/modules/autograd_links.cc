// Finds the thread that each of autograd's thread numbers stands for, then the operators.
#include "facts/derived/modules/autograd_links.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/stop.h"
#include "facts/derived/python/along_windows.h"

namespace stepscope {
namespace {

// Threads with a forward operator of one number, beyond which nothing is looked at: so many have
// forward operators in no real job.
constexpr size_t kMostThreads = 16;

// The forward operators of each sequence number: thread and range, of each thread the last.
using Forward = std::unordered_map<int64_t, std::vector<std::pair<uint32_t, int32_t>>>;

Forward ForwardBySequence(const HostOps& host) {
  Forward forward;
  for (size_t i = 0; i < host.autograd.size(); ++i) {
    const AutogradOp op = host.autograd[i];
    if (op.forward_thread > 0) continue;
    const uint32_t thread = host.ranges[static_cast<size_t>(op.range)].thread;
    auto& threads = forward[op.sequence];
    const auto own = std::ranges::find(threads, thread, &std::pair<uint32_t, int32_t>::first);
    if (own != threads.end())
      own->second = op.range;  // ranges of a thread are in order
    else if (threads.size() < kMostThreads)
      threads.emplace_back(thread, op.range);
  }
  return forward;
}

// Which thread each number that backward gives to the thread of forward stands for: the one that
// has most of the sequence numbers.
std::map<int64_t, uint32_t> ThreadsOfForward(const HostOps& host, const Forward& forward) {
  std::map<std::pair<int64_t, uint32_t>, int64_t> votes;
  for (size_t i = 0; i < host.autograd.size(); ++i) {
    const AutogradOp op = host.autograd[i];
    const auto at = op.forward_thread > 0 ? forward.find(op.sequence) : forward.end();
    if (at == forward.end()) continue;
    for (const auto& [thread, range] : at->second) ++votes[{op.forward_thread, thread}];
  }
  std::map<int64_t, std::pair<int64_t, uint32_t>> most;
  for (const auto& [key, count] : votes) {
    auto& best = most[key.first];
    if (count > best.first) best = {count, key.second};
  }
  std::map<int64_t, uint32_t> threads;
  for (const auto& [number, best] : most) threads[number] = best.second;
  return threads;
}

}  // namespace

std::vector<int32_t> ForwardOfBackward(const HostOps& host) {
  const Forward forward = ForwardBySequence(host);
  const std::map<int64_t, uint32_t> threads = ThreadsOfForward(host, forward);
  std::vector<int32_t> links(host.autograd.size(), kNoRange);
  for (size_t i = 0; i < host.autograd.size(); ++i) {
    const AutogradOp op = host.autograd[i];
    if (op.forward_thread <= 0) continue;
    const auto thread = threads.find(op.forward_thread);
    const auto at = forward.find(op.sequence);
    if (thread == threads.end() || at == forward.end()) continue;
    for (const auto& [of, range] : at->second) {
      if (of == thread->second) links[i] = range;
    }
  }
  return links;
}

int64_t BackwardOf(const HostOps& host, uint32_t thread, const IntervalSet& stretches) {
  const std::vector<int32_t> links = ForwardOfBackward(host);
  const AnywhereInWindows in_stretches(stretches);
  std::vector<Interval> backward;
  StopChecks checks;
  for (size_t i = 0; i < links.size(); ++i) {
    checks.Turn();
    if (links[i] == kNoRange) continue;
    const HostRange forward = host.ranges[static_cast<size_t>(links[i])];
    if (forward.thread != thread || !in_stretches.Holds(forward.start)) continue;
    const HostRange range = host.ranges[static_cast<size_t>(host.autograd[i].range)];
    backward.push_back({range.start, range.end});
  }
  return LengthOf(UnionOf(std::move(backward)));
}

}  // namespace stepscope
