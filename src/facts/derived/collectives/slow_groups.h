// Finds process groups whose collectives take longer than the same of groups like them.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

// What is told of one operation and size, that in which the group loses most.
struct SlowGroup {
  uint32_t group = 0;  // index into CollectiveFacts::groups
  CollectiveOp op = CollectiveOp::kOther;
  StringId operation = kNoString;
  int64_t bytes = -1;
  int64_t count = 0;            // its collectives
  int64_t time = 0, usual = 0;  // ns: the median of them, and that of the groups like it
  size_t others = 0;            // how many these are
  int64_t exposed =
      0;  // ns of a member, the mean: what nothing would hide if each were as fast as usual

  double Ratio() const { return static_cast<double>(time) / static_cast<double>(usual); }
};

// The time of a collective is the shortest over its members, that of the last to arrive: waiting
// for others is no part of it. Groups are alike which have as many members, all recorded, one
// description, and three or more collectives of the same operation and size. One is slow whose
// median is more than a tenth above that of at least three others, and beyond what these differ by;
// none where more than a quarter of them are. The slowest first.
std::vector<SlowGroup> SlowGroupsOf(const Facts& facts);

}  // namespace stepscope
