// Which numbers of a writer were seen, as ranges: what comes in order costs the same memory however
// much it is, and so does what begins in the middle.
#pragma once

#include <cstdint>
#include <map>

namespace stepscope::goodput {

class Sequences {
 public:
  // Whether the number was new; then it is seen.
  bool Insert(int64_t number);

  bool Contains(int64_t number) const;

 private:
  std::map<int64_t, int64_t> ranges_;  // first to behind the last; no two touch
};

}  // namespace stepscope::goodput
