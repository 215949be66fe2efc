// Merges operators with the same callers, over all ranks and threads: the data of a flame
// graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

struct OperatorPath {
  std::string path;  // names from the outermost on, joined by ";"; a ";" in a name is "%3B"
  std::string name;  // the last of them
  int32_t depth = 0;
  int64_t count = 0;
  int64_t total = 0;   // ns on the host, with what it called
  int64_t self = 0;    // as SelfTimes()
  int64_t device = 0;  // ns of the activities launched by it and what it called
};

// Those that take a thousandth of all time of outermost operators or more, on the host or in work;
// what is smaller is one path "(smaller)" of its caller. Callers come before what they called, the
// largest first.
std::vector<OperatorPath> PathsOfOperators(const Facts& facts);

}  // namespace stepscope
