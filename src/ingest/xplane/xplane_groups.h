// Assigns host events of an XPlane file to steps.
//
// Events of a thread form trees by nesting; what one thread hands to another, and an executor's
// work for a step, join the trees. Each root that marks a step gathers what is below it. The rules
// are the TensorFlow Profiler's ("group ids").
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/growing_array.h"
#include "base/narrow_rows.h"
#include "trace/trace.h"

namespace stepscope {

inline constexpr EventId kNotKept = UINT32_MAX;

// What an event is for steps, beyond what it says of being a root.
enum class HostPart : uint8_t {
  kNone,
  kPipeline,  // what is below it prepares input, though it may look like a step
  kNumbered,  // it says the number of a step, and not that it is a root
  kCall,      // spans the run of a function, until its results are there
  kDispatch,  // hands a function to executors and may end long before they do
  kGradient,  // an operator that computes gradients: a function around it trains
};

// A host event, as far as steps care. Those that only lie within others need not be told.
struct HostEvent {
  int64_t start = 0;  // ns
  int64_t end = 0;
  uint32_t line = 0;
  EventId kept = kNotKept;   // the event of the trace
  int32_t root_level = 0;    // 0: it says nothing of being a root
  int32_t legacy_level = 0;  // of a root by its name, for recordings whose roots do not say so
  HostPart part = HostPart::kNone;
};

using HostEventId = uint32_t;
inline constexpr int32_t kUngrouped = -1;

struct StepRoot {
  HostEventId event = 0;
  EventId kept = kNotKept;  // of the trace
  int64_t number = 0;       // unique
  // Of a dispatch: the call around it, else until executors are done. Such a step needs a marker of
  // its own.
  bool derived = false;
  uint32_t line = 0;
  int64_t start = 0;  // ns
  int64_t end = 0;
};

// A call of a function that is no step.
struct FunctionCall {
  StringId function = kNoString;  // without what tells its traces apart
  bool trains = false;            // it computes gradients
  uint32_t line = 0;
  int64_t start = 0;  // ns
  int64_t end = 0;
};

class HostGroups {
 public:
  // REQUIRES: the events of a line follow one another.
  HostEventId Add(const HostEvent& event);
  HostEvent operator[](HostEventId event) const { return events_[event]; }
  size_t size() const { return events_.size(); }

  // `event` hands something on, or takes it, under (type, id). REQUIRES: it is the one added last.
  void AddProducer(HostEventId event, int64_t type, int64_t id);
  void AddConsumer(HostEventId event, int64_t type, int64_t id);
  // What began at `start` launches the device activity of that correlation id. It belongs to the
  // event around it, and is none itself: a large trace has as many as activities. REQUIRES: the
  // launches of a line follow one another.
  void AddLaunch(uint32_t line, int64_t start, int64_t correlation);
  // `event` is an executor's work for iteration `number` of the loop with that id.
  void AddIteration(HostEventId event, int64_t loop, int64_t number) {
    iterations_.Append({loop, number, event});
  }
  // Whether the event that was added last is such a part of this line.
  bool EndsWith(HostPart part, uint32_t line) const {
    if (events_.size() == 0) return false;
    const HostEvent last = events_[static_cast<HostEventId>(events_.size() - 1)];
    return last.part == part && last.line == line;
  }
  // The recording holds loops that are no steps: what executors count says nothing of steps then.
  void IgnoreIterations() { ignore_iterations_ = true; }
  // The function that a call is of: its name without what tells its traces apart, and with it. Of
  // several functions steps are the calls of the one that takes the most time, of those that
  // compute gradients where any does: of Keras, training and evaluation have one name.
  void SetFunction(HostEventId event, StringId function, StringId traced) {
    functions_[event] = {function, traced};
  }
  // The number the event itself says, should it become a step.
  void SetNumber(HostEventId event, int64_t number) { numbers_[event] = number; }

  // To be called once, after all events, which are forgotten then.
  void Build();

  // After Build():
  const std::vector<StepRoot>& roots() const { return roots_; }
  // Dispatches whose end is not known: no call is around them and no executor worked for them. They
  // are no steps.
  int64_t without_end() const { return without_end_; }
  // Where functions are known to compute gradients, the calls of all functions that are no steps.
  const std::vector<FunctionCall>& other_calls() const { return other_calls_; }
  // The number of the step that launched the activities of that correlation id. -1: it was launched
  // outside all steps, or the launch was not recorded; `known` tells.
  // `near` is where to look first, and is moved on to behind what was found: work comes in about
  // the order in which it was launched.
  int64_t StepOfLaunch(int64_t correlation, bool& known, size_t& near) const;

