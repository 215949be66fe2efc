// Counts what a name takes once where its ranges lie within one another, as where a function calls
// itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "base/intervals.h"
#include "base/string_table.h"

namespace stepscope {

// Of ranges of one thread by when they begin: what each adds to those of its name before, once
// where a function calls itself. `Until`: a map from the key of a name to int64_t.
template <class Until = std::unordered_map<StringId, int64_t>>
class CountedOnce {
 public:
  // Nothing is left: it ends where it starts.
  Interval Rest(const typename Until::key_type& name, int64_t start, int64_t end) {
    int64_t& counted = until_.try_emplace(name, INT64_MIN).first->second;
    const Interval rest{std::min(std::max(start, counted), end), end};
    counted = std::max(counted, end);
    return rest;
  }

 private:
  Until until_;
};

}  // namespace stepscope
