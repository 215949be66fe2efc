// Finds the innermost of nested intervals around each of ascending moments.
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
    for (; next_ < last; ++next_) {
      const auto& interval = get(next_);
      if (interval.start > time) break;
      Leave(interval.start);
      open_.push_back({static_cast<int32_t>(next_), interval.end});
    }
    Leave(time);
    return open_.empty() ? -1 : open_.back().index;
  }

 private:
  struct Open {
    int32_t index;
    int64_t end;
  };

  void Leave(int64_t time) {
    while (!open_.empty() && open_.back().end <= time) open_.pop_back();
  }

  size_t next_;
  std::vector<Open> open_;
};

}  // namespace stepscope
