// Wilcoxon's signed-rank test: whether paired differences are above 0 by more than chance.
//
// Differences that are above and below 0 alike have signs as coins fall; the sum of the ranks, by
// size, of those below 0 is then as that of randomly chosen ranks (Wilcoxon 1945). Unlike a count
// of signs it notices that those below 0 are small.
#pragma once

#include <vector>

namespace stepscope {

// The chance of a sum of ranks below 0 as small as that of `values`, or smaller; 1 without values.
// Exact for up to 50 of them, by a normal distribution beyond. Zeros count half to either side, as
// ranks of equal sizes are their mean. O(n log n), and n^3 for the exact one.
double ChanceToBeAbove(const std::vector<double>& values);

}  // namespace stepscope
