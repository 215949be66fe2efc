// Stores which sequence numbers of a writer were seen, as ranges; memory grows only with gaps.
#pragma once

#include <cstdint>
#include <map>

namespace stepscope::goodput {

class Sequences {
 public:
  // Marks the number as seen; true if it was new. REQUIRES: number < INT64_MAX.
  bool Insert(int64_t number);

  // Marks those from `first` to below `end`.
  void InsertRange(int64_t first, int64_t end);

  // Marks all from 0 to below the number as seen. REQUIRES: none was before.
  void InsertBelow(int64_t number) {
    if (number > 0) ranges_.emplace(0, number);
  }

  bool Contains(int64_t number) const;

  // The number after the largest seen.
  int64_t End() const { return ranges_.empty() ? 0 : ranges_.rbegin()->second; }

  // Count of unseen numbers from 0 to the largest seen.
  int64_t Missing() const;

  // Count of unseen numbers from `first` to below `end`.
  int64_t MissingIn(int64_t first, int64_t end) const;

  // [first, end) ranges in order; no two touch.
  const std::map<int64_t, int64_t>& ranges() const { return ranges_; }

 private:
  std::map<int64_t, int64_t> ranges_;
};

}  // namespace stepscope::goodput
