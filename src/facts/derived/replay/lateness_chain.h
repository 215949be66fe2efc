// Follows one example of lateness back to its origin, over the collectives and messages in which
// ranks waited for one another.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "facts/derived/replay/origins.h"

namespace stepscope {

// A rank on the way: first the origin, last the one that others waited for in the end.
struct ChainLink {
  int64_t rank = 0;  // its number
  int64_t step = 0;
  bool has_step = false;
  // What held it up: of the origin what takes longer there, of others the collective or message in
  // which it waited for the link before.
  StringId event = kNoString;
  int64_t time = 0;    // ns, when that had ended, on the rank's own clock
  int64_t waited = 0;  // ns, of others: how long it waited in the event
};

// To the collective that would wait least without the origin, of those in which another rank came
// last; or else of all. Empty: no wait leads to the origin. Linear in the path.
std::vector<ChainLink> ChainFrom(const Facts& facts, const Origin& origin);

}  // namespace stepscope
