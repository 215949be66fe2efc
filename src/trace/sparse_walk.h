// Reads a sparse column of a trace along with the events, in order.
#pragma once

#include <optional>
#include <span>

#include "trace/trace.h"

namespace stepscope {

// At(e) for ascending e: constant time on average, where SparseColumn::Find() searches.
template <class T>
class SparseWalk {
 public:
  explicit SparseWalk(const SparseColumn<T>& column)
      : events_(column.events()), values_(column.values()) {}

  std::optional<T> At(EventId event) {
    while (at_ < events_.size() && events_[at_] < event) ++at_;
    if (at_ == events_.size() || events_[at_] != event) return std::nullopt;
    return values_[at_];
  }

 private:
  std::span<const EventId> events_;
  std::span<const T> values_;
  size_t at_ = 0;
};

}  // namespace stepscope
