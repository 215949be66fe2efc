// Encodes numbers and texts as bytes for stored states: integers as varints. Readers check ok() at
// the end; missing values read as 0.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/varint.h"

namespace stepscope::goodput {

class StateWriter {
 public:
  void Unsigned(uint64_t value) { AppendVarint(bytes_, value); }
  // Zigzag encoding: small numbers of either sign are short.
  void Signed(int64_t value) {
    const auto bits = static_cast<uint64_t>(value);
    Unsigned(bits << 1 ^ (value < 0 ? ~uint64_t{0} : 0));
  }
  void Real(double value) { Unsigned(std::bit_cast<uint64_t>(value)); }
  void Text(std::string_view text) {
    Unsigned(text.size());
    bytes_ += text;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : bytes_(bytes) {}

  uint64_t Unsigned() {
    uint64_t value = 0;
    if (ok_) ok_ = TakeVarint(bytes_, value);
    return ok_ ? value : 0;
  }
  int64_t Signed() {
    const uint64_t bits = Unsigned();
    return static_cast<int64_t>(bits >> 1 ^ (~(bits & 1) + 1));
  }
  double Real() { return std::bit_cast<double>(Unsigned()); }
  std::string Text() { return std::string(Bytes()); }
  std::string_view Bytes() {
    const uint64_t size = Unsigned();
    if (size > bytes_.size()) ok_ = false;
    const std::string_view text = bytes_.substr(0, ok_ ? size : 0);
    bytes_.remove_prefix(text.size());
    return text;
  }
  // The count of items that follow, each of at least one byte.
  size_t Count() {
    const uint64_t count = Unsigned();
    if (count > bytes_.size()) ok_ = false;
    return ok_ ? count : 0;
  }
  bool ok() const { return ok_; }
  std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace stepscope::goodput