 private:
  struct Key {
    int64_t type, id;
    auto operator<=>(const Key&) const = default;
    std::pair<int64_t, int64_t> IdFirst() const { return {id, type}; }
  };
  // Ends of links: events, and the keys they share with the other ends.
  class Links {
   public:
    void Append(HostEventId event, const Key& key) { rows_.Append({event, key.type, key.id}); }
    size_t size() const { return rows_.size(); }
    HostEventId event(size_t i) const {
      return static_cast<HostEventId>(rows_[i].template Get<kEvent>());
    }
    Key key(size_t i) const {
      const auto row = rows_[i];
      return {row.template Get<kType>(), row.template Get<kId>()};
    }
    // The first link of `event` or of one behind it. REQUIRES: events ascend.
    size_t LowerBound(HostEventId event) const { return rows_.template LowerBound<kEvent>(event); }

   private:
    enum Column : size_t { kEvent, kType, kId, kColumns };
    NarrowRows<kColumns> rows_;
  };
  // Events, each in about 10 bytes: a large recording has millions that hand something on.
  class Events {
   public:
    void Append(const HostEvent& event) {
      rows_.Append({event.start, event.end - event.start, event.line, event.kept, event.root_level,
                    event.legacy_level, static_cast<int64_t>(event.part)});
    }
    size_t size() const { return rows_.size(); }
    [[gnu::always_inline]] HostEvent operator[](HostEventId event) const {
      const auto row = rows_[event];
      const int64_t start = row.template Get<kStart>();
      return {.start = start,
              .end = start + row.template Get<kDuration>(),
              .line = static_cast<uint32_t>(row.template Get<kLine>()),
              .kept = static_cast<EventId>(row.template Get<kKept>()),
              .root_level = static_cast<int32_t>(row.template Get<kRootLevel>()),
              .legacy_level = static_cast<int32_t>(row.template Get<kLegacyLevel>()),
              .part = static_cast<HostPart>(row.template Get<kPart>())};
    }

   private:
    enum Column : size_t {
      kStart,
      kDuration,
      kLine,
      kKept,
      kRootLevel,
      kLegacyLevel,
      kPart,
      kColumns
    };
    NarrowRows<kColumns> rows_;
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
  struct Function {
    StringId name = kNoString;    // without what tells its traces apart
    StringId traced = kNoString;  // with it
  };

  // Places are those of a walk through all trees, parents before children, line by line.
  HostEventId EventAt(uint32_t place) const { return order_.empty() ? place : order_[place]; }
  uint32_t PlaceOf(HostEventId event) const { return place_.empty() ? event : place_[event]; }
  size_t EndOfLine(size_t first) const;
  void SetOrder();
  void IndexConsumers();
  void CountGivers();
  size_t FirstLinkOf(HostEventId producer);
  size_t FirstTakerOf(const Key& key);
  void Nest();
  std::vector<HostEventId> FirstOfIterations();
  void MarkPipelines();
  template <class LevelOf>
  std::vector<HostEventId> RootsBy(const LevelOf& level_of) const;
  std::vector<HostEventId> Candidates();
  void FindCalls();
  HostEventId CallAround(HostEventId event) const;
  Function FunctionOf(HostEventId dispatch) const;
  std::set<StringId> FunctionsThatTrain(const std::vector<HostEventId>& candidates);
  StringId RarestInTurn(StringId largest, const std::vector<HostEventId>& candidates,
                        const std::set<StringId>& train) const;
  void KeepOneFunction(std::vector<HostEventId>& candidates);
  void FindRoots();
  void AddRoot(HostEventId event);
  void FindEnds();
  void DropWithoutEnd();
  void Gather(HostEventId root, int32_t group);
  void GatherTree(uint32_t place, int32_t group, std::vector<HostEventId>& next);
  void Follow(const Key& key, std::vector<HostEventId>& next);
  void NumberRoots();
  void FindGroupsOfLaunches(uint32_t line, std::span<Launch> launches);
  void IndexLaunches();

  Events events_;
  std::vector<HostEventId> order_;  // by place; empty where events were added in that order
  std::vector<uint32_t> place_;     // by event; empty as order_
  std::vector<uint32_t> tree_end_;  // by place: behind the last of its tree
  std::vector<bool> in_pipeline_;   // by event
  std::vector<int32_t> group_;      // by event
  Links producers_;                 // by event
  Links consumers_;                 // by event
  std::vector<uint32_t> takers_;    // in Build(): of consumers_, by key, then event
  std::vector<bool> followed_;      // by the first place of a key in takers_
  std::map<Key, size_t> givers_;    // in Build(): how many producers, of keys with many takers
  size_t near_link_ = 0;            // where FirstLinkOf() and FirstTakerOf() look first
  size_t near_taker_ = 0;
  std::unordered_map<HostEventId, int64_t> numbers_;
  std::unordered_map<HostEventId, Function> functions_;
  bool has_gradients_ = false;
  std::vector<FunctionCall> other_calls_;
  std::unordered_map<HostEventId, HostEventId> calls_;  // around each dispatch
  std::vector<bool> ended_;                             // by group: whether its end is known
  int64_t without_end_ = 0;
  GrowingArray<Iteration> iterations_;
  bool ignore_iterations_ = false;
  GrowingArray<Launch> launches_;  // after Build(): by correlation
  std::vector<LaunchLine> launch_lines_;
  std::vector<StepRoot> roots_;
};

}  // namespace stepscope
