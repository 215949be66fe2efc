// A leak rises in nine of ten steps and never falls back by more than one step adds. What fills
// once, such as a cache or an optimizer's state, does not.
#include "memory_snapshot/steps.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/stop.h"

namespace stepscope::memory {
namespace {

constexpr size_t kMostEnds = 64;
constexpr size_t kFewestEnds = 4;      // the first is not compared: caches fill then
constexpr int64_t kLeastShare = 1000;  // growth is at least the peak over this, or of every step:
constexpr int64_t kSurelyGrown = 8;    // steps

std::optional<int64_t> NumberOfStep(std::string_view name) {
  constexpr std::string_view kStep = "ProfilerStep#";
  if (!name.starts_with(kStep)) return std::nullopt;
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(name.data() + kStep.size(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

std::vector<StepSpan> ProfilerSteps(const MemorySnapshot& snapshot) {
  std::vector<StepSpan> spans;
  std::map<int64_t, int64_t> open;  // start by number
  for (const SnapshotAnnotation& one : snapshot.annotations) {
    const auto number = NumberOfStep(snapshot.stacks.text(one.name));
    if (!number) continue;
    if (!one.ends) {
      open[*number] = one.time;
    } else if (const auto begun = open.find(*number); begun != open.end()) {
      spans.push_back({*number, begun->second, one.time});
      open.erase(begun);
    }
  }
  return spans;
}

std::vector<StepSpan> OptimizerSteps(const MemorySnapshot& snapshot) {
  std::vector<StepSpan> spans;
  std::optional<int64_t> last;
  for (const SnapshotAnnotation& one : snapshot.annotations) {
    if (!one.ends || !snapshot.stacks.text(one.name).starts_with("Optimizer.step#")) continue;
    if (last) spans.push_back({static_cast<int64_t>(spans.size() + 1), *last, one.time});
    last = one.time;
  }
  return spans;
}

// Stretches between the last things of this kind that an optimizer does before others allocate.
std::vector<StepSpan> StretchesBetween(const MemorySnapshot& snapshot, const Sites& sites,
                                       const SnapshotTrace& trace, SnapshotAction action) {
  std::vector<StepSpan> spans;
  std::optional<int64_t> last, end;  // of the step before, and so far of this one
  const auto end_step = [&] {
    if (last && *end > *last)
      spans.push_back({static_cast<int64_t>(spans.size() + 1), *last, *end});
    last = std::exchange(end, std::nullopt);
  };
  for (size_t i = 0; i < trace.count; ++i) {
    if (i % (1 << 16) == 0) StopIfAsked();
    const SnapshotEvent event = snapshot.events[trace.first + i];
    const Category category = sites.places[event.stack].category;
    const bool optimizer = category == Category::kOptimizer;
    if (optimizer && event.action == action) end = event.time;
    const bool works =
        event.action == SnapshotAction::kAlloc && !optimizer && category != Category::kUnknown;
    if (works && end) end_step();
  }
  if (end) end_step();
  return spans;
}

// An optimizer that allocates in its steps frees there and in zero_grad(): only of one that
// allocates nothing frees tell steps.
std::vector<StepSpan> StepsByStacks(const MemorySnapshot& snapshot, const Sites& sites,
                                    int64_t device) {
  const auto place = static_cast<size_t>(device);
  if (place >= snapshot.traces.size()) return {};
  const SnapshotTrace& trace = snapshot.traces[place];
  auto spans = StretchesBetween(snapshot, sites, trace, SnapshotAction::kAlloc);
  if (spans.empty())
    spans = StretchesBetween(snapshot, sites, trace, SnapshotAction::kFreeRequested);
  if (spans.size() + 1 < kFewestEnds) spans.clear();
  return spans;
}

class Follower {
 public:
  Follower(const MemorySnapshot& snapshot, const Sites& sites, const Replay& replay)
      : sites_(sites), requested_(replay.at_start), bytes_(snapshot.stacks.size()) {}

  void Take(const SnapshotEvent& event, StepMemory* step) {
    if (event.action == SnapshotAction::kAlloc) {
      requested_ += event.size;
      if (live_.size() < kMostLive) {
        auto& live = live_[event.address];
        bytes_[live.stack] -= live.size;
        live = {event.size, event.stack};
        bytes_[event.stack] += event.size;
      }
    } else if (event.action == SnapshotAction::kFreeCompleted) {
      requested_ -= event.size;
      const auto at = live_.find(event.address);
      if (at != live_.end()) {
        bytes_[at->second.stack] -= at->second.size;
        live_.erase(at);
      }
    }
    if (step == nullptr) return;
    step->peak = std::max(step->peak, requested_);
    if (event.action != SnapshotAction::kAlloc) return;
    ++step->allocations;
    step->allocated += event.size;
  }

  int64_t requested() const { return requested_; }

  void EndStep() {
    std::map<StringId, int64_t> now;
    for (StackId stack = 1; stack < bytes_.size(); ++stack)
      if (bytes_[stack] != 0) now[sites_.places[stack].site] += bytes_[stack];
    for (const auto& [site, bytes] : now) {
      auto& at_ends = at_ends_[site];
      at_ends.resize(ends_);
      at_ends.push_back(bytes);
    }
    ++ends_;
  }

  std::vector<Leak> Leaks(int64_t peak) {
    std::vector<Leak> leaks;
    if (ends_ < kFewestEnds) return leaks;
    for (auto& [site, at_ends] : at_ends_) {
      at_ends.resize(ends_);
      if (auto leak = LeakOf(at_ends, peak); leak && site != 0) {
        leak->site = site;
        leak->largest = LargestOf(site);
        leaks.push_back(*leak);
      }
    }
    std::ranges::stable_sort(leaks, std::ranges::greater{},
                             [](const Leak& leak) { return leak.last - leak.first; });
    return leaks;
  }

 private:
  struct Live {
    int64_t size = 0;
    StackId stack = 0;
  };

  static std::optional<Leak> LeakOf(const std::vector<int64_t>& at_ends, int64_t peak) {
    Leak leak{.first = at_ends.front(), .last = at_ends.back()};
    leak.steps = static_cast<int64_t>(at_ends.size()) - 1;
    const int64_t rise = leak.last - leak.first;
    if (rise <= 0) return std::nullopt;
    for (size_t i = 1; i < at_ends.size(); ++i) {
      const int64_t change = at_ends[i] - at_ends[i - 1];
      leak.grown += change > 0 ? 1 : 0;
      if (-change > rise / leak.steps || change > rise / 2) return std::nullopt;
    }
    const bool always = leak.grown == leak.steps && leak.steps >= kSurelyGrown;
    const bool much = rise >= peak / kLeastShare && 10 * leak.grown >= 9 * leak.steps;
    return always || much ? std::optional(leak) : std::nullopt;
  }

  StackId LargestOf(StringId site) const {
    StackId largest = 0;
    for (StackId stack = 1; stack < bytes_.size(); ++stack)
      if (sites_.places[stack].site == site && (largest == 0 || bytes_[stack] > bytes_[largest]))
        largest = stack;
    return largest;
  }

  const Sites& sites_;
  int64_t requested_;
  std::vector<int64_t> bytes_;  // that live, by stack
  boost::unordered_flat_map<uint64_t, Live> live_;
  std::map<StringId, std::vector<int64_t>> at_ends_;  // by site: live bytes after each step
  size_t ends_ = 0;
};

}  // namespace

std::vector<StepSpan> StepsOf(const MemorySnapshot& snapshot, const Sites& sites, int64_t device) {
  std::vector<StepSpan> spans = ProfilerSteps(snapshot);
  if (spans.empty()) spans = OptimizerSteps(snapshot);
  if (spans.empty()) spans = StepsByStacks(snapshot, sites, device);
  std::ranges::stable_sort(spans, {}, &StepSpan::start);
  return spans;
}

StepGrowth FollowSteps(const MemorySnapshot& snapshot, const Sites& sites, const Replay& replay,
                       const std::vector<StepSpan>& spans) {
  StepGrowth growth;
  const auto place = static_cast<size_t>(replay.device);
  if (!replay.possible || place >= snapshot.traces.size() || snapshot.traces[place].count == 0)
    return growth;
  const SnapshotTrace& trace = snapshot.traces[place];
  const int64_t first = snapshot.events[trace.first].time;
  const int64_t last = snapshot.events[trace.first + trace.count - 1].time;
  for (const StepSpan& span : spans)
    if (span.end >= first && span.start <= last && span.end >= span.start)
      growth.steps.push_back({.span = span});
  const size_t every = (growth.steps.size() + kMostEnds - 1) / kMostEnds;
  Follower follower(snapshot, sites, replay);
  size_t step = 0;
  bool begun = false;
  const auto end_step = [&] {
    growth.steps[step].at_end = follower.requested();
    if (step % every == 0) follower.EndStep();
    ++step;
    begun = false;
  };
  for (size_t i = 0; i < trace.count; ++i) {
    if (i % (1 << 16) == 0) StopIfAsked();
    const SnapshotEvent event = snapshot.events[trace.first + i];
    while (step < growth.steps.size() && growth.steps[step].span.end < event.time) end_step();
    const bool within = step < growth.steps.size() && growth.steps[step].span.start <= event.time;
    if (within && !std::exchange(begun, true)) growth.steps[step].peak = follower.requested();
    follower.Take(event, within ? &growth.steps[step] : nullptr);
  }
  while (step < growth.steps.size()) end_step();
  growth.leaks = follower.Leaks(replay.peak);
  growth.compared = growth.steps.size() >= kFewestEnds;
  return growth;
}

}  // namespace stepscope::memory
