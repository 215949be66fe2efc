// Implements framing of gRPC messages.
#include "capture/grpc/grpc_message.h"

#include <algorithm>

namespace stepscope::capture {
namespace {

uint64_t BigEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

}  // namespace

std::string FrameMessage(std::string_view message) {
  std::string frame(1, '\0');
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame += static_cast<char>(message.size() >> shift & 0xff);
  }
  frame += message;
  return frame;
}

auto MessageReader::AddPrefix(std::string_view& bytes) -> State {
  const size_t taken = std::min(prefix_.size() - prefix_size_, bytes.size());
  std::ranges::copy(bytes.substr(0, taken), prefix_.begin() + prefix_size_);
  prefix_size_ += taken;
  bytes.remove_prefix(taken);
  if (prefix_size_ < prefix_.size()) return State::kReading;
  if (prefix_[0] != 0) return State::kCompressed;
  length_ = left_ = BigEndian({prefix_.data() + 1, 4});
  return length_ > most_ ? State::kTooLong : State::kReading;
}

auto MessageReader::Add(std::string_view bytes) -> State {
  if (state_ == State::kReading && prefix_size_ < prefix_.size()) state_ = AddPrefix(bytes);
  if (state_ != State::kReading || bytes.empty()) return state_;
  if (bytes.size() > left_) return state_ = State::kTwice;
  left_ -= bytes.size();
  if (!take_(bytes)) state_ = State::kRefused;
  return state_;
}

}  // namespace stepscope::capture
