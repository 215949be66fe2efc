// Which numbers of a writer were seen, as ranges: what comes in order costs the same memory however
// much it is, and so does what begins in the middle.
#pragma once

#include <cstdint>
#include <map>

namespace stepscope::goodput {

class Sequences {
 public:
  // Whether the number was new; then it is seen. REQUIRES: it is not the largest there is.
  bool Insert(int64_t number);

  // All from 0 to below the number are seen. REQUIRES: none was before.
  void InsertBelow(int64_t number) {
    if (number > 0) ranges_.emplace(0, number);
  }

  bool Contains(int64_t number) const;

  // How many from 0 to the largest that was seen were not.
  int64_t Missing() const;

  // First to behind the last, in order; no two touch.
  const std::map<int64_t, int64_t>& ranges() const { return ranges_; }

 private:
  std::map<int64_t, int64_t> ranges_;
};

}  // namespace stepscope::goodput
