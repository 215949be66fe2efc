// Writes protocol buffers' wire format: the few parts of it that writing needs.
// https://protobuf.dev/programming-guides/encoding/
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

class ProtoWriter {
 public:
  // Appends to `out`, which must outlive the writer.
  explicit ProtoWriter(std::string& out) : out_(out) {}

  void Varint(uint32_t field, uint64_t value) {
    Tag(field, 0);
    Raw(value);
  }
  void Fixed64(uint32_t field, uint64_t value) {
    Tag(field, 1);
    for (int shift = 0; shift < 64; shift += 8) out_ += static_cast<char>(value >> shift & 0xff);
  }
  void Double(uint32_t field, double value) { Fixed64(field, std::bit_cast<uint64_t>(value)); }
  void Float(uint32_t field, float value) {
    Tag(field, 5);
    const auto bits = std::bit_cast<uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) out_ += static_cast<char>(bits >> shift & 0xff);
  }
  void Text(uint32_t field, std::string_view text) {
    Tag(field, 2);
    Raw(text.size());
    out_ += text;
  }
  // A message within: what `write()` appends to the same writer, less than 256 MB.
  template <class Write>
  void Message(uint32_t field, const Write& write) {
    Tag(field, 2);
    const size_t length_at = out_.size();
    out_.append(kLengthBytes, '\0');
    write();
    size_t length = out_.size() - length_at - kLengthBytes;
    for (size_t i = 0; i < kLengthBytes; ++i, length >>= 7) {
      const bool more = i + 1 < kLengthBytes;  // a longer form than needed is as good
      out_[length_at + i] = static_cast<char>((length & 0x7f) | (more ? 0x80 : 0));
    }
  }

 private:
  static constexpr size_t kLengthBytes = 4;

  void Tag(uint32_t field, uint32_t wire_type) { Raw(uint64_t{field} << 3 | wire_type); }
  void Raw(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
    out_ += static_cast<char>(value);
  }

  std::string& out_;
};

}  // namespace stepscope
