// Reads a protocol buffer larger than memory: finds its fields without reading their contents, and
// reads nested messages through a window of the file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/proto.h"
#include "ingest/common/seekable_bytes.h"

namespace stepscope {

// A stretch of the file.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
};

struct ProtoField {
  uint32_t number = 0;
  WireType type = WireType::varint;
  uint64_t value = 0;  // of a varint
  ByteRange bytes;     // of length_delimited: where they are
};

class ProtoFile {
 public:
  explicit ProtoFile(SeekableBytes bytes) : bytes_(std::move(bytes)) {}

  uint64_t size() const { return bytes_.size(); }
  InputEnd end() const { return bytes_.end(); }

  // The field at the beginning of `message`, which is shortened by it. None at the end of the
  // message, or where it is no message or is cut short: then `message` is left with its rest.
  std::optional<ProtoField> Next(ByteRange& message);

  // As Next() and View() of a field that is bytes, for what comes by the million: none also where
  // the next field is of another number, or is not in the window as a whole. REQUIRES: number < 16.
  std::optional<std::string_view> NextHeld(ByteRange& message, uint32_t number) {
    constexpr size_t kHeader = 3;  // a tag, and a length of up to two bytes
    const uint64_t at = message.begin - window_begin_;
    if (at >= window_size_ || window_size_ - at < kHeader) return std::nullopt;
    const char* field = window_.data() + at;
    const auto byte = [field](size_t i) { return static_cast<unsigned char>(field[i]); };
    if (byte(0) != (number << 3 | static_cast<uint32_t>(WireType::length_delimited)))
      return std::nullopt;
    const bool is_short = byte(1) < 0x80;
    if (!is_short && byte(2) >= 0x80) return std::nullopt;
    const size_t header = is_short ? kHeader - 1 : kHeader;
    const size_t length = is_short ? byte(1) : (byte(1) & 0x7fU) | size_t{byte(2)} << 7;
    if (header + length > std::min(window_size_ - at, message.size())) return std::nullopt;
    message.begin += header + length;
    return std::string_view(field + header, length);
  }

  // The bytes of a stretch, valid until the next call of anything here. None where the file cannot
  // be read, or the stretch is longer than kLongestView.
  std::optional<std::string_view> View(ByteRange range);
  static constexpr uint64_t kLongestView = uint64_t{256} << 20;

 private:
  bool Hold(uint64_t begin, size_t size);
  std::string_view Held(uint64_t begin) const;

  SeekableBytes bytes_;
  std::vector<char> window_;
  uint64_t window_begin_ = 0;
  size_t window_size_ = 0;
};

}  // namespace stepscope
