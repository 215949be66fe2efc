// Selects events by kind and step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/recorded.h"
#include "stepscope/events.h"
#include "trace/sparse_walk.h"
#include "trace/vocabulary.h"

namespace stepscope {

// The kinds of these names, or all. Fails for an unknown name, with the nearest.
Result<KindSet> KindsOf(const std::vector<std::string>& names);

// The steps that a filter is for.
class WantedSteps {
 public:
  explicit WantedSteps(const EventFilter& filter);

  // Whether steps matter.
  bool any() const { return any_; }
  // REQUIRES: any().
  bool Has(std::optional<int64_t> step) const {
    return step && (!one_ || step == one_) &&
           (!several_ || std::binary_search(several_->begin(), several_->end(), *step));
  }

 private:
  bool any_;
  std::optional<int64_t> one_;
  std::optional<std::vector<int64_t>> several_;  // ascending
};

// What an event's step is asked of: needed once for all columns.
class StepsOfEvents {
 public:
  // `launches`: LaunchesOf() of the file. Both must outlive it.
  StepsOfEvents(const RecordedFile& file, const std::vector<uint32_t>& launches,
                const StepsAt& steps);

  // The number of the step that the event is in. REQUIRES: ascending events.
  std::optional<int64_t> At(EventId event);

 private:
  const Trace& trace_;
  const std::vector<uint32_t>& launches_;
  const StepsAt& steps_;
  SparseWalk<int64_t> said_;
};

}  // namespace stepscope
