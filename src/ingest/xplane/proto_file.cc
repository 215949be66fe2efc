// Finds the fields of a message in a file, through a window.
#include "ingest/xplane/proto_file.h"

#include <algorithm>

namespace stepscope {
namespace {

constexpr size_t kWindow = size_t{1} << 20;
constexpr size_t kAfterJump = size_t{16} << 10;  // what was jumped to may be jumped on from
constexpr size_t kLongestHeader = 20;            // two varints

}  // namespace

// Makes the window hold [begin, begin + size), or what of it the file has; false if nothing.
bool ProtoFile::Hold(uint64_t begin, size_t size) {
  if (begin >= window_begin_ && begin + size <= window_begin_ + window_size_) return true;
  const uint64_t left = bytes_.size() > begin ? bytes_.size() - begin : 0;
  const bool jumped = begin < window_begin_ || begin > window_begin_ + window_size_;
  const size_t wanted = std::max(size, std::min<size_t>(jumped ? kAfterJump : kWindow, left));
  if (window_.size() < wanted || window_.size() > 4 * std::max(wanted, kWindow))
    window_ = std::vector<char>(wanted);
  window_begin_ = begin;
  window_size_ = bytes_.ReadAt(begin, std::span(window_).first(std::min<size_t>(wanted, left)));
  return window_size_ > 0;
}

std::string_view ProtoFile::Held(uint64_t begin) const {
  const size_t at = begin - window_begin_;
  return {window_.data() + at, window_size_ - at};
}

std::optional<ProtoField> ProtoFile::Next(ByteRange& message) {
  const size_t look = std::min<uint64_t>(kLongestHeader, message.size());
  if (look == 0 || !Hold(message.begin, look)) return std::nullopt;
  std::string_view bytes = Held(message.begin).substr(0, message.size());
  const size_t before = bytes.size();
  const auto header = TakeFieldHeader(bytes);
  if (!header || header->number > UINT32_MAX) return std::nullopt;
  const bool sized = header->type == WireType::length_delimited;
  ProtoField field{.number = static_cast<uint32_t>(header->number),
                   .type = header->type,
                   .value = sized ? header->length : header->value};
  const uint64_t behind = message.begin + (before - bytes.size());
  const uint64_t length = header->length;
  if (length > message.end - behind) return std::nullopt;
  field.bytes = {behind, behind + length};
  message.begin = field.bytes.end;
  return field;
}

std::optional<std::string_view> ProtoFile::View(ByteRange range) {
  if (range.size() == 0) return std::string_view();
  if (range.size() > kLongestView || !Hold(range.begin, range.size())) return std::nullopt;
  const std::string_view held = Held(range.begin);
  if (held.size() < range.size()) return std::nullopt;
  return held.substr(0, range.size());
}

}  // namespace stepscope
