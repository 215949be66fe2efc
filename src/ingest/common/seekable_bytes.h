// Reads an input at any offset, for formats whose beginning is explained by later parts, and for
// databases.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/byte_source.h"

namespace stepscope {

class SeekableBytes {
 public:
  // What is compressed or comes through a pipe is read into memory as a whole; other files are read
  // in parts as they are asked for. REQUIRES: nothing was taken from `source` yet.
  explicit SeekableBytes(ByteSource source);

  uint64_t size() const { return size_; }
  // How compressed data ended; kClean for what is not compressed.
  InputEnd end() const { return end_; }
  // Fills `out` from `offset` on; fewer bytes at the end, or where the system cannot read on.
  size_t ReadAt(uint64_t offset, std::span<char> out);

 private:
  ByteSource source_;
  std::string held_;  // all of it, if `source_` cannot seek
  uint64_t size_ = 0;
  InputEnd end_ = InputEnd::kClean;
};

}  // namespace stepscope
