// Stores numbers one after the other, small ones in few bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stepscope::goodput {

class ShortNumbers {
 public:
  void Put(uint64_t number);
  // As few bytes as a number near 0, above or below.
  void PutSigned(int64_t number);

  // The number at a byte where one begins, which becomes that of the next.
  uint64_t Take(size_t& at) const;
  int64_t TakeSigned(size_t& at) const;

  size_t bytes() const { return bytes_.size(); }
  size_t reserved() const { return bytes_.capacity(); }
  // Gives back what is reserved for more.
  void Fit() { bytes_.shrink_to_fit(); }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace stepscope::goodput
