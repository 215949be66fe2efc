// Reads Parquet's DELTA_BINARY_PACKED: differences of whole numbers, in blocks.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

class DeltaBits {
 public:
  explicit DeltaBits(std::string_view bytes) : rest_(bytes) {}

  // The next number; false at the end of the bytes, where they break off, or where a block says
  // what none can be. Memory is none, whatever they claim.
  bool Next(int64_t& value);

 private:
  bool Begin();
  bool NextBlock();
  bool NextMiniBlock();
  bool Unpack(uint64_t& over);

  std::string_view rest_;
  bool begun_ = false;
  bool first_ = true;
  uint64_t block_ = 0, mini_blocks_ = 0;  // numbers of a block, and its parts
  uint64_t left_ = 0;                     // numbers that are still to come
  uint64_t value_ = 0;                    // the last one
  uint64_t least_ = 0;                    // of the block's differences
  std::string_view widths_;               // of the block's parts that are still to come
  std::string_view packed_;               // the current part
  uint64_t left_in_part_ = 0;
  uint64_t bit_ = 0;
  unsigned width_ = 0;
};

}  // namespace stepscope
