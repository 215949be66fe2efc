// The innermost of nested intervals around each of ascending moments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stepscope {

// Walks intervals that are sorted by start, then the longer first. An interval holds its start, not
// its end.
class Innermost {
 public:
  explicit Innermost(size_t first = 0) : next_(first) {}

  // The index of the innermost interval around `time`, or -1. `get(i)` is the i-th, with `start`
  // and `end`; there are intervals up to `last`. REQUIRES: times ascend from call to call.
  template <class Get>
  int32_t At(int64_t time, size_t last, const Get& get) {
    for (; next_ < last && get(next_).start <= time; ++next_) {
      Leave(get(next_).start, get);
      open_.push_back(static_cast<int32_t>(next_));
    }
    Leave(time, get);
    return open_.empty() ? -1 : open_.back();
  }

 private:
  template <class Get>
  void Leave(int64_t time, const Get& get) {
    while (!open_.empty() && get(static_cast<size_t>(open_.back())).end <= time) open_.pop_back();
  }

  size_t next_;
  std::vector<int32_t> open_;
};

}  // namespace stepscope
