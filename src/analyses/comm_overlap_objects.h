// Finds collectives of Python objects, which pickle on the host and send sizes and bytes.
#pragma once

#include <cstdint>
#include <string>

#include "facts/facts.h"

namespace stepscope {

struct ObjectCollectives {
  int64_t time = 0;  // ns of communication, of all ranks: what their functions start, where these
                     // were recorded, else gathered bytes, each after one of a few integers
  std::string name;  // of the function with the most time; empty: not recorded
};
ObjectCollectives FindObjectCollectives(const Facts& facts);

}  // namespace stepscope
