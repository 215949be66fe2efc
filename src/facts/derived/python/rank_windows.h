// Windows of one rank, such as its steps since one, in which something takes longer or not.
#pragma once

#include "base/intervals.h"
#include "facts/facts.h"

namespace stepscope {

struct RankWindows {
  const RankActivity* rank = nullptr;
  IntervalSet windows;
};

}  // namespace stepscope
