// Ends a fuzz target where something does not hold.
#pragma once

#include <cstdlib>

namespace stepscope {

inline void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace stepscope
