// Reads a sparse column of a trace in step with the events.
#pragma once

#include <optional>

#include "trace/trace.h"

namespace stepscope {

// At(e) for ascending e: constant time on average, where SparseColumn::Find() searches.
template <class T>
class SparseWalk {
 public:
  explicit SparseWalk(const SparseColumn<T>& column) : column_(&column) { GoTo(0); }

  [[gnu::always_inline]] std::optional<T> At(EventId event) {
    return event < next_ ? std::nullopt : Reach(event);  // most events lack most fields
  }

 private:
  std::optional<T> Reach(EventId event) {
    while (next_ < event && at_ < column_->size()) GoTo(at_ + 1);
    if (next_ != event || at_ == column_->size()) return std::nullopt;
    return column_->value(at_);
  }
  void GoTo(size_t at) {
    at_ = at;
    next_ = at < column_->size() ? column_->event(at) : UINT32_MAX;
  }

  const SparseColumn<T>* column_;
  size_t at_ = 0;
  EventId next_ = 0;  // the event at at_
};

}  // namespace stepscope
