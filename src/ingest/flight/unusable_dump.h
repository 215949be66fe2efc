// Defines a dump that is there and tells nothing of its rank.
#pragma once

#include <cstdint>

#include "stepscope/phrase.h"

namespace stepscope {

struct UnusableDump {
  int64_t rank = -1;
  Phrase why;  // "its dump is empty"
  bool empty = false;
};

}  // namespace stepscope
