// Assigns rows: by a linear search while there are few, else by a tree.
#include "timeline/rows.h"

#include <algorithm>
#include <limits>

namespace stepscope {
namespace {

constexpr uint32_t kFew = 24;  // rows that are looked at one by one
constexpr uint32_t kNone = UINT32_MAX;
constexpr int64_t kFree = std::numeric_limits<int64_t>::min();

}  // namespace

RowAssigner::RowAssigner() : tree_(2 * kMostRows, Node{kFree, kFree}) {}

// The last row whose event lasts until `end` or longer, or kNone.
uint32_t RowAssigner::LastAtLeast(int64_t end) const {
  if (rows_ <= kFew) {
    for (uint32_t row = rows_; row-- > 0;) {
      if (tree_[kMostRows + row].greatest >= end) return row;
    }
    return kNone;
  }
  if (tree_[1].greatest < end) return kNone;
  uint32_t node = 1;
  while (node < kMostRows) node = 2 * node + (tree_[2 * node + 1].greatest >= end ? 1 : 0);
  return node - kMostRows;
}

// The first row from `row` on whose event has ended by `start`, or kNone.
uint32_t RowAssigner::FirstFreeFrom(uint32_t row, int64_t start) const {
  if (row >= kMostRows) return kNone;
  for (uint32_t near = row; near < std::min(row + kFew, kMostRows); ++near) {
    if (tree_[kMostRows + near].least <= start) return near;
  }
  uint32_t node = kMostRows + row;
  while (tree_[node].least > start) {
    while (node % 2 == 1) node /= 2;  // up, as long as it is a right child
    if (node == 0) return kNone;
    ++node;
  }
  while (node < kMostRows) node = 2 * node + (tree_[2 * node].least <= start ? 0 : 1);
  return node - kMostRows;
}

bool RowAssigner::Join(uint32_t node) {
  const Node &left = tree_[2 * node], &right = tree_[2 * node + 1];
  const Node both = {std::min(left.least, right.least), std::max(left.greatest, right.greatest)};
  const bool changed = both.least != tree_[node].least || both.greatest != tree_[node].greatest;
  tree_[node] = both;
  return changed;
}

void RowAssigner::Set(uint32_t row, int64_t end) {
  const bool were_few = rows_ < kFew;
  rows_ = std::max(rows_, row + 1);
  tree_[kMostRows + row] = {end, end};
  if (rows_ < kFew) return;  // leaves alone are looked at
  if (were_few) {
    for (uint32_t node = kMostRows; --node > 0;) Join(node);
  } else {
    for (uint32_t node = (kMostRows + row) / 2; node > 0 && Join(node); node /= 2) continue;
  }
}

uint32_t RowAssigner::Place(int64_t start, int64_t end) {
  // What has ended when it begins is not around it, be it as short as a moment.
  const uint32_t around = LastAtLeast(std::max(end, start + 1));
  uint32_t row = FirstFreeFrom(around == kNone ? 0 : around + 1, start);
  const bool crowded = row == kNone;
  if (crowded) row = kMostRows - 1;
  Set(row, crowded ? std::max(end, tree_[kMostRows + row].least) : end);
  return row;
}

}  // namespace stepscope
