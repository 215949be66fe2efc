// Which host events of an XPlane file belong to which step.
//
// Events of a thread form trees by nesting; what one thread hands to another, and an executor's
// work for a step, join the trees. Each root that marks a step gathers what is below it. The rules
// are the TensorFlow Profiler's ("group ids").
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

inline constexpr EventId kNotKept = UINT32_MAX;

// A host event, as far as steps care.
struct HostEvent {
  int64_t start = 0;  // ns
  int64_t end = 0;
  uint32_t line = 0;
  EventId kept = kNotKept;   // the event of the trace
  int32_t root_level = 0;    // 0: it says nothing of being a root
  int32_t legacy_level = 0;  // of a root by its name, for recordings whose roots do not say so
  bool of_pipeline = false;  // what is below it prepares input, though it may look like a step
  bool runs_alone = false;   // operators below it run by themselves, in no compiled function
};

using HostEventId = uint32_t;
inline constexpr int32_t kNoGroup = -1;

struct StepRoot {
  HostEventId event = 0;
  int64_t number = 0;  // unique
};

class HostGroups {
 public:
  HostEventId Add(const HostEvent& event);
  const HostEvent& operator[](HostEventId event) const { return events_[event]; }
  size_t size() const { return events_.size(); }

  // `event` hands something on, or takes it, under (type, id).
  void AddProducer(HostEventId event, int64_t type, int64_t id);
  void AddConsumer(HostEventId event, int64_t type, int64_t id);
  // `event` launches the device work of that correlation id.
  void AddLaunch(HostEventId event, int64_t correlation) {
    launches_.push_back({correlation, event});
  }
  // `event` is work of an executor for iteration `number` of the loop with that id.
  void AddIteration(HostEventId event, int64_t loop, int64_t number) {
    iterations_.push_back({loop, number, event});
  }
  // The number the event itself says, should it become a step.
  void SetNumber(HostEventId event, int64_t number) { numbers_[event] = number; }

  // To be called once, after all events.
  void Build();

  // After Build():
  const std::vector<StepRoot>& roots() const { return roots_; }
  bool RunsAlone(HostEventId event) const { return alone_[event]; }
  // The number of the step that launched the work of that correlation id. -1: it was launched
  // outside all steps, or the launch was not recorded; `known` tells.
  int64_t StepOfLaunch(int64_t correlation, bool& known) const;

 private:
  struct Link {
    std::vector<HostEventId> consumers;
    uint32_t producers = 0;
    bool followed = false;
  };
  struct Key {
    int64_t type, id;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      return static_cast<size_t>(static_cast<uint64_t>(key.id) * 0x9e3779b97f4a7c15u) ^
             static_cast<size_t>(key.type);
    }
  };
  struct Launch {
    int64_t correlation;
    HostEventId event;
  };

  struct Iteration {
    int64_t loop, number;
    HostEventId event;
  };

  void Nest();
  std::vector<HostEventId> FirstOfIterations();
  void MarkBelow(bool HostEvent::* flag, std::vector<bool>& marks) const;
  void FindRoots();
  void Gather(HostEventId root, int32_t group);
  void GatherTree(uint32_t place, int32_t group, std::vector<HostEventId>& next);
  void NumberRoots();
  void IndexLaunches();

  std::vector<HostEvent> events_;
  std::vector<HostEventId> order_;  // by line, then as a tree is walked: parents before children
  std::vector<uint32_t> place_;     // of each event in order_
  std::vector<uint32_t> tree_end_;  // by place: behind the last of its tree
  std::vector<bool> in_pipeline_, alone_;
  std::vector<int32_t> group_;  // by event
  std::unordered_map<Key, Link, Hash> links_;
  std::unordered_multimap<HostEventId, Key> produced_;
  std::unordered_map<HostEventId, int64_t> numbers_;
  std::vector<Iteration> iterations_;
  std::vector<Launch> launches_;  // after Build(): by correlation
  std::vector<StepRoot> roots_;
};

}  // namespace stepscope
