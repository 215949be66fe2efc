// Finds which process groups collectives without names belong to, where the recordings list the
// groups of each rank.
//
// Each rank has orders of collectives, one per group that it used, and says which groups it is in.
// An order is of a group where every recorded member has one with the same operations and sizes
// that ended at the same times. Of groups that fit, those whose ends are closest come first; of
// about equally close ones the largest, since a part of a group fits as well as the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "facts/collectives/order_alignment.h"

namespace stepscope {

struct ListedOrder {
  int64_t rank = 0;
  size_t size = 0;                                            // collectives
  const std::vector<std::vector<int64_t>>* groups = nullptr;  // members of each of the rank's
};

struct ListedGroup {
  std::vector<int64_t> members;           // recorded or not, ascending
  std::vector<size_t> orders;             // of its recorded members; the first is the reference
  std::vector<OrderAlignment> alignment;  // of each with the reference; of the first it is empty
};

using AlignTwo = std::function<OrderAlignment(size_t reference, size_t other)>;

// Groups with at least one recorded member. Orders that fit no group are in none. An order of whose
// possible groups just one has no other recorded member is of that group. `recorded`: the ranks,
// ascending.
std::vector<ListedGroup> FindListedGroups(std::span<const ListedOrder> orders,
                                          std::span<const int64_t> recorded, const AlignTwo& align);

}  // namespace stepscope
