// Matches the entries of two sequences that have no sequence numbers.
//
// Profilers of two ranks do not start at the same collective, so one sequence may be some entries
// ahead of the other. Labels (operation and size) narrow that down; where they repeat, the ends
// decide: ranks leave a collective together, so the right pairing is the one whose ends differ by
// the same amount, the offset of the clocks, every time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stepscope {

struct OrderedEntry {
  uint64_t label = 0;
  int64_t end = 0;       // ns, on its own rank's clock
  int64_t duration = 0;  // ns
  int64_t step = -1;     // number; -1: in none
  uint32_t piece = 0;    // which recording of its rank; looked at by AlignPieces() alone
};

inline constexpr int64_t kUnpaired = -1;

struct OrderAlignment {
  // For each entry of `other` the index of its partner in `reference`, or kUnpaired. Of one label
  // ascending; of all, too, but for two neighbours that began in the other order, unless labels
  // were aligned one by one.
  std::vector<int64_t> partner;
  // Whether the ends bear the pairing out: they differ by an offset that hardly changes. False
  // also when there are too few pairs to tell.
  bool confirmed = false;
  // Of the pairs that are the same operation and size: how many, how far their ends are from that
  // offset, and how long the shorter of a pair takes; medians in ns.
  int64_t agreeing = 0, apart = 0, duration = 0;
};

// First partners are sought in the same step, where the ends bear that out, or where they run at
// the same time as the clocks are. Where no alignment of all is confirmed, each label is aligned
// alone: one sequence may lack the entries of one thread. Linear in the lengths: else it looks at
// most kMostShift entries ahead or back. `one_clock`: both are on one clock, so that partners end
// at the same time, and one pair is enough to tell.
inline constexpr int64_t kMostShift = 64;
OrderAlignment AlignOrder(std::span<const OrderedEntry> reference,
                          std::span<const OrderedEntry> other, bool one_clock = false);

// Fills in what `alignment.partner` says of the ends: `confirmed`, `agreeing`, `apart`, `duration`.
void ConfirmByEnds(std::span<const OrderedEntry> reference, std::span<const OrderedEntry> other,
                   bool one_clock, OrderAlignment& alignment);

}  // namespace stepscope
