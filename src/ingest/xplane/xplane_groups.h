// Which host events of an XPlane file belong to which step.
//
// Events of a thread form trees by nesting; what one thread hands to another, and an executor's
// work for a step, join the trees. Each root that marks a step gathers what is below it. The rules
// are the TensorFlow Profiler's ("group ids").
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/growing_array.h"
#include "trace/trace.h"

namespace stepscope {

inline constexpr EventId kNotKept = UINT32_MAX;

// A host event, as far as steps care. Those that only lie within others need not be told.
struct HostEvent {
  int64_t start = 0;  // ns
  int64_t end = 0;
  uint32_t line = 0;
  EventId kept = kNotKept;   // the event of the trace
  int32_t root_level = 0;    // 0: it says nothing of being a root
  int32_t legacy_level = 0;  // of a root by its name, for recordings whose roots do not say so
  bool of_pipeline = false;  // what is below it prepares input, though it may look like a step
};

using HostEventId = uint32_t;
inline constexpr int32_t kNoGroup = -1;

struct StepRoot {
  HostEventId event = 0;
  EventId kept = kNotKept;  // of the trace
  int64_t number = 0;       // unique
};

class HostGroups {
 public:
  HostEventId Add(const HostEvent& event);
  const HostEvent& operator[](HostEventId event) const { return events_[event]; }
  size_t size() const { return events_.size(); }

  // `event` hands something on, or takes it, under (type, id).
  void AddProducer(HostEventId event, int64_t type, int64_t id);
  void AddConsumer(HostEventId event, int64_t type, int64_t id);
  // What began at `start` launches the device work of that correlation id. It belongs to the event
  // around it, and is none itself: a large recording has as many as pieces of work. REQUIRES: the
  // launches of a line follow one another.
  void AddLaunch(uint32_t line, int64_t start, int64_t correlation);
  // `event` is work of an executor for iteration `number` of the loop with that id.
  void AddIteration(HostEventId event, int64_t loop, int64_t number) {
    iterations_.push_back({loop, number, event});
  }
  // The recording holds loops that are no steps: what executors count says nothing of steps then.
  void IgnoreIterations() { ignore_iterations_ = true; }
  // The number the event itself says, should it become a step.
  void SetNumber(HostEventId event, int64_t number) { numbers_[event] = number; }

  // To be called once, after all events, which are forgotten then.
  void Build();

  // After Build():
  const std::vector<StepRoot>& roots() const { return roots_; }
  // The number of the step that launched the work of that correlation id. -1: it was launched
  // outside all steps, or the launch was not recorded; `known` tells.
  // `near` is where to look first, and is moved on to behind what was found: work comes in about
  // the order in which it was launched.
  int64_t StepOfLaunch(int64_t correlation, bool& known, size_t& near) const;

 private:
  struct Key {
    int64_t type, id;
    auto operator<=>(const Key&) const = default;
  };
  struct Link {
    Key key;
    HostEventId event;
  };
  struct Launch {
    int64_t correlation;
    int64_t start;  // after Build(): its group
  };
  struct LaunchLine {
    uint32_t line;
    size_t first;  // of launches_
  };

  struct Iteration {
    int64_t loop, number;
    HostEventId event;
  };

  void Nest();
  std::vector<HostEventId> FirstOfIterations();
  void MarkPipelines();
  template <class LevelOf>
  std::vector<HostEventId> RootsBy(const LevelOf& level_of) const;
  void FindRoots();
  void Gather(HostEventId root, int32_t group);
  void GatherTree(uint32_t place, int32_t group, std::vector<HostEventId>& next);
  void Follow(const Key& key, std::vector<HostEventId>& next);
  void NumberRoots();
  void FindGroupsOfLaunches(uint32_t line, std::span<Launch> launches);
  void IndexLaunches();

  GrowingArray<HostEvent> events_;
  std::vector<HostEventId> order_;  // by line, then as a tree is walked: parents before children
  std::vector<uint32_t> place_;     // of each event in order_
  std::vector<uint32_t> tree_end_;  // by place: behind the last of its tree
  std::vector<bool> in_pipeline_;   // by event
  std::vector<int32_t> group_;      // by event
  std::vector<Link> producers_;     // by event
  std::vector<Link> consumers_;     // in Build() and after: by key
  std::vector<Key> produced_;       // in Build() and after: the keys of producers_, sorted
  std::vector<bool> followed_;      // by the first place of a key in consumers_
  std::unordered_map<HostEventId, int64_t> numbers_;
  std::vector<Iteration> iterations_;
  bool ignore_iterations_ = false;
  GrowingArray<Launch> launches_;  // after Build(): by correlation
  std::vector<LaunchLine> launch_lines_;
  std::vector<StepRoot> roots_;
};

}  // namespace stepscope
