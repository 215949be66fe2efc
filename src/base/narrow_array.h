// Stores a growing array of integers that are close to their neighbors, such as the times and names
// of events: append, index. It takes 2 to 4 bytes for a time of 8; see base/narrow_rows.h.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "base/narrow_rows.h"

namespace stepscope {

template <std::integral T>
class NarrowArray {
 public:
  void Append(T value) { rows_.Append({static_cast<int64_t>(value)}); }

  size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  size_t bytes() const { return rows_.bytes(); }
  [[gnu::always_inline]] T operator[](size_t i) const {
    return static_cast<T>(rows_[i].template Get<0>());
  }
  // REQUIRES: !empty()
  T back() const { return (*this)[size() - 1]; }
  // The first i with (*this)[i] >= value, else size(). REQUIRES: the numbers ascend.
  size_t LowerBound(T value) const {
    return rows_.template LowerBound<0>(static_cast<int64_t>(value));
  }
  // As GrowingArray::Release().
  void Release(size_t count) { rows_.Release(count); }

 private:
  NarrowRows<1> rows_;
};

}  // namespace stepscope
