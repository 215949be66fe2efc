// Inserts numbers into ranges and joins adjacent ones.
#include "goodput/events/sequences.h"

#include <algorithm>
#include <iterator>

namespace stepscope::goodput {

bool Sequences::Insert(int64_t number) {
  auto after = ranges_.end();
  // Nearly always the number follows the last one.
  if (ranges_.empty() || number < std::prev(after)->second) after = ranges_.upper_bound(number);
  if (after != ranges_.begin()) {
    const auto before = std::prev(after);
    if (number < before->second) return false;
    if (number == before->second) {
      ++before->second;
      if (after != ranges_.end() && after->first == before->second) {
        before->second = after->second;
        ranges_.erase(after);
      }
      return true;
    }
  }
  int64_t end = number + 1;
  if (after != ranges_.end() && after->first == end) {
    end = after->second;
    after = ranges_.erase(after);
  }
  ranges_.emplace_hint(after, number, end);
  return true;
}

void Sequences::InsertRange(int64_t first, int64_t end) {
  if (first >= end) return;
  auto at = ranges_.upper_bound(first);
  if (at != ranges_.begin() && std::prev(at)->second >= first) --at;
  while (at != ranges_.end() && at->first <= end) {
    first = std::min(first, at->first);
    end = std::max(end, at->second);
    at = ranges_.erase(at);
  }
  ranges_.emplace_hint(at, first, end);
}

bool Sequences::Contains(int64_t number) const {
  if (ranges_.empty() || number >= ranges_.rbegin()->second) return false;
  const auto after = ranges_.upper_bound(number);
  return after != ranges_.begin() && number < std::prev(after)->second;
}

int64_t Sequences::Missing() const {
  int64_t missing = 0, before = 0;
  for (const auto& [first, end] : ranges_) {
    missing += std::max<int64_t>(0, first - before);
    before = end;
  }
  return missing;
}

int64_t Sequences::MissingIn(int64_t first, int64_t end) const {
  int64_t missing = std::max<int64_t>(0, end - first);
  auto at = ranges_.upper_bound(first);
  if (at != ranges_.begin()) --at;
  for (; at != ranges_.end() && at->first < end; ++at) {
    missing -= std::max<int64_t>(0, std::min(end, at->second) - std::max(first, at->first));
  }
  return missing;
}

}  // namespace stepscope::goodput
