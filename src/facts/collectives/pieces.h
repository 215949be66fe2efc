// Matches the entries of two sequences that have no sequence numbers and were recorded in pieces,
// as by a profiler that takes one window behind another.
//
// Windows of two ranks begin and end some milliseconds apart, so at each border one of them has
// entries that the other lacks, and nothing tells how many. Pieces that ran at the same time are
// compared alone, where both recorded.
#pragma once

#include <span>

#include "facts/collectives/order_alignment.h"

namespace stepscope {

// As AlignOrder(), of entries by piece (OrderedEntry::piece). Which pieces ran at the same time,
// their clock says, or how far the ends of the first pieces that bear each other out are apart.
// Where neither does, the first piece is compared with the first, the second with the second.
// Linear in the lengths.
OrderAlignment AlignPieces(std::span<const OrderedEntry> reference,
                           std::span<const OrderedEntry> other, bool one_clock = false);

}  // namespace stepscope
