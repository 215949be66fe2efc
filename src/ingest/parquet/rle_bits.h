// Reads Parquet's hybrid of run lengths and bit-packed numbers: levels, and indices of a
// dictionary.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

class RleBits {
 public:
  // Numbers of `width` bits, at most 32.
  RleBits(std::string_view bytes, int width) : rest_(bytes), width_(width) {}

  // The next number; false at the end of the bytes, or where they break off. A run of any length
  // costs no memory: how many numbers there should be is the caller's to know.
  bool Next(uint32_t& value);

 private:
  bool NextRun();
  uint32_t Unpack();

  std::string_view rest_;
  int width_;
  uint64_t left_ = 0;      // numbers left in the run
  bool packed_ = false;    // of it
  uint32_t repeated_ = 0;  // the number of a run that repeats one
  std::string_view bits_;  // of a packed run, from its first number on
  uint64_t bit_ = 0;       // where the next one begins
};

}  // namespace stepscope
