// Splits what comes in into lines.
#include "mcp/lines.h"

#include <utility>

namespace stepscope::mcp {

constexpr size_t kReadBytes = size_t{64} << 10;

Lines::Lines(std::function<size_t(std::span<char>)> read, size_t most_bytes)
    : read_(std::move(read)), most_bytes_(most_bytes) {}

bool Lines::Fill() {
  buffer_.resize(kReadBytes);
  at_ = 0;
  buffer_.resize(read_(std::span(buffer_.data(), buffer_.size())));
  return !buffer_.empty();
}

std::optional<Lines::Line> Lines::Next() {
  Line line;
  bool any = false;
  while (at_ < buffer_.size() || Fill()) {
    any = true;
    const size_t end = buffer_.find('\n', at_);
    const size_t stop = end == buffer_.npos ? buffer_.size() : end;
    if (line.text.size() + (stop - at_) > most_bytes_) line.too_long = true;
    if (line.too_long)
      line.text.clear();
    else
      line.text.append(buffer_, at_, stop - at_);
    at_ = stop;
    if (end == buffer_.npos) continue;
    ++at_;
    break;
  }
  if (!any) return std::nullopt;
  if (line.text.ends_with('\r')) line.text.pop_back();
  return line;
}

}  // namespace stepscope::mcp
