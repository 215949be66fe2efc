// A protocol buffer too large to be held: its fields are found without reading what is in them, and
// messages within are looked at through a window of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/proto_reader.h"
#include "base/seekable_bytes.h"

namespace stepscope {

// A stretch of the file.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
};

struct ProtoField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;  // of a varint
  ByteRange bytes;     // of kBytes: where they are
};

class ProtoFile {
 public:
  explicit ProtoFile(SeekableBytes bytes) : bytes_(std::move(bytes)) {}

  uint64_t size() const { return bytes_.size(); }
  InputEnd end() const { return bytes_.end(); }

  // The field at the beginning of `message`, which is shortened by it. None at the end of the
  // message, or where it is no message or is cut short: then `message` is left with its rest.
  std::optional<ProtoField> Next(ByteRange& message);

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
