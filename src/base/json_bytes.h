// The bytes of a source, window by window, as nlohmann's parser takes them.
#pragma once

#include <cstddef>
#include <iterator>
#include <string>

#include "base/byte_source.h"
#include "base/stop.h"

namespace stepscope {

class JsonBytes {
 public:
  // The source must outlive it.
  explicit JsonBytes(ByteSource& source) : source_(source), window_(size_t{64} << 10, '\0') {
    Fill();
  }
  bool AtEnd() const { return at_ == filled_; }
  char Here() const { return window_[at_]; }  // REQUIRES: !AtEnd()
  void Go() {
    if (++at_ == filled_) Fill();
  }

 private:
  void Fill() {
    StopIfAsked();
    filled_ = source_.Read(window_);
    at_ = 0;
  }
  ByteSource& source_;
  std::string window_;
  size_t at_ = 0, filled_ = 0;
};

struct JsonByteIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  JsonBytes* bytes = nullptr;  // null: the end
  char operator*() const { return bytes->Here(); }
  JsonByteIterator& operator++() {
    bytes->Go();
    return *this;
  }
  void operator++(int) { bytes->Go(); }
  bool operator==(const JsonByteIterator& other) const {
    return (bytes == nullptr || bytes->AtEnd()) == (other.bytes == nullptr || other.bytes->AtEnd());
  }
  bool operator!=(const JsonByteIterator& other) const { return !(*this == other); }
};

}  // namespace stepscope
